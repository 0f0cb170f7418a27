/** How long it takes to begin anew, and to begin in a space that was not there. */
import { median } from './report.mjs'
import { otherRows } from './rows.mjs'
import { isPeer, start } from './subjects.mjs'
import { Talk } from './talk.mjs'
import { work } from './work.mjs'

const sizes = { '': 1_000, '-large': 20_000 }
const json = { 'Content-Type': 'application/json' }
const ourReset = { method: 'POST', path: '/_mock/spaces/demo/reset', headers: json }
const credentialsOf = user => ({ Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` })
const floorReset = { method: 'POST', path: '/reset' }

/** @param {number} again how often in a round */
export async function measureResets(names, isWanted, { measurements, again }) {
  for (const [suffix, mailings] of Object.entries(sizes))
    for (const name of names) {
      const rows = ['reset', 'space'].map(key => key + suffix).filter(key => isWanted(otherRows[key].name))
      if (rows.length === 0) continue
      const subject = await start(name, { mailings })
      const talk = await Talk.to(subject.port)
      const reset = subject.isOurs ? ourReset : (subject.reset ?? floorReset)
      try {
        if (rows.includes(`reset${suffix}`)) {
          const took = []
          let wrong
          for (let time = 0; time < again; time++) {
            // Something must be there to be undone.
            await talk.ask({ ...work.create, body: JSON.stringify({ transactionId: `reset-${time}` }) })
            const { status, milliseconds } = await talk.ask(reset)
            if (status >= 300) wrong = `it answered ${status}`
            took.push(milliseconds)
          }
          add(`reset${suffix}`, took, wrong)
        }
        if (subject.isOurs && rows.includes(`space${suffix}`)) {
          const took = []
          let wrong
          for (let time = 0; time < again; time++) {
            const { status, milliseconds } = await talk.ask({
              ...work.read,
              headers: credentialsOf(`demo+${time}`),
            })
            if (status !== work.read.status) wrong = `it answered ${status}`
            took.push(milliseconds)
          }
          add(`space${suffix}`, took, wrong)
        }
      } finally {
        talk.end()
        await subject.stop()
      }
      function add(key, took, wrong) {
        // While the code is cold it is slower; whoever resets often has it warm.
        const later = took.slice(took.length >> 2)
        if (wrong && isPeer(name))
          process.stderr.write(`${otherRows[key].name}  ${name}  left out: ${wrong}\n`)
        else measurements.add(key, otherRows[key], name, { value: median(later) }, wrong)
      }
    }
}
