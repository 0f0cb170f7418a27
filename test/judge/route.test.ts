import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ids, type Json, synchronizationPath } from '../mock.ts'
import { look, wordsOf } from '../pages/person.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'

let tester: Tester
beforeEach(async () => {
  tester = await startTester()
  await tester.put('/spaces/demo/scenario', { name: 'indeterminate-sent' })
})
afterEach(() => tester.close())

const sendings = synchronizationPath(ids.ready, '/sendings')
const post = (transactionId: string) => tester.as('demo').post(sendings, { transactionId })
const rulesIn = ({ json }: { json: Json }) => json.findings.map((it: Json) => [it.rule, it.status])

describe('GET /_mock/spaces/{space}/verdict', () => {
  it('GET /_mock/spaces/{space}/verdict leaves open what hangs on who meant what', async () => {
    await post('one')
    await post('two')
    const verdict = await tester.get('/spaces/demo/verdict')
    expect([verdict.json.outcome, rulesIn(verdict)]).toEqual(['open', [['R04', 'open']]])
  })

  it('GET /_mock/spaces/{space}/verdict is certain once somebody says that the client has ended, and what was meant', async () => {
    await post('one')
    await post('two')
    const verdict = await tester.get('/spaces/demo/verdict?believes=sent&expected=1')
    expect(verdict.json.outcome).toBe('guilty')
    expect(rulesIn(verdict)).toContainEqual(['R04', 'guilty'])
    expect(verdict.json.harm.findings.map((it: Json) => it.kind)).toEqual(['DOUBLE'])
  })

  it('GET /_mock/spaces/{space}/verdict takes how many workers there were without any end', async () => {
    // Without a socket nothing shows that one worker made them.
    for (let nth = 0; nth < 3; nth++) await post('one')
    const { json } = await tester.get('/spaces/demo/verdict?workers=1')
    expect([json.harm.believes, rulesIn({ json })]).toEqual([null, [['R05', 'guilty']]])
    expect(rulesIn(await tester.get('/spaces/demo/verdict'))).toEqual([['R05', 'open']])
  })

  it('GET /_mock/spaces/{space}/verdict says what came of a redirect that was followed without the credentials', async () => {
    await tester.put('/spaces/demo/scenario', { name: 'redirect-307' })
    await post('one')
    const { json } = await tester.get('/spaces/demo/verdict')
    expect(json.hint).toBeUndefined()
    await tester.fetch(sendings, { method: 'POST' })
    expect((await tester.get('/spaces/demo/verdict')).json.hint).toBe(
      'r2-1 was redirected with 307, and the POST that followed came without credentials: the client saw 401 last. Do: Do not follow the redirect of a POST: treat it as an error.',
    )
  })

  it('GET /_mock/spaces/{space}/verdict says what a client that followed a redirect with a GET saw', async () => {
    await tester.put('/spaces/demo/scenario', { name: 'redirect-303' })
    await post('one')
    await tester.as('demo').get(sendings)
    const { json } = await tester.get('/spaces/demo/verdict?believes=not-sent')
    expect(json.findings.map((it: Json) => it.sentence)).toEqual([
      expect.stringContaining(
        'got 303, a GET followed (r2-2), which creates nothing and got 200, and the client',
      ),
    ])
  })

  it('GET /_mock/spaces/{space}/verdict says that no request named the space, or that its credentials were wrong', async () => {
    const hint = async () => (await tester.get('/spaces/demo/verdict')).json.hint
    expect(await hint()).toBe(
      'No request came to this space. Does the client call the address of this mock (its base URL, such as MAILING_SYNC_URL) with the user and password of this space, and does the test wait for it?',
    )
    await tester.as('stranger').post(sendings, {})
    const text = await (await tester.fetch('/_mock/spaces/demo/verdict?format=text')).text()
    expect(text).toContain(
      `1 request outside this space had missing or wrong credentials; the last one was POST ${sendings}. `,
    )
    const guess = (user: string) =>
      tester.fetch('/mailings', { headers: { authorization: `Basic ${btoa(`${user}:guess`)}` } })
    await guess('demo')
    await guess('demo+other') // Of another test's private space.
    expect(await hint()).toBe(
      '1 request had missing or wrong credentials; the last one was GET /mailings. 1 more was outside this space. Does the client use the user and the password of this space?',
    )
    await tester.as('demo').post(sendings, { transactionId: 'one' })
    expect(await hint()).toBeUndefined()
  })

  it('GET /_mock/spaces/{space}/verdict tells of a wrong password also where it came before the space was open', async () => {
    const other = await startTester()
    const answer = await other.fetch(sendings, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('demo:guess')}` },
    })
    expect(answer.status).toBe(401)
    const hint = async () => (await other.get('/spaces/demo/verdict')).json.hint
    expect(await hint()).toMatch(/^1 request had missing or wrong credentials; /)
    await other.post('/spaces/demo/reset')
    expect(await hint()).toMatch(/^No request came to this space\./)
    await other.close()
  })

  it('GET /_mock/spaces/{space}/verdict leaves open what a client was told of a sending that a snapshot brought back', async () => {
    await tester.delete('/spaces/demo/scenario')
    await post('one')
    await tester.put('/spaces/demo/snapshot', (await tester.get('/spaces/demo/snapshot')).json)
    expect((await post('one')).json.state).toBe('CREATED')
    const { json } = await tester.get('/spaces/demo/verdict?believes=sent&expected=1')
    expect([json.outcome, json.failure]).toEqual(['innocent', null])
    expect(json.harm.findings).toMatchObject([
      { kind: 'LOST', status: 'open', sentence: expect.stringMatching(/ as after a snapshot\.$/) },
    ])
  })

  it.each([
    ['that a mock with a time of its own begins', { now: '2031-05-06T07:08:09Z' }],
    ['that a snapshot with a time of its own restores', undefined],
  ])(
    'GET /_mock/spaces/{space}/verdict of a space %s knows that no request came before',
    async (_, options) => {
      const other = await startTester(options)
      onTestFinished(() => other.close())
      if (!options) await other.put('/spaces/demo/snapshot', (await other.get('/spaces/demo/snapshot')).json)
      expect((await other.get('/spaces/demo/verdict')).json.hint).toMatch(/^No request came to this space\./)
      expect(wordsOf((await look(other, '/spaces/demo')).text)).not.toContain('the mock was restarted')
    },
  )

  it.each([
    ['', 'append ?believes=sent&expected=1'],
    ['?format=text', 'append &believes=sent&expected=1'],
    ['?workers=1', 'append &believes=sent&expected=1'],
  ])('a verdict as text says what to append to an address that ends with "%s"', async (query, words) => {
    const other = await startTester()
    onTestFinished(() => other.close())
    await other.put('/spaces/demo/scenario', { name: 'reset-after' })
    await other
      .as('demo')
      .post(sendings, { transactionId: 'one' })
      .catch(() => {})
    const headers = { accept: 'text/plain' }
    const response = await other.fetch(`/_mock/spaces/demo/verdict${query}`, { headers })
    expect(await response.text()).toContain(`Tell the judge how the client ended: ${words}\n`)
  })

  it('GET /_mock/spaces/{space}/verdict tells how long it took to judge', async () => {
    const response = await tester.fetch('/_mock/spaces/demo/verdict')
    expect(response.headers.get('server-timing')).toMatch(/^judge;dur=\d+\.\d$/)
  })

  it('GET /_mock/spaces/{space}/verdict shows what was told and what was true for each attempt', async () => {
    await post('one')
    const { json } = await tester.get('/spaces/demo/verdict')
    expect(json.sendings).toMatchObject([
      {
        transactionIds: ['one'],
        sent: 1,
        attempts: [
          {
            told: { status: 200, state: 'INDETERMINATE_FAILURE' },
            truth: { state: 'INDETERMINATE_FAILURE' },
            effects: [{}],
          },
        ],
      },
    ])
  })

  it.each([
    ['?format=text', {}],
    ['', { accept: 'text/plain' }],
  ])('GET /_mock/spaces/{space}/verdict is text for a person (%s %o)', async (query, headers) => {
    await post('one')
    await post('two')
    const response = await tester.fetch(`/_mock/spaces/demo/verdict${query}`, { headers })
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(response.headers.get('server-timing')).toMatch(/^judge;dur=\d+\.\d$/)
    const text = await response.text()
    expect(text).toContain(
      'SUSPECTED: R04 is suspected: new transactionId after INDETERMINATE_FAILURE. It looks as if one mailing was sent twice.\n',
    )
    expect(text).toContain('R04 suspected: New transactionId after INDETERMINATE_FAILURE [3/4]')
  })

  it('GET /_mock/spaces/{space}/verdict names what was armed and never fired', async () => {
    const { json } = await tester.get('/spaces/demo/verdict')
    expect(json.unstruck).toEqual([{ what: 'scenario', name: 'indeterminate-sent', rule: null }])
  })

  it('GET /_mock/spaces/{space}/verdict is open about a record that somebody removed', async () => {
    await post('one')
    await tester.delete('/spaces/demo/requests')
    const { json } = await tester.get('/spaces/demo/verdict')
    expect([json.outcome, json.complete, json.missing]).toEqual(['open', false, 1])
    expect(json.loss).toMatch(/^1 request was removed from the record on purpose/)
  })

  it('GET /_mock/spaces/{space}/verdict refuses a belief that nobody can have', async () => {
    const { status, json } = await tester.get('/spaces/demo/verdict?believes=maybe')
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('believes')])
  })
})
