import { expect, it } from 'vitest'
import { assembleMock } from '../../src/lib/assemble-mock.ts'
import { basic, ids, synchronizationPath } from '../mock.ts'
import { temporaryDirectory } from '../process.ts'

const path = synchronizationPath(ids.ready, '/sendings')
const day = 86_400_000

/** A mock on the machine's clock, which is what the test says. */
async function startAt(data: string, clock: { time: number }) {
  const mock = await assembleMock({ data, clock: { now: () => clock.time }, logLevel: 'silent' }, false)
  const ask = (target: string, init: RequestInit = {}) =>
    mock.fetch(`http://localhost${target}`, {
      ...init,
      headers: { authorization: basic('demo'), 'content-type': 'application/json' },
    })
  return {
    mock,
    send: async (transactionId: string) => {
      const answer = await ask(path, { method: 'POST', body: JSON.stringify({ transactionId }) })
      return { status: answer.status, id: ((await answer.json()) as { id: string }).id }
    },
    listed: async () => (await ask(`${path}?includeAllStates=true`)).text(),
  }
}

it.each(['amid requests', 'between two runs'])(
  'T56: a clock that jumps back %s loses nothing and doubles nothing: records are numbered, not dated',
  async when => {
    using directory = temporaryDirectory()
    const clock = { time: Date.parse('2026-06-15T12:00:00Z') }
    const before = await startAt(directory.at('data'), clock)
    const first = await before.send('a')
    const text = await before.listed()
    let running = before
    if (when === 'between two runs') await before.mock.close()
    clock.time -= day
    if (when === 'between two runs') running = await startAt(directory.at('data'), clock)

    expect(await running.listed()).toBe(text)
    expect(await running.send('a')).toEqual({ status: 200, id: first.id })
    const second = await running.send('b')
    expect(second.status).toBe(201)
    expect(second.id).not.toBe(first.id)
    const both = await running.listed()
    await running.mock.close()

    clock.time -= day
    const again = await startAt(directory.at('data'), clock)
    expect(await again.listed()).toBe(both)
    expect(await again.send('a')).toEqual({ status: 200, id: first.id })
    expect(await again.send('b')).toEqual({ status: 200, id: second.id })
    await again.mock.close()
  },
)
