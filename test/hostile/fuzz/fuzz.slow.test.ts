import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Raw } from '../raw.ts'
import { type Line, line } from './bytes.ts'
import { callsOf } from './calls.ts'
import { makeSeries, Reached } from './series.ts'
import { UnderAttack } from './under-attack.ts'

/**
 * Whatever is sent, the mock lives, answers, and leaves nothing behind. Here always the same few hundred cases;
 * `npm run fuzz -- --seconds 300` makes others for as long. A case that fails is told with its seed and path, with which
 * it can be made again.
 */
const seconds = Number(process.env.FUZZ_SECONDS ?? 0)
const seed = Number(process.env.FUZZ_SEED ?? 4_044)
const path = process.env.FUZZ_PATH

const runs = (few: number): fc.Parameters<unknown> => ({
  seed,
  ...(path && { path }),
  ...(seconds > 0
    ? { numRuns: 100_000_000, interruptAfterTimeLimit: seconds * 1_000, markInterruptAsFailure: false }
    : { numRuns: few }),
})
/** Tries cases until there were enough of them. When its time is over the last one is still under way: it is waited for. */
async function holds<Case>(cases: fc.Arbitrary<Case>, attempt: (it: Case) => Promise<void>): Promise<void> {
  let last = Promise.resolve()
  await fc.assert(
    fc.asyncProperty(cases, it => {
      last = attempt(it)
      return last
    }),
    runs(60),
  )
  await last
}

const timeout = seconds * 1_000 + 120_000

let mock: UnderAttack
beforeAll(async () => {
  mock = await UnderAttack.start()
})
afterAll(() => mock?.stop(), 60_000)

describe('whatever is sent', () => {
  it('T54: any series of any operations and control calls is answered as documented', {
    timeout,
  }, async () => {
    const documents = [await mock.json('/_mock/openapi.json'), await mock.json('/_mock/control/openapi.json')]
    const putSnapshot = await mock.json('/_mock/spaces/demo/snapshot')
    const calls = documents.flatMap(it => callsOf(it, { putSnapshot }))
    expect(calls.length).toBeGreaterThan(70)
    const reached = new Reached()
    const series = fc.array(fc.oneof(...calls), { minLength: 1, maxLength: 12 })
    await holds(series, it => makeSeries(mock, it, reached))
    if (seconds > 0) console.log(`${reached}`)
    const { tried, done } = reached.operations
    if (!path) expect([tried > calls.length * 0.9, done / tried > 0.5], `${reached}`).toEqual([true, true])
    await mock.isWell()
  })

  it('T54: any bytes over any connection get answers of ours, or an end', { timeout }, async () => {
    await holds(fc.array(line, { minLength: 1, maxLength: 6 }), async lines => {
      const texts = await Promise.all(lines.map(it => exchange(mock.port, it)))
      for (const text of texts) {
        const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
        expect(
          statuses.filter(status => status >= 500),
          text,
        ).toEqual([])
        if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 \d{3} /)
        expect(text).not.toMatch(/\n\s+at .+:\d+:\d+|node_modules/)
      }
      await mock.isWell()
    })
  })

  it('nothing of all this stays', { timeout: 60_000 }, () => mock.leavesNothing())
})

/** All that comes back. Requests that stay unfinished are given up by the mock after its time. */
async function exchange(port: number, { pieces, leave }: Line): Promise<string> {
  const raw = await Raw.open(port)
  for (const piece of pieces) {
    if (raw.isOver) break
    raw.send(piece)
    await new Promise(resolve => setImmediate(resolve))
  }
  if (leave === 'close') raw.socket.destroy()
  else if (leave === 'reset') raw.socket.resetAndDestroy()
  else raw.socket.end()
  await raw.closed()
  return raw.text
}
