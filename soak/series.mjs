/** What is measured at the end of each interval, how it is shown, and by how much it may grow. */
import { trendOf } from './trend.mjs'

const inTenths = (/** @type {number} */ value) => value.toFixed(1)
const mega = 1024 * 1024
const inMegabytes = (/** @type {number} */ value) => inTenths(value / mega)

/**
 * Memory, handles and files are measured at rest: everybody has left, spaces that came are gone, garbage is collected. So
 * they do not depend on how fast the machine was, and their bounds are narrow. Processor time and latency are those of the
 * traffic before: what else the machine does moves them, so that they are judged over minutes only.
 *
 * @type {Record<string, { title: string, shown: (value: number) => unknown, bound: import('./trend.mjs').Bound,
 *   ofTraffic?: boolean }>}
 */
export const series = {
  heap: { title: 'heap MB', shown: inMegabytes, bound: { absolute: 6 * mega, relative: 0.1 } },
  rss: { title: 'RSS MB', shown: inMegabytes, bound: { absolute: 32 * mega, relative: 0.15 } },
  handles: { title: 'handles', shown: Math.round, bound: { absolute: 4, relative: 0 } },
  resources: { title: 'resources', shown: Math.round, bound: { absolute: 10, relative: 0 } },
  files: { title: 'files MB', shown: inMegabytes, bound: { absolute: 4 * mega, relative: 0.1 } },
  cpu: {
    title: 'CPU µs/request',
    shown: Math.round,
    bound: { absolute: 0, relative: 0.25 },
    ofTraffic: true,
  },
  latency: { title: 'read p50 ms', shown: inTenths, bound: { absolute: 5, relative: 0.5 }, ofTraffic: true },
}

/**
 * Shown beside them, and not judged: they say how much was asked, and how uneven the machine was.
 *
 * @type {Record<string, { title: string, shown: (value: number) => unknown }>}
 */
const others = {
  requests: { title: 'requests', shown: String },
  p99: { title: 'p99 ms', shown: inTenths },
}

const columns = Object.entries({ ...others, ...series })
const width = 15
const row = (/** @type {unknown[]} */ cells) => cells.map(cell => String(cell).padStart(width)).join('')

export const headline = row(['minute', ...columns.map(([, { title }]) => title)])

/** @typedef {Readonly<Record<string, number | undefined>>} Sample undefined is what the system does not tell */

/** Intervals of seconds in which what is kept for a while, such as rendered pages, comes and goes. */
const period = 5

/**
 * The least of each period: what comes and goes within seconds is no growth, what never goes raises it.
 * @param {readonly number[]} values
 */
const floorOf = values => values.slice(period - 1).map((_, at) => Math.min(...values.slice(at, at + period)))

/** @param {number} minute @param {Sample} sample */
export const line = (minute, sample) =>
  row([
    inTenths(minute),
    ...columns.map(([key, { shown }]) => {
      const value = sample[key]
      return value === undefined ? '-' : shown(value)
    }),
  ])

/**
 * Whether anything grows. A series that cannot be judged says so.
 * @param {readonly Sample[]} samples
 * @param {boolean} isShort whether they are of seconds, not of minutes
 * @returns {{ sentence: string, grows: boolean }[]}
 */
export const judged = (samples, isShort) =>
  Object.entries(series).map(([key, { title, shown, bound, ofTraffic }]) => {
    const values = samples.flatMap(sample => sample[key] ?? [])
    if (values.length === 0) return { sentence: `${title}: not measured`, grows: false }
    if (isShort && ofTraffic) return { sentence: `${title}: not judged in a short run`, grows: false }
    const { level, growth, allowed, grows } = trendOf(isShort ? floorOf(values) : values, bound)
    const sentence = `${title}: ${grows ? 'GROWS' : 'flat'}, by ${shown(growth)} at a level of ${shown(level)}; allowed ${shown(allowed)}`
    return { sentence, grows }
  })
