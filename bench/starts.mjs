/** From the spawn of a process to its first answer, and the memory that it has then. */
import { otherRows } from './rows.mjs'
import { isPeer, start } from './subjects.mjs'
import { once, work } from './work.mjs'

/** Peers have only what they were given; it is as much as comes with us. */
export async function measureStarts(names, { measurements, again, mailings, notRun }) {
  for (let time = 0; time < again; time++)
    for (const name of names) {
      // Peers take seconds; there are enough rounds.
      if (notRun[name] || (time > 0 && isPeer(name))) continue
      const subject = await started(name, mailings(name), notRun)
      if (!subject) continue
      const { status } = await once(subject.port, work.read)
      const took = performance.now() - subject.startedAt
      const wrong = status === work.read.status ? undefined : `it answered ${status}`
      measurements.add('start', otherRows.start, name, { value: took }, wrong)
      const memory = subject.memory()
      if (memory !== undefined) measurements.add('memory', otherRows.memory, name, { value: memory })
      await subject.stop()
    }
}

/** Undefined for one that does not start; `notRun` tells why. */
async function started(name, mailings, notRun) {
  try {
    return await start(name, { mailings })
  } catch (error) {
    if (!isPeer(name)) throw error
    notRun[name] = error.message
    return undefined
  }
}
