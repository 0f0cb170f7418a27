/** One soak of one mock: intervals of traffic, with a rest and a measurement after each. */
import { setTimeout as pause } from 'node:timers/promises'
import { sizeOf, startMock } from './mock.mjs'
import { headline, judged, line } from './series.mjs'
import { Traffic } from './traffic.mjs'

/** What has left is noticed at once; so long it may take on a busy machine. */
const patience = 10_000

/**
 * @param {{ flags: string[], data?: string, seconds: number, intervals: number, isShort: boolean, spaces: number, clients: number,
 *   say: (line: string) => void }} how
 * @returns {Promise<string[]>} what is wrong; nothing, when all is well
 */
export async function soak({ flags, data, seconds, intervals, isShort, spaces, clients, say }) {
  const mock = await startMock(flags)
  try {
    const traffic = new Traffic({ port: mock.port, spaces, clients })
    const samples = []
    let told = 0
    say(headline)
    const beginning = performance.now()
    while (samples.length < intervals && mock.end() === undefined) {
      const sample = await interval(mock, traffic, (seconds * 1000) / intervals)
      if (data !== undefined) sample.files = sizeOf(data)
      samples.push(sample)
      say(line((performance.now() - beginning) / 60_000, sample))
      for (const trouble of traffic.troubles.slice(told)) say(`  ${trouble}`)
      told = traffic.troubles.length
    }
    return [...(await wrongWith(mock, traffic)), ...growing(samples, isShort, say)]
  } finally {
    mock.kill()
  }
}

async function interval(mock, traffic, milliseconds) {
  const before = { requests: traffic.requests, cpu: mock.outside()?.cpu }
  traffic.start()
  await pause(milliseconds)
  const took = await traffic.finish()
  const requests = traffic.requests - before.requests
  const cpu = mock.outside()?.cpu
  await traffic.rest()
  const { heap, resources, ...outside } = await settled(mock)
  return {
    requests,
    heap,
    resources,
    ...outside,
    cpu: cpu === undefined ? undefined : (cpu - before.cpu) / requests,
    latency: took?.median,
    p99: took?.p99,
  }
}

/** Measured once connections are closed and what goes on behind the last answers is done: when it becomes no less. */
async function settled(mock) {
  const end = performance.now() + patience
  let least = await measured(mock)
  for (let unchanged = 0; unchanged < 3 && performance.now() < end; ) {
    await pause(50)
    const now = await measured(mock)
    const isLess = now.handles < least.handles || now.resources < least.resources
    unchanged = isLess ? 0 : unchanged + 1
    if (isLess || now.heap < least.heap) least = now
  }
  return least
}

async function measured(mock) {
  const inside = await mock.inside()
  const { rss, handles } = mock.outside() ?? {}
  return { ...inside, rss, handles }
}

async function wrongWith(mock, traffic) {
  const wrong = []
  const { troubled, neverDone } = traffic
  if (troubled > 0) wrong.push(`${troubled} acts went wrong, the first of them as told above`)
  if (neverDone.length > 0) wrong.push(`Never done to the end: ${neverDone.join(', ')}`)
  const end = mock.end()
  if (end !== undefined) wrong.push(`The mock ended by itself (${end})`)
  const how = end ?? (await mock.stop())
  if (end === undefined && how !== 0) wrong.push(`Asked to stop, the mock ended with ${how}`)
  if (mock.errors() !== '') wrong.push(`The mock complained: ${mock.errors()}`)
  return wrong
}

function growing(samples, isShort, say) {
  if (samples.length === 0) return []
  const trends = judged(samples, isShort)
  for (const { sentence } of trends) say(`  ${sentence}`)
  return trends.filter(({ grows }) => grows).map(({ sentence }) => sentence)
}
