import { Agent, get } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { titleOr } from '../../not-run.ts'
import { temporaryDirectory } from '../../process.ts'
import { answerEffects, pathOf, wireEffects } from './effects.ts'
import { answer, faultServer } from './fault-server.ts'
import { type Ask, curl, globalFetch, has, javaHttp, nodeHttp, pythonHttp } from './stacks.ts'

const all = String(answer.body).length
const half = Math.floor(all / 2)

/** Milliseconds of patience for answers that never come, and for those that do. */
const soon = 300
const ample = 10_000

type Expected = Record<string, string | RegExp>

/** What a stack sees that notices all that can be noticed. */
const attentive: Expected = Object.fromEntries(
  Object.entries({ ...wireEffects, ...answerEffects }).flatMap(([name, { stack }]) =>
    stack === undefined ? [] : [[name, stack]],
  ),
)

/** Where each stack sees something else: mostly where it takes damage for an answer. */
const stacks: [name: string, program: string | undefined, differs: Expected][] = [
  ['node:http', undefined, { 'length-short': /^201 .*error/ }],
  ['fetch', undefined, {}],
  ['python3', 'python3', { 'status-cut': '201 0', 'headers-cut': '201 0', 'early-hints': '103 0' }],
  ['curl', 'curl', { 'headers-cut': '201 0' }],
  [
    'java',
    'java',
    {
      'status-cut': '201 0',
      'headers-cut': '201 0',
      truncate: `201 ${half}`,
      'length-short': `201 ${all}`,
      'early-hints': /^103/,
    },
  ],
]

const fixedAsks: Record<string, Ask> = { 'node:http': nodeHttp, fetch: globalFetch, curl }

for (const [name, program, differs] of stacks) {
  const isThere = program === undefined || has(program)
  describe.skipIf(!isThere)(
    titleOr(`${name} sees`, isThere ? undefined : `there is no ${program} here`),
    () => {
      let ask: Ask
      const directory = temporaryDirectory()
      const started = name === 'python3' ? pythonHttp : () => javaHttp(directory.path)
      let asker: ReturnType<typeof started> | undefined
      beforeAll(() => {
        asker = fixedAsks[name] ? undefined : started()
        ask = asker?.ask ?? fixedAsks[name]!
      })
      afterAll(() => {
        asker?.stop()
        directory[Symbol.dispose]()
      })

      it.each(Object.entries({ ...attentive, ...differs }))('%s as %s', async (fault, expected) => {
        await using server = await faultServer()
        const patience = wireEffects[fault]?.ending === 'open' ? soon : ample
        const [path, settings] = pathOf(fault).split('?')
        const query = settings === undefined ? '' : `?${encodeURIComponent(settings)}`
        const seen = await ask(`${server.url}/${path}${query}`, patience)
        if (typeof expected === 'string') expect(seen).toBe(expected)
        else expect(seen).toMatch(expected)
        // One call, several arrivals: this one sends a POST again when nothing came back, and tells nobody. It tries five
        // times at most; how often it gives up before that depends on what it has seen of the connection's end.
        const sendsAgain = name === 'java' && /^(close|reset|reset-upload)$/.test(fault)
        expect(server.arrived.length).toBeGreaterThan(sendsAgain ? 1 : 0)
        expect(server.arrived.length).toBeLessThanOrEqual(sendsAgain ? 5 : 1)
      })
    },
  )
}

it('keepalive-race is what Node calls the reset of a reused socket', async () => {
  await using server = await faultServer()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const asked = () =>
    new Promise<string>(resolve => {
      const request = get(`${server.url}/keepalive-race`, { agent }, incoming =>
        incoming.resume().on('end', () => setImmediate(resolve, `${incoming.statusCode}`)),
      )
      request.on('error', (error: NodeJS.ErrnoException) =>
        resolve(`${error.code}, ${request.reusedSocket ? 'reused' : 'fresh'}`),
      )
    })
  expect([await asked(), await asked(), await asked()]).toEqual(['201', 'ECONNRESET, reused', '201'])
  agent.destroy()
})

it.each(['301', '302', '303'])(
  'a POST that follows a %s becomes a GET, whose answer looks like success',
  async status => {
    await using server = await faultServer()
    const location = encodeURIComponent('{"location":"/collection"}')
    const { ok, redirected } = await fetch(`${server.url}/redirect-${status}?${location}`, { method: 'POST' })
    expect([ok, redirected]).toEqual([true, true])
    expect(server.arrived.at(-1)).toBe('/collection')
    expect(server.methods).toEqual(['POST', 'GET'])
  },
)

it.each(['307', '308'])('a POST that follows a %s is sent again whole', async status => {
  await using server = await faultServer()
  const location = encodeURIComponent('{"location":"/again"}')
  await fetch(`${server.url}/redirect-${status}?${location}`, { method: 'POST', body: '{}' })
  expect(server.methods).toEqual(['POST', 'POST'])
})
