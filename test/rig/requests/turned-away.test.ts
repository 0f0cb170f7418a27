import { describe, expect, it } from 'vitest'
import { basic, startMock } from '../../mock.ts'
import { idsIn, journalCalls } from './journal-calls.ts'

const wrong = { authorization: basic('demo', 'wrong') }

describe('a request that is not let in', () => {
  it('a request that is not let in is on record in the space of the user that it names, without its password', async () => {
    const mock = await startMock()
    const { status } = await mock.as('demo').get('/mailings', wrong)
    const { list, get } = journalCalls(mock)
    expect(status).toBe(401)
    expect(await get()).toMatchObject({
      user: 'demo',
      operation: 'listMailings',
      delivered: 'handed',
      truth: null,
      told: { status: 401 },
      headers: { authorization: 'Basic (hidden)' },
    })
    expect(JSON.stringify(await list())).not.toContain(wrong.authorization.slice(6))
  })

  it('a request that is not let in is found by the ID that its answer tells, as far as it is of the space', async () => {
    const mock = await startMock({ hints: true })
    await mock.as('demo').get('/mailings')
    const { headers } = await mock.as('demo').get('/mailings', wrong)
    const other = await mock.as('demo').get('/mailings', { authorization: basic('nobody', 'wrong') })
    const { call, get } = journalCalls(mock)
    expect((await get(headers.get('x-mock-request-id')!)).id).toBe('r0-2')
    expect((await call('GET', `/requests/${other.headers.get('x-mock-request-id')}`)).status).toBe(404)
  })

  it('a request that is not let in has not been in the space: nothing of it is read or struck', async () => {
    const mock = await startMock()
    await mock
      .as('demo')
      .post('/mailings', { name: 'a' }, { ...wrong, 'x-mock-scenario': 'none-of-this-name' })
    expect(await journalCalls(mock).get()).toMatchObject({
      body: null,
      read: null,
      decision: null,
      effects: [],
    })
  })

  it.each([
    ['an unknown user', basic('nobody', 'wrong')],
    ['a private space that is not open', basic('demo+new', 'wrong')],
    ['nobody', 'Basic !!!'],
  ])(
    'a request that is not let in is on record nowhere when it names %s, and opens nothing',
    async (_, authorization) => {
      const mock = await startMock()
      expect((await mock.as('demo').get('/mailings', { authorization })).status).toBe(401)
      expect(idsIn(await journalCalls(mock).list())).toEqual([])
      expect(mock.spaces.names()).toEqual(['demo'])
    },
  )

  it('a request that is not let in gets the answer that everybody gets, whether or not there is such a user', async () => {
    const mock = await startMock({ hints: true })
    const answers = await Promise.all(
      [wrong.authorization, basic('nobody', 'wrong')].map(authorization =>
        mock.as('demo').get('/mailings', { authorization }),
      ),
    )
    // IDs are given in the order of arrival, whoever asks.
    const [known, unknown] = answers.map(({ status, text, headers }) => [
      status,
      text,
      [...headers].filter(([name]) => name !== 'x-mock-request-id'),
    ])
    expect(known).toEqual(unknown)
  })

  it('a request that is not let in does not keep the one after it out', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings', wrong)
    expect((await mock.as('demo').get('/mailings')).status).toBe(200)
    expect(idsIn(await journalCalls(mock).list())).toEqual(['r0-1', 'r0-2'])
  })
})
