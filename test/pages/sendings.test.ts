import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { basic, halType, ids, type Json, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, look, wordsOf } from './person.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(): Promise<Tester> {
  const tester = await startTester()
  started.push(tester)
  return tester
}

const page = '/spaces/demo/sendings'
const path = synchronizationPath(ids.ready, '/sendings')

/** Asks for sendings, one after the other; a response that a fault withheld is undefined. */
async function send(tester: Tester, ...bodies: object[]): Promise<Json[]> {
  const answers: Json[] = []
  for (const body of bodies)
    answers.push(
      (
        await tester
          .as('demo')
          .post(path, body)
          .catch(() => undefined)
      )?.json,
    )
  return answers
}

interface SeenLane {
  readonly id: string
  readonly words: string
  /** Each attempt and look in a sentence, as whoever points at it is told. */
  readonly steps: readonly string[]
}

const lanesIn = (text: string): SeenLane[] =>
  text
    .split(/<(?=article class="lane|tr id="lane-)/)
    .slice(1)
    .map(markup => ({
      id: /id="([^"]+)"/.exec(markup)![1]!,
      words: wordsOf(`<${markup}`),
      steps: [...markup.matchAll(/<a class="lane-step"[^>]* title="([^"]*)"/g)].map(([, words]) =>
        wordsOf(words!),
      ),
    }))

const lanesOf = async (tester: Tester, query = ''): Promise<SeenLane[]> =>
  lanesIn((await look(tester, page + query)).text)

it('where the number meant proves what looks like repeats, they alone are sent too often', async () => {
  const tester = await start()
  for (const name of ['x', 'y']) {
    await send(tester, { transactionId: `mock:error-500-after:${name}-1`, name })
    await send(tester, { transactionId: `${name}-2`, name })
  }
  await send(tester, { transactionId: 'z', name: 'z' })
  await tester
    .as('demo')
    .post(synchronizationPath(ids.both, '/sendings'), { transactionId: 'o-1', name: 'o' })
  await tester
    .as('demo')
    .post(synchronizationPath(ids.both, '/sendings'), { transactionId: 'p-1', name: 'p' })
  const kinds = async (query: string) =>
    /All \d+ (.*?) disturbed/.exec(wordsOf((await look(tester, page + query)).text))![1]
  expect(await kinds('')).toBe('2 with findings or harm 2 sent too often? 2')
  expect(await kinds('?believes=sent&expected=5')).toBe('2 with findings or harm 2 sent too often 2')
  const { text } = await look(tester, `${page}?believes=sent&expected=5`)
  for (const { words } of lanesIn(text))
    expect(words.includes('2 sent too many'), words).toBe(/\b[xy]-2\b/.test(words))
  // One more was sent too often, and nothing tells which.
  expect(await kinds('?believes=sent&expected=4')).toBe('2 with findings or harm 2 sent too often? 2')
})

describe('a lane', () => {
  it('of an undisturbed sending says that it was sent, and nothing else', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'calm-1' })
    const [lane, ...others] = await lanesOf(tester)
    expect(others).toEqual([])
    // A busy machine adds how long it took.
    expect(lane!.steps).toEqual([expect.stringMatching(/^r0-1, told 201 CREATED, true: sent/)])
    expect(lane!.words).toContain('calm-1')
    expect(lane!.words).not.toMatch(/R\d\d|as told|error/)
  })

  it('an undisturbed sending has one line with its reads, and none of its words is about time or scale', async () => {
    const tester = await start()
    const [made] = await send(tester, { transactionId: 'calm-1' })
    await tester.as('demo').get(new URL(made._links.self.href).pathname)
    await tester.as('demo').get(path)
    const { text } = await look(tester, page)
    expect(text).not.toContain('<article')
    const [lane] = lanesIn(text)
    expect(lane!.words).toMatch(/calm-1 .*r0-1 read at r\d-2 , r\d-3 201 CREATED sent report/)
    expect(lane!.steps).toHaveLength(3)
    expect(wordsOf(from({ text }, 'sendings'))).not.toMatch(/not to scale|without a sending/)
  })

  it.each([
    ['a repeat', ['plain', 'plain']],
    ['no CREATED', ['mock:pending-for-ever:p']],
    ['another state', ['mock:indeterminate-sent:i']],
    ['a response that did not arrive', ['mock:reset-after:r']],
  ])('a sending with %s is told in a card', async (_, transactionIds) => {
    const tester = await start()
    await send(tester, ...transactionIds.map(transactionId => ({ transactionId })))
    const { text } = await look(tester, page)
    expect(text.match(/<article class="lane/g)).toHaveLength(1)
    expect(text).not.toContain('calm-lanes')
  })

  it('a sending that may be one of several for a mailing is told in a card', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'one' }, { transactionId: 'two' })
    expect((await look(tester, page)).text).not.toContain('<article')
    expect((await look(tester, `${page}?believes=sent&expected=1`)).text).not.toContain('calm-lanes')
  })

  it('information about a sending has the same word there as among the requests and in the verdict, and is no question', async () => {
    const tester = await start()
    const [made] = await send(tester, { transactionId: 'one' })
    await tester.as('demo').get(new URL(made._links.self.href).pathname)
    await send(tester, { transactionId: 'one' })
    const { findings } = (await tester.get('/spaces/demo/verdict')).json
    expect(findings).toMatchObject([{ rule: 'R23', severity: 'information', status: 'open' }])
    for (const at of ['requests', 'sendings'])
      expect(wordsOf((await look(tester, `/spaces/demo/${at}`)).text), at).toContain('R23 information')
    const verdict = wordsOf(from(await look(tester, '/spaces/demo/verdict'), 'verdict'))
    expect(verdict).toMatch(/R23 .{1,60} information/)
  })

  it('a sending about which there is only information is undisturbed: one line, and none of those with findings', async () => {
    const tester = await start()
    const [made] = await send(tester, { transactionId: 'one' })
    await tester.as('demo').get(new URL(made._links.self.href).pathname)
    await send(tester, { transactionId: 'one' })
    const { text } = await look(tester, page)
    expect(text).not.toContain('<article')
    const [lane, ...others] = lanesIn(text)
    expect(others).toEqual([])
    expect(lane!.words).toMatch(/one .*r0-1 again at r\d-3 R23 information read at r\d-2 201 CREATED sent/)
    expect(wordsOf(text)).toContain('0 with findings or harm 0 sent too often')
    expect(await lanesOf(tester, '?only=found')).toEqual([])
  })

  it('a single attempt has the time that it took in place of a bar that is always full', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:x' })
    const { text } = await look(tester, page)
    expect(wordsOf(text)).toMatch(/What Took Told True Findings .*error-500-after [\d.]+ (ms|s) 500/)
    expect(text).not.toContain('track-bar')
  })

  it('a lane says what was told and what is true, where they differ', async () => {
    const tester = await start()
    const transactionId = 'mock:error-500-after:order-7'
    await send(tester, { transactionId }, { transactionId })
    const [lane] = await lanesOf(tester)
    expect(lane!.steps).toEqual([
      'r0-1, told 500, true: 201 CREATED sent; error-500-after',
      expect.stringMatching(/^r1-2, told 200 CREATED, true: as told/),
    ])
  })

  it('nothing that was sent is green in a lane with harm', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:one' }, { transactionId: 'two' })
    const { text } = await look(tester, `${page}?believes=sent&expected=1`)
    expect(text.match(/track-mark sent bad/g)).toHaveLength(2)
    expect(text).not.toMatch(/track-mark sent good|class="chip good"[^>]*>sent</)
    const transactionId = 'mock:error-500-after:x'
    await tester
      .as('demo+calm')
      .post(path, { transactionId })
      .catch(() => undefined)
    const calm = await look(tester, page.replace('demo', 'demo+calm'))
    expect(calm.text).toMatch(/class="chip good"[^>]*>sent</)
  })

  it('a lane says that an answer was withheld, and that nothing was done', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:reset-before:x' }, { transactionId: 'mock:reset-after:y' })
    const steps = (await lanesOf(tester)).flatMap(it => it.steps)
    expect(steps.join('\n')).toMatch(/told nothing, true: nothing was done; ID A; reset-before/)
    expect(steps.join('\n')).toMatch(/told nothing, true: 201 CREATED sent; ID B; reset-after/)
  })

  it('the bar of an attempt has the colour of the state that was told', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-for-a-while:z'
    await send(tester, { transactionId })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId })
    const { text } = await look(tester, page)
    expect(text.match(/track-bar \w+/g)!.sort()).toEqual(['track-bar good', 'track-bar warn'])
  })

  it('a lane shows when a PENDING one was sent, and that the client looked', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-for-a-while:z'
    const [first] = await send(tester, { transactionId })
    const states: string[] = [first.state]
    for (let tries = 0; tries < 20 && states.at(-1) !== 'CREATED'; tries++) {
      await tester.post('/spaces/demo/clock', { advance: '20s' })
      states.push((await tester.as('demo').get(new URL(first._links.self.href).pathname)).json.state)
    }
    expect([states[0], states.at(-1)]).toEqual(['PENDING', 'CREATED'])
    const { text } = await look(tester, page)
    const [lane] = lanesIn(text)
    expect(lane!.steps[0]).toMatch(/^r0-1, told 200 PENDING, true: as told/)
    expect(lane!.steps.at(-1)).toBe('read the sending, told 200 CREATED')
    expect(lane!.steps).toHaveLength(states.length)
    // It was sent between two looks, and stands there.
    const order = [...text.matchAll(/<tr id="(attempt|read|sent)-/g)].map(([, what]) => what)
    expect(order[0]).toBe('attempt')
    expect(order.at(-1)).toBe('read')
    expect(order.filter(what => what === 'sent')).toHaveLength(1)
  })

  it('a lane shows at which attempt a PENDING one was sent, where the clock stands', async () => {
    const tester = await start()
    const body = { transactionId: 'mock:pending-then-created:z' }
    const states = (await send(tester, body, body, body, body)).map(it => it.state)
    const first = states.indexOf('CREATED')
    expect(first).toBeGreaterThan(0)
    const [lane] = await lanesOf(tester)
    for (const [at, step] of lane!.steps.entries())
      expect(step).toMatch(at === first ? / true: sent/ : / true: as told/)
  })

  it.each([
    ['pending-for-ever', 'R10'],
    ['error-500-before', 'R11'],
  ])(
    'whose client may only be waiting has what %s leads to in grey, until its end is known',
    async (scenario, rule) => {
      const tester = await start()
      await send(tester, { transactionId: `mock:${scenario}:waits` })
      const { text } = await look(tester, page)
      expect(text).toMatch(new RegExp(`class="chip lane-pin calm"[^>]*>${rule} open<`))
      expect(text).not.toMatch(/class="chip[^"]* (bad|warn)"[^>]*>R\d\d/)
      expect(wordsOf(from(await look(tester, '/spaces/demo'), 'glance'))).toContain(`verdict ${rule} open`)
      const ended = await look(tester, `${page}?believes=not-sent`)
      expect(ended.text).toMatch(new RegExp(`class="chip lane-pin bad"[^>]*>${rule} error<`))
    },
  )

  it('a lane has what went out in a pause before the attempt that ended it, and that attempt no longer than it took', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-for-a-while:axis'
    await send(tester, { transactionId })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId })
    const { text } = await look(tester, page)
    const offsets = [...from({ text }, 'sendings').matchAll(/<time[^>]*>(\+[^<]*)<\/time>/g)].map(
      ([, words]) => words,
    )
    expect(offsets).toEqual(['+20 s', '+1 h'])
    const order = [...text.matchAll(/<tr id="(attempt|sent)-/g)].map(([, what]) => what)
    expect(order).toEqual(['attempt', 'sent', 'attempt'])
    const lengths = [...text.matchAll(/class="track-bar[^>]* width="([\d.]+)%/g)].map(([, width]) =>
      Number(width),
    )
    expect(lengths).toHaveLength(2)
    for (const length of lengths) expect(length).toBeLessThan(20)
  })

  it('a lane has a look at the collection, with what it told of this sending', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'first' }, { transactionId: 'second' })
    await tester.as('demo').get(`${path}?includeAllStates=true`)
    const [second, first] = await lanesOf(tester)
    expect(second!.steps.at(-1)).toBe('read the list of sendings, told 200 CREATED')
    expect(first!.steps).toHaveLength(1)
  })

  it('a lane has one row for reads in a row that were told the same, and a row for each that was told something else', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:pending-until-4m50:one' })
    for (let nth = 0; nth < 20; nth++) await tester.as('demo').get(`${path}?includeAllStates=true`)
    await tester.post('/spaces/demo/clock', { advance: '6m' })
    for (let nth = 0; nth < 3; nth++) await tester.as('demo').get(`${path}?includeAllStates=true`)
    const { text } = await look(tester, page)
    const [lane] = lanesIn(text)
    expect(lane!.steps.slice(1)).toEqual([
      ...Array(3).fill('read the list of sendings, told 200 PENDING'),
      ...Array(3).fill('read the list of sendings, told 200 CREATED'),
    ])
    expect(lane!.words).toContain('and 17 more')
    expect(lane!.words).not.toContain('left out here')
    expect(text.match(/class="is-reads?"/g)).toEqual([
      'class="is-reads"',
      ...Array(3).fill('class="is-read"'),
    ])
  })

  it('equal reads in a row are one row with their number and time, also where the list does not show the sending; those that tell a new state, ask otherwise or are cited stand alone', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:pending-until-4m50:one' })
    const read = async (count: number, query = '') => {
      for (let nth = 0; nth < count; nth++) await tester.as('demo').get(path + query)
    }
    // PENDING is left out of the list.
    await read(6)
    await read(5, '?includeAllStates=true')
    await tester.post('/spaces/demo/clock', { advance: '6m' })
    await read(6, '?includeAllStates=true')
    const { text } = await look(tester, page)
    expect(text.match(/class="is-reads?"/g)).toEqual([
      'class="is-reads"',
      'class="is-reads"',
      'class="is-read"',
      'class="is-reads"',
    ])
    const [lane] = lanesIn(text)
    expect(lane!.words).toMatch(/and 3 more (r[-\d]+ ){3}read the list of sendings, 6 times in /)
    const [hidden] = /<details id="[^"]*-more"><summary[^>]*>and 3 more.*?<\/details>/.exec(text)!
    expect(hidden.match(/href="\/_mock\/spaces\/demo\/requests\/r/g)).toHaveLength(3)
  })

  it('a read that a finding cites has a row of its own among equal ones, with the finding', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:reset-after:one', subject: 'same' })
    for (let nth = 0; nth < 6; nth++) await tester.as('demo').get(path)
    await send(tester, { transactionId: 'two', subject: 'same' })
    const { text } = await look(tester, page)
    expect(text.match(/class="is-reads?"/g)).toEqual([
      'class="is-read"',
      'class="is-reads"',
      'class="is-read"',
    ])
    const [, read] = text.match(/<tr id="read-.*?<\/tr>/gs)!
    expect(wordsOf(read!)).toMatch(/^\+0 ms .* read the list of sendings 200 CREATED R23 open$/)
  })

  it('all pages judge anew when the running clock has sent something', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:pending-for-a-while:a' }, { transactionId: 'b' })
    const words = async (at: string) => wordsOf((await look(tester, at)).text)
    expect(await words('/spaces/demo/requests')).not.toContain('sent twice?')
    // No call moves it, so there is no event.
    tester.clock.advance(25_000)
    for (const at of ['requests', 'sendings', 'platform'])
      expect(await words(`/spaces/demo/${at}`), at).toContain('sent twice?')
  })

  it('a pause of a client goes on while the platform sends', async () => {
    const tester = await start()
    await tester.post('/spaces/demo/clock', { freeze: true })
    const transactionId = 'mock:pending-until-4m50:silent'
    await send(tester, { transactionId })
    await tester.post('/spaces/demo/clock', { advance: '5m' })
    await send(tester, { transactionId })
    expect((await lanesOf(tester))[0]!.words).toContain('pause of 5 min, clock moved')
  })

  it('a lane tells that the clock was moved in a pause', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-then-created:p'
    await send(tester, { transactionId })
    await tester.post('/spaces/demo/clock', { advance: '4m50s' })
    await send(tester, { transactionId })
    expect((await lanesOf(tester))[0]!.words).toMatch(/4 min 50(\.\d)? s, clock moved/)
  })

  it('a lane says what went out before the requests on record', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'forgotten' })
    const sentAt = new Date(tester.clock.now()).toISOString().slice(0, 19).replace('T', ' ')
    await tester.delete('/spaces/demo/requests')
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId: 'forgotten' }, { transactionId: 'fresh', subject: 'Another' })
    const [fresh, repeated] = await lanesOf(tester)
    expect(repeated!.steps).toEqual([expect.stringMatching(/^r\d+-\d+, told 200 CREATED, true: as told/)])
    expect(repeated!.words).toContain(`sent before this record ${sentAt}`)
    expect(repeated!.words).not.toContain('nothing was sent')
    expect(fresh!.words).not.toContain('before this record')
  })

  it('a lane of one mailing that went out twice before the record is red, and a request does not make it green', async () => {
    const tester = await start()
    const bodies = [{ transactionId: 'run-1' }, { transactionId: 'run-2' }]
    await send(tester, ...bodies)
    await tester.delete('/spaces/demo/requests')
    const answer = { fault: 'close' }
    await tester.post('/spaces/demo/faults', { on: 'createSending', phase: 'after', answer })
    await send(tester, ...bodies)
    const { text } = await look(tester, page)
    expect(text).toContain('<article class="lane marked bad"')
    expect(text).toMatch(/<span class="chip bad"[^>]*>2 sent before this record</)
    expect(text).not.toMatch(/class="chip good"[^>]*>[^<]*before this record/)
  })

  it('a lane has the bar and the marks that its requests have in their list', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:close-after:run-1' }, { transactionId: 'run-2' })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId: 'mock:error-500-after:calm', subject: 'Another' })
    const { text } = await look(tester, page)
    expect([...text.matchAll(/<article class="([^"]+)"/g)].map(([, it]) => it)).toEqual([
      'lane',
      'lane marked bad',
    ])
    const seen = wordsOf(text)
    expect(seen).toMatch(/close-after nothing 201 CREATED sent sent twice\? R02 suspected/)
    expect(seen).not.toContain('nothing (201')
    const one = wordsOf((await look(tester, '/spaces/demo/requests/r0-1')).text)
    expect(one).toMatch(/Told nothing True 201 CREATED sent/)
    expect(one.indexOf('2 mailings were sent')).toBeLessThan(one.indexOf('What truly happened'))
  })

  it.each(['sendings', 'platform'])('%s are found by a transaction ID or its beginning', async tab => {
    const tester = await start()
    await send(tester, ...['order-1', 'Order-2', 'other'].map(transactionId => ({ transactionId })))
    const found = async (query: string) => {
      const { text } = await look(tester, `/spaces/demo/${tab}${query}`)
      expect(text).toContain('aria-keyshortcuts="/"')
      return [...text.matchAll(/title="((?:order|other)[^"]*)"/gi)].map(([, id]) => id)
    }
    expect(await found('')).toEqual(['other', 'Order-2', 'order-1'])
    expect(await found('?transactionId=order*')).toEqual(['Order-2', 'order-1'])
    expect(await found('?transactionId=ORDER-1')).toEqual(['order-1'])
  })

  it('sendings can be narrowed to those that were sent more than once', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-1' }, { transactionId: 'run-2' })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId: 'mock:failed-once:one', subject: 'Another' })
    expect(wordsOf((await look(tester, page)).text)).toMatch(/1 with findings or harm 1 sent too often\?/)
    expect((await lanesOf(tester, '?only=double')).map(it => it.words)).toEqual([
      expect.stringContaining('run-2'),
    ])
  })

  it('a lane says why a rule is unproved', async () => {
    const tester = await start()
    const url = await tester.listen()
    const ask = (user: string, transactionId: string) =>
      new Promise(done => {
        const headers = { authorization: basic(user), 'content-type': halType }
        const asked = request(url + path, { method: 'POST', headers, agent: false }, response =>
          response.resume().on('end', done),
        )
        asked.end(JSON.stringify({ transactionId }))
      })
    // A machine that is busy in between makes the pause so long that the rule is proved.
    let space = ''
    await expect
      .poll(
        async () => {
          space = `demo+${randomUUID()}`
          for (const transactionId of ['mock:pending-then-created:a', 'b']) await ask(space, transactionId)
          return lanesIn((await look(tester, `/spaces/${space}/sendings`)).text)[0]!.words
        },
        { timeout: 20_000 },
      )
      .toMatch(/R03 unproved.* r\d-2 came .* so R03 cannot be proved/)
    const verdict = await look(tester, `/spaces/${space}/verdict`)
    expect(verdict.text).toMatch(/>r\d-2<\/a>\s*came \d+ ms after the response to/)
  })

  it('a lane says what went out between requests, though the one that asked for it is off the record', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-for-a-while:off'
    await send(tester, { transactionId })
    await tester.delete('/spaces/demo/requests')
    await send(tester, { transactionId })
    expect((await lanesOf(tester))[0]!.words).toContain('nothing was sent')
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId })
    const { text } = await look(tester, page)
    const order = [...text.matchAll(/<tr id="(attempt|sent)-/g)].map(([, what]) => what)
    expect(order).toEqual(['attempt', 'sent', 'attempt'])
    expect(lanesIn(text)[0]!.words).not.toMatch(/before this record|nothing was sent/)
  })

  it('of a sending that the space began with says that it was sent before', async () => {
    const tester = await start()
    const { json } = await tester.get('/spaces/demo/platform?seeded=true')
    const row = json._embedded?.sendings ?? json.sendings
    const seeded = row.find((it: Json) => it.kind === 'list' && it.status === 'sent' && it.transactionId)
    await tester.as('demo').post(synchronizationPath(seeded.synchronizationId, '/sendings'), {
      transactionId: seeded.transactionId,
    })
    expect((await lanesOf(tester))[0]!.words).toContain('sent before this record')
  })

  it('a lane says when a scheduled one goes out', async () => {
    const tester = await start()
    await send(
      tester,
      { transactionId: 'soon', scheduleDate: '2026-11-01T13:00:00Z' },
      { transactionId: 'late', scheduleDate: '2035-01-01T08:00:00Z' },
    )
    const words = (await lanesOf(tester)).map(it => it.steps[0])
    expect(words).toEqual([
      'r1-2, told 201 CREATED, true: goes out 2035-01-01',
      expect.stringMatching(/true: goes out in (3 h|2 h 59 min|2 h 60)/),
    ])
  })

  it('a lane has the findings pinned to the attempts that they cite, and says them with the attempts as it numbers them', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-1' }, { transactionId: 'run-2' })
    const { text } = await look(tester, page)
    const [lane] = lanesIn(text)
    for (const step of lane!.steps)
      expect(step).toContain('R02 error, it seems: New transactionId after an error')
    expect(text.match(/class="chip lane-pin bad"[^>]*>R02 suspected</g)).toHaveLength(2)
    expect(lane!.words).toContain('Do: After an error or a timeout, repeat with the same transactionId.')
    const judged = await look(tester, `${page}?believes=sent&expected=1`)
    expect(judged.text.match(/class="chip lane-pin bad"[^>]*>R02 error</g)).toHaveLength(2)
    expect(lane!.words).toContain('r0-1 with transactionId "mock:error-500-after:run-1" got 500; r1-2 came')
    expect(text).toContain(`href="#${lane!.id}-R02"`)
    expect(text).toContain(`id="${lane!.id}-R02"`)
    expect(text).toContain('href="/_mock/spaces/demo/verdict#R02"')
  })

  it('a lane has the harm at its head', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-1' }, { transactionId: 'run-2' })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId: 'same', subject: 'One' }, { transactionId: 'same', subject: 'Two' })
    const [changed, double] = await lanesOf(tester)
    expect(double!.words).toMatch(/run-2.* 2 sent sent twice\? .*taken for one mailing/)
    expect(changed!.words).toMatch(/^same .*sent other content/)
  })

  it('a lane names no state of the service as such, and shortens it', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:lower-case-state:a' })
    const { text } = await look(tester, page)
    expect(text).toMatch(/<span class="chip odd" title="No state of the service: created">created<\/span>/)
  })

  it('a lane does not say "as told" of an INDETERMINATE_FAILURE, which tells nobody what was done', async () => {
    const tester = await start()
    const transactionId = 'mock:indeterminate-not-sent:order-7'
    await send(tester, { transactionId })
    const [lane] = await lanesOf(tester)
    expect(lane!.steps[0]).toMatch(/^r0-1, told 200 INDETERMINATE_FAILURE, true: nothing sent by it/)
    expect(wordsOf((await look(tester, '/spaces/demo/requests')).text)).toContain('nothing sent by it')
  })

  it('of very many attempts with several IDs shows where each ID begins, and for which of them a mailing went out', async () => {
    const tester = await start()
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
    const all = ids.flatMap(id =>
      Array.from({ length: 7 }, () => ({ transactionId: `mock:pending-until-4m50:${id}` })),
    )
    await send(tester, ...all)
    await tester.post('/spaces/demo/clock', { advance: '6m' })
    const [lane] = await lanesOf(tester)
    expect(lane!.words).toMatch(/\d+ more, left out here/)
    for (const letter of 'ABCDEFGHIJ') {
      expect(lane!.words).toMatch(new RegExp(`r\\d+-\\d+ ID ${letter} `))
      expect(lane!.words).toContain(`the platform ID ${letter} `)
    }
  })

  it('a lane whose mailing is due by the clock alone says so, and Verdict and Platform too', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:pending-for-a-while:later' })
    expect((await lanesOf(tester))[0]!.words).toMatch(/not sent yet, due \d\d:\d\d:\d\d/)
    for (const tab of ['verdict', 'platform'])
      expect(wordsOf((await look(tester, `/spaces/demo/${tab}`)).text)).toMatch(/A mailing is due at \d{4}-/)
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    expect((await lanesOf(tester))[0]!.words).not.toContain('due')
  })

  it('a lane leads from each attempt to its request', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'a' }, { transactionId: 'b' })
    const { text } = await look(tester, page)
    const { json } = await tester.get('/spaces/demo/requests')
    for (const { id } of json._embedded.requests)
      expect(text).toMatch(new RegExp(`class="lane-step" href="/_mock/spaces/demo/requests/${id}"`))
  })

  it('of very many attempts leaves out those in the middle, but not what is cited', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-for-ever:hot'
    await send(tester, ...Array.from({ length: 100 }, () => ({ transactionId })))
    const [lane] = await lanesOf(tester)
    expect(lane!.steps.length).toBeLessThan(40)
    expect(lane!.steps.at(-1)).toMatch(/^r1-100,/)
    expect(lane!.words).toMatch(/\d+ more/)
  })
})

describe('the page of sendings', () => {
  it('the page of sendings has many of them in pages, the latest first, each on one page', async () => {
    const tester = await start()
    const names = Array.from({ length: 60 }, (_, at) => `plain-${at}`)
    await send(tester, ...names.map(transactionId => ({ transactionId })))
    const pages = await Promise.all([1, 2, 3].map(at => lanesOf(tester, `?page=${at}`)))
    expect(pages.map(({ length }) => length)).toEqual([50, 10, 10])
    expect(
      pages
        .slice(0, 2)
        .flat()
        .map(({ words }) => /plain-\d+/.exec(words)![0]),
    ).toEqual(names.toReversed())
    expect((await lanesOf(tester, '?page=9')).length).toBe(10)
  })

  it.each([
    ['?only=found', ['run-2']],
    ['?only=disturbed', ['run-2']],
    ['?only=calm', ['calm-2', 'calm-1']],
  ])('%s shows some', async (query, expected) => {
    const tester = await start()
    await send(tester, { transactionId: 'mock:error-500-after:run-1' }, { transactionId: 'run-2' })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId: 'calm-1' }, { transactionId: 'calm-2' })
    const lanes = await lanesOf(tester, query)
    expect(lanes).toHaveLength(expected.length)
    for (const [at, name] of expected.entries()) expect(lanes[at]!.words).toContain(name)
    expect(wordsOf((await look(tester, page)).text)).toContain(
      'All 3 1 with findings or harm 1 sent too often? 1 disturbed 2 undisturbed',
    )
  })

  it('the page of sendings shows the one that a request belongs to', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'one' }, { transactionId: 'two' })
    const { json } = await tester.get('/spaces/demo/requests?transactionId=one')
    const lanes = await lanesOf(tester, `?request=${json._embedded.requests[0].id}`)
    expect(lanes.map(({ words }) => /one|two/.exec(words)![0])).toEqual(['one'])
  })

  it('the page of sendings tells each step in a row, also at an address with the view of earlier versions', async () => {
    const tester = await start()
    const transactionId = 'mock:error-500-after:order-7'
    await send(tester, { transactionId }, { transactionId })
    for (const query of [''])
      expect(wordsOf(from(await look(tester, page + query), 'sendings'))).toMatch(
        /r0-1 error-500-after 500 201 CREATED sent .*r1-2 .*200 CREATED as told/,
      )
  })

  it('the page of sendings has the ID of each letter that its rows name', async () => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', { name: 'error-500-after' })
    await send(tester, ...Array.from({ length: 6 }, (_, at) => ({ transactionId: `id-${at}` })))
    const { text } = await look(tester, page)
    const words = wordsOf(text)
    expect(words).toContain('and 2 more transaction IDs E id-4 F id-5')
    for (let at = 0; at < 6; at++) expect(text).toContain(`aria-label="Copy the transaction ID id-${at}"`)
    expect(words).toMatch(/r\d-6 ID F/)
  })

  it('the page of sendings draws sendings that overlap in time on one scale', async () => {
    const tester = await start()
    const transactionId = 'mock:pending-for-a-while:long'
    await send(tester, { transactionId })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    await send(tester, { transactionId: 'mock:failed-once:between', subject: 'Another' }, { transactionId })
    const { text } = await look(tester, page)
    expect(text.match(/class="lane-episode"/g)).toHaveLength(1)
    expect(text).toMatch(/<th scope="col"><span title="[^"]*">0 to 1 h, not to scale<\/span><\/th>/)
    const bars = [...text.matchAll(/class="track-bar[^>]* x="([\d.]+)%/g)].map(([, x]) => Number(x))
    expect(bars).toHaveLength(3)
    const [first, last, between] = bars as [number, number, number]
    expect(first).toBe(0)
    // On a scale of its own it would begin at 0. How far along it is depends on how busy this machine is.
    expect(between).toBeGreaterThan(0)
    expect(between).toBeLessThanOrEqual(last)
  })

  it('the page of sendings is judged with what somebody has said of the end, and leads to the verdict on the same terms', async () => {
    const tester = await start()
    await send(tester, { transactionId: 'one' }, { transactionId: 'two' })
    expect(await lanesOf(tester)).toHaveLength(2)
    const { text } = await look(tester, `${page}?believes=sent&expected=1&only=found`)
    const lanes = lanesIn(text)
    expect(lanes).toHaveLength(1)
    expect(lanes[0]!.words).toMatch(/sent twice(?!\?)/)
    expect(text).toContain('/verdict?believes=sent&amp;expected=1&amp;workers=1#')
  })

  it.each(['?only=nothing', '?page=0', '?as=cake', '?believes=perhaps', '?other=1'])(
    '%s is refused in words',
    async query => {
      const { status, text } = await look(await start(), page + query)
      expect(status).toBe(400)
      expect(wordsOf(text)).toMatch(/expected|possible:/)
    },
  )

  it('the page of sendings shows whatever a client sent as text', async () => {
    const tester = await start()
    const hostile = `<script>hit()</script>"'><img src=x onerror=hit()>`
    await send(tester, { transactionId: hostile, subject: hostile })
    const { text } = await look(tester, page)
    expect(text).not.toMatch(/<script>|<img/)
    expect(lanesIn(text)[0]!.words).toContain(hostile)
  })

  it('of a space where nothing was sent gives a line that makes a first sending, and one that meets with trouble', async () => {
    const tester = await start()
    const { text } = await look(tester, page)
    const lines = [...text.matchAll(/data-copy="([^"]*)"/g)].map(([, line]) => wordsOf(line!))
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const [, user, body, url] = /-u (\S+) .*--data-raw '([^']+)' (\S+)$/.exec(line)!
      const headers = { authorization: `Basic ${btoa(user!)}`, 'content-type': halType }
      await tester.fetch(new URL(url!).pathname, { method: 'POST', headers, body: body! }).catch(() => {})
    }
    const [trouble, plain] = await lanesOf(tester)
    expect(plain!.steps).toEqual(['r0-1, told 201 CREATED, true: sent'])
    expect(trouble!.steps).toEqual([
      expect.stringMatching(/^r1-2, told nothing, true: 201 CREATED sent; reset-after/),
    ])
  })

  it('the page of sendings says so where requests came, and none of them asked for a sending', async () => {
    const tester = await start()
    await tester.as('demo').get('/mailings')
    expect((await look(tester, page)).text).toContain('Requests have come, but none of them')
  })

  it('of a thousand requests takes well under a second of processor time', async () => {
    const tester = await start()
    const bodies = Array.from({ length: 1_000 }, (_, at) => ({
      transactionId: at % 3 === 0 ? `plain-${at}` : `mock:error-500-after:m-${at - (at % 3)}`,
    }))
    await send(tester, ...bodies)
    await look(tester, page)
    const before = process.cpuUsage()
    const { text } = await look(tester, page)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
    expect(lanesIn(text)).toHaveLength(50)
  })
})
