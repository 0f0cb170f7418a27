import { describe, expect, it } from 'vitest'
import type { Attempt } from '../../src/judge/attempt.ts'
import type { Evidence } from '../../src/judge/evidence.ts'
import { judge } from '../../src/judge/verdict.ts'
import { accusedIn, over, trial, unknown } from './stage.ts'

const minute = 60_000
const told = (...steps: object[]) => [{ on: 'createSending', per: 'client-request', steps }]

/** A client that repeats the same transaction ID this often after it was told this. */
async function repeatsAfter(state: object, repeats: number): Promise<Evidence> {
  const client = await trial(told(state))
  for (let nth = 0; nth <= repeats; nth++) {
    await client.post({ transactionId: 'one' })
    client.wait(minute)
  }
  return client.evidence()
}

describe('a client that was frozen while the answer was on its way, drops it unread and repeats', () => {
  it.each([
    ['R06', { state: 'FAILED' }],
    ['R05', { state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
  ])('%s is open for one repeat on another connection', async (rule, state) => {
    const evidence = over(await repeatsAfter(state, 1), { took: 5, connections: [1, 2], pause: minute })
    expect(accusedIn(judge(evidence, unknown))).toEqual([`${rule} open`])
  })

  it.each([
    ['R06', { state: 'FAILED' }, [1, 2, 3]],
    ['R05', { state: 'INDETERMINATE_FAILURE', truth: 'sent' }, [1, 2, 3]],
  ])('%s is guilty for two repeats', async (rule, state, connections) => {
    const evidence = over(await repeatsAfter(state, 2), { took: 5, connections, pause: minute })
    expect(accusedIn(judge(evidence, unknown))).toContain(`${rule} guilty`)
  })

  it.each([
    ['R06', { state: 'FAILED' }],
    ['R05', { state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
  ])(
    '%s is open for one repeat that the HTTP library sends again as its connection breaks',
    async (rule, state) => {
      const client = await trial(told({ ...state, times: 1 }, { ...state, answer: { fault: 'reset' } }))
      await client.post({ transactionId: 'one' })
      client.wait(minute)
      for (let nth = 0; nth < 2; nth++) await client.post({ transactionId: 'one' })
      const evidence = over(await client.evidence(), { took: 5, connections: [1, 2, 3], pause: [minute, 5] })
      expect(accusedIn(judge(evidence, unknown))).toEqual([`${rule} open`])
    },
  )

  const refused = { phase: 'before', answer: { status: 400, by: 'service' } }
  const later = { phase: 'before', answer: { status: 503, retryAfter: 600 } }

  it.each([
    ['R14', refused],
    ['R18', later],
  ])('%s is open for one repeat on another connection, and guilty for two', async (rule, step) => {
    const wire = { took: 5, connections: [1, 2, 3], pause: minute }
    const statuses = []
    for (const repeats of [1, 2])
      statuses.push(accusedIn(judge(over(await repeatsAfter(step, repeats), wire), unknown)))
    expect(statuses[0]).toContain(`${rule} open`)
    expect(statuses[1]).toContain(`${rule} guilty`)
  })

  it.each(['FAILED', 'INDETERMINATE_FAILURE'])(
    'a repeat after %s is nothing where a reset shows that the answer was not read',
    async state => {
      const answers = { state, ...(state !== 'FAILED' && { truth: 'sent' }) }
      const evidence = over(await repeatsAfter(answers, 2), {
        took: 5,
        connections: [1, 2, 3],
        pause: minute,
      })
      const attempts = evidence.attempts.map((attempt): Attempt => ({ ...attempt, isUnread: true }))
      expect(accusedIn(judge({ ...evidence, attempts }, unknown))).toEqual([])
    },
  )

  it('R06 is guilty for one repeat on the connection that brought the answer', async () => {
    const evidence = over(await repeatsAfter({ state: 'FAILED' }, 1), {
      took: 5,
      connections: [1, 1],
      pause: minute,
    })
    expect(accusedIn(judge(evidence, unknown))).toContain('R06 guilty')
  })
})

describe('a client behind a proxy', () => {
  it.each([
    ['R06', { state: 'FAILED' }],
    ['R05', { state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
  ])('%s is open, also for two repeats on one connection, which is the proxy’s', async (rule, state) => {
    const evidence = over(await repeatsAfter(state, 2), {
      took: 5,
      connections: [1, 1, 1],
      pause: minute,
    })
    const attempts = evidence.attempts.map((attempt): Attempt => ({ ...attempt, isProxied: true }))
    expect(accusedIn(judge({ ...evidence, attempts }, unknown))).toEqual([`${rule} open`])
  })
})

describe('an attempt that overlaps the earlier one', () => {
  /** Two attempts, the second one a second before the first is answered. */
  async function overlapping(isProxied: boolean) {
    const client = await trial(told({ delay: '3s' }, { state: 'CREATED' }))
    const first = client.ask({ transactionId: 'one' })
    await first
    client.wait(2_000)
    const second = await client.ask({ transactionId: 'one' })
    client.wait(5_000)
    await (await first).answer
    await second.answer
    const evidence = await client.evidence()
    const attempts = evidence.attempts.map((attempt): Attempt => ({ ...attempt, isProxied }))
    return judge({ ...evidence, attempts }, unknown).findings.find(({ rule }) => rule === 'R17')
  }

  it('R17 is guilty where the client is connected directly', async () => {
    expect(await overlapping(false)).toMatchObject({ status: 'guilty' })
  })

  it('R17 is open behind a proxy, and the sentence says that it need not pass on that a client left', async () => {
    expect(await overlapping(true)).toMatchObject({
      status: 'open',
      sentence: expect.stringContaining('It came through a proxy'),
    })
  })

  it.each([
    ['open where its client left it a moment later: a busy machine may have noticed that late', 300, 'open'],
    ['guilty where its client left it a second later', 1_000, 'guilty'],
  ])('R17 is %s', async (_, lateness, status) => {
    const client = await trial(told({ hold: 'first', times: 1 }, { state: 'CREATED' }))
    const { leave } = await client.ask({ transactionId: 'one' })
    client.wait(30_000)
    await client.post({ transactionId: 'one' })
    client.wait(lateness)
    await leave()
    const evidence = await client.evidence()
    const attempts = evidence.attempts.map((attempt, at): Attempt => ({ ...attempt, connection: at + 1 }))
    const found = judge({ ...evidence, attempts }, unknown).findings.find(({ rule }) => rule === 'R17')
    expect(found).toMatchObject({ status })
  })

  it.each(['via', 'forwarded', 'x-forwarded-for'])('the judge sees a proxy by the header %s', async name => {
    const { mock, evidence } = await trial()
    await mock.as('demo').send('GET', '/', { headers: { [name]: 'a' } })
    expect((await evidence()).attempts[0]).toMatchObject({ isProxied: true })
  })
})
