/** Rounds of the work over HTTP: each kind given to one subject after the other, so that all meet the same weather. */
import { isPeer, start, subjects } from './subjects.mjs'
import { burst, once, together, work } from './work.mjs'

/** How far the answers may differ in length before the work is not the same. */
const mostLonger = 1.1

/** Peers run from the first round to the last: some take long to get warm. */
export class Peers {
  #names
  #notRun
  #running

  /** @param {Record<string, string>} notRun learns why one could not be started */
  constructor(names, notRun) {
    this.#names = names
    this.#notRun = notRun
  }

  get running() {
    return this.#running ?? []
  }

  /** Starts them and lets them get warm, the first time. */
  async begin({ warmUp, amount }) {
    if (this.#running) return
    this.#running = []
    for (const name of this.#names)
      if (!this.#notRun[name])
        try {
          this.#running.push(await start(name))
        } catch (error) {
          this.#notRun[name] = error.message
        }
    for (const peer of this.#running) {
      const kinds = Object.keys(work).filter(key => doesWork(peer, key))
      const each = peer.warmUp ? peer.warmUp / kinds.length : warmUp
      for (const key of kinds) await burst(peer, itemFor(peer, key), amount ? { amount } : { duration: each })
    }
  }

  async stop() {
    for (const peer of this.running) await peer.stop()
  }
}

const doesWork = ({ rows, cannot, isOurs, isArmed }, key) =>
  !cannot?.[key] && (!rows || rows.includes(key)) && !(key === 'fault' && isOurs && !isArmed)

const itemFor = ({ items }, key) => ({ ...work[key], ...items?.[key] })

/**
 * @param {readonly string[]} names of our own subjects, which are started anew
 * @param {Peers} peers
 * @param {readonly string[]} keys of the work
 */
export async function measureWork(names, peers, keys, round, { measurements, seconds, warmUp, amount }) {
  const own = []
  try {
    for (const name of names) if (keys.some(key => doesWork(subjects[name], key))) own.push(await start(name))
    const all = inTurn([...own, ...peers.running], round)
    for (const key of keys) {
      const doing = all.filter(subject => doesWork(subject, key))
      const lengths = new Map()
      let shortest = Number.POSITIVE_INFINITY
      for (const subject of doing) {
        const item = itemFor(subject, key)
        if (item.prepare) await once(subject.port, item)
        const { length } = await once(subject.port, item)
        if (subject.name === 'floor') shortest = length
        lengths.set(subject, length)
        if (!amount) await burst(subject, item, { duration: warmUp })
      }
      const figures = await inSlices(doing, key, amount ? [{ amount }] : slicesOf(seconds))
      for (const [subject, figure] of figures) {
        const item = itemFor(subject, key)
        const row = { name: item.name, unit: '/s' }
        const measured = { value: figure.perSecond, cpu: figure.cpuPerRequest, busy: figure.busy }
        const wrong = whatIsWrong(subject, figure, lengths.get(subject), shortest)
        if (wrong && isPeer(subject.name))
          process.stderr.write(`${item.name}  ${subject.name}  left out: ${wrong}\n`)
        else measurements.add(key, row, subject.name, measured, wrong)
      }
    }
  } finally {
    await Promise.all(own.map(subject => subject.stop()))
  }
}

/** A machine is faster at one moment than at the next: each subject has a part of every moment. */
const slices = 3
const slicesOf = seconds => Array(slices).fill({ duration: seconds / slices })

async function inSlices(doing, key, lengths) {
  const parts = new Map(doing.map(subject => [subject, []]))
  for (const [slice, howLong] of lengths.entries())
    for (const subject of inTurn(doing, slice))
      parts.get(subject).push(await burst(subject, itemFor(subject, key), howLong))
  return new Map(doing.map(subject => [subject, together(parts.get(subject))]))
}

/** So many of a hundred answers of a peer may be wrong: what they do less under load is told in words. */
const mostWrong = 5

/** The floor must have done the same amount of work; peers say in words what they do less. */
function whatIsWrong({ name, main }, { wrong, done }, length, floor) {
  if (done === 0) return 'no answer came in time'
  if (isPeer(name) ? wrong * 100 > mostWrong * done : wrong > 0)
    return `${wrong} answers were not as expected`
  // Another build of ours may answer more or less.
  if (!isPeer(name) && !main && Math.max(length, floor) > mostLonger * Math.min(length, floor))
    return `its answer has ${length} bytes, the floor's ${floor}`
  return undefined
}

/** Another one is first in every round. */
function inTurn(all, round) {
  const first = round % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}
