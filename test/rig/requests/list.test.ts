import { describe, expect, it } from 'vitest'
import { Journal } from '../../../src/rig/journal.ts'
import { MemoryBudget } from '../../../src/store/memory-budget.ts'
import { ids, jsonOf, startMock, synchronizationPath, type TestMock } from '../../mock.ts'
import { onCreate, staged } from '../stage.ts'
import { idsIn, journalCalls } from './journal-calls.ts'

/** Seven requests: 1 and 2 create with one ID, 3 is disturbed, 4 is refused, 5 is of another synchronization, 6 and 7 read. */
async function visited() {
  const { mock, act } = await staged([
    onCreate([{ phase: 'before', answer: { status: 503 } }], {
      when: { transactionId: { equals: 'order:3' } },
    }),
  ])
  await act.post({ transactionId: 'order:1' })
  await act.post({ transactionId: 'order:1' })
  await act.post({ transactionId: 'order:3' })
  await act.post({ transactionId: 'not possible' })
  await mock.as('demo').post(synchronizationPath(ids.both, '/sendings'), { transactionId: 'other:5' })
  await mock.as('demo').get('/mailings')
  await mock.as('demo').get('/mailings/nothing')
  return { mock, ...journalCalls(mock) }
}

const numbersIn = (json: Parameters<typeof idsIn>[0]) => idsIn(json).map(id => Number(id.split('-')[1]))

describe('the list of requests', () => {
  it.each([
    ['an operation', { operation: 'createSending' }, [1, 2, 3, 4, 5]],
    ['a status', { status: '201' }, [1, 5]],
    ['a class of statuses', { status: '4xx' }, [4, 7]],
    ['a transaction ID', { transactionId: 'order:1' }, [1, 2]],
    ['the beginning of transaction IDs', { transactionId: 'order:*' }, [1, 2, 3]],
    ['a synchronization', { synchronizationId: ids.both }, [5]],
    ['how the answer left', { delivered: 'handed' }, [1, 2, 3, 4, 5, 6, 7]],
    ['how no answer left', { delivered: 'cut' }, []],
    ['the scenario that fired', { scenario: 'a-test' }, [3]],
    ['a scenario that did not', { scenario: 'hang-after' }, []],
    ['what came later, by number', { since: 5 }, [6, 7]],
    ['what came before, by number', { before: 3 }, [1, 2]],
    ['several things at once', { operation: 'createSending', status: '2xx', since: 1, before: 5 }, [2]],
    ['text that would be a pattern elsewhere', { transactionId: '(a+)+$' }, []],
    ['nothing in particular', {}, [1, 2, 3, 4, 5, 6, 7]],
    ['the newest first', { order: 'newest' }, [7, 6, 5, 4, 3, 2, 1]],
  ])(
    'the list of requests can be asked for %s',
    async (_, query: Record<string, string | number>, expected) => {
      const { list } = await visited()
      const json = await list(query)
      expect(numbersIn(json)).toEqual(expected)
      expect([json.count, json.dropped, json.complete]).toEqual([expected.length, 0, true])
    },
  )

  it.each([
    ['withheld', { fault: 'reset' }, 'none'],
    ['cut', { fault: 'truncate' }, 'cut'],
  ])(
    'the list of requests finds a response that was %s by how it left, not by its status',
    async (_, answer, delivered) => {
      const { mock, act } = await staged([onCreate([{ phase: 'after', answer }, {}])])
      await act.post({ transactionId: 'T' }).catch(() => {})
      await act.post({ transactionId: 'another' }, { 'x-mock-scenario': 'happy-path' })
      const { list } = journalCalls(mock)
      expect((await list({ delivered }))._embedded.requests).toMatchObject([
        { number: 1, told: { status: 201 } },
      ])
      expect(numbersIn(await list({ status: '2xx' }))).toEqual([2])
    },
  )

  it('the list of requests can be asked for what came after a request by its ID', async () => {
    const { mock, list } = await visited()
    const fifth = mock.rig().journal.entries()[4]!.id
    expect(numbersIn(await list({ since: fifth }))).toEqual([6, 7])
  })

  it.each(['oldest', 'newest'])(
    'the list of requests is cut at its limit, and links lead through all of it, %s first',
    async order => {
      const { mock, list } = await visited()
      const all = numbersIn(await list({ order }))
      const walked: number[] = []
      let page = await list({ order, limit: 3, status: '2xx' })
      expect(page.count).toBe(4)
      for (;;) {
        walked.push(...numbersIn(page))
        if (!page._links.next) break
        page = await jsonOf(await mock.fetch(new Request(page._links.next.href)))
      }
      expect(walked).toEqual(all.filter(number => [1, 2, 5, 6].includes(number)))
    },
  )

  it.each([
    ['an operation that there is not', { operation: 'createSendings' }, /operation.*createSending/],
    ['a status that is none', { status: '2x' }, /expected a status such as 201/],
    ['no limit', { limit: 0 }, /from 1 to 1000/],
    ['a limit that is too high', { limit: 1001 }, /from 1 to 1000/],
    ['a filter that there is not', { state: 'open' }, /state/],
    ['a request that is not on record', { since: 'r9-9' }, /no request r9-9/],
    ['what is no position', { since: 'yesterday' }, /expected a number of a request/],
    ['an unknown way of leaving', { delivered: 'gone' }, /aborted/],
  ])('with %s is refused, and the answer tells what is possible', async (_, query, sentence) => {
    const mock = await startMock()
    const response = await journalCalls(mock).call(
      'GET',
      `/requests?${new URLSearchParams(query as unknown as Record<string, string>)}`,
    )
    expect(response.status).toBe(400)
    expect(await response.text()).toMatch(sentence)
  })

  it('the list of requests is empty after it was cleared; numbers go on, and what was brought about stays', async () => {
    const { mock, call, list, platform } = await visited()
    expect((await call('DELETE', '/requests')).status).toBe(204)
    expect(await list()).toMatchObject({ count: 0, dropped: 0, complete: true })
    expect((await platform()).summary.sent).toBe(2)
    await mock.as('demo').get('/mailings')
    expect((await list())._embedded.requests).toMatchObject([{ number: 8 }])
  })

  it('the list of requests tells how many had to make room, and whether all are there that were asked for', async () => {
    const mock = await startMock()
    const { list } = journalCalls(mock)
    keepOnly(mock, 3)
    for (let n = 0; n < 5; n++) await mock.as('demo').get('/mailings')
    const json = await list()
    expect(numbersIn(json)).toEqual([3, 4, 5])
    expect([json.dropped, json.complete]).toEqual([2, false])
    expect((await list({ since: 2 })).complete).toBe(true)
    expect((await list({ since: 1 })).complete).toBe(false)
  })

  it('the list of requests is that of its space alone', async () => {
    const mock = await startMock()
    await mock.as('demo+a').get('/mailings')
    expect((await journalCalls(mock, 'demo+a').list()).count).toBe(1)
    expect((await journalCalls(mock).list()).count).toBe(0)
  })
})

/** Makes the journal of the space small: as many entries as a test can look at. */
function keepOnly(mock: TestMock, entries: number): void {
  const rig = mock.rig()
  const account = new MemoryBudget().share('journals')
  Object.assign(rig, { journal: new Journal({ entries, bytes: 1 << 20 }, account) })
}
