import { expect, test } from 'vitest'
import { farDate } from '../../src/contract/verify/test-data.ts'
import { now } from '../mock.ts'
import { type Lie, lying, type Twist, to } from './lies.ts'
import { mockTarget, sendTo, verified } from './mock-target.ts'

/** A service that loses the dates of sendings for which they are meant, so that it sends at once. */
const losing =
  (isMeant: (date: string) => boolean): Twist =>
  asked => {
    const { scheduleDate, ...body } = asked.body ?? {}
    const isLost = typeof scheduleDate === 'string' && isMeant(scheduleDate)
    return isLost ? { ...asked, body } : undefined
  }

/** What `verify` finds in a service, and how many mailings go out. */
async function verifiedAndSent(
  twist: Twist,
  options: Parameters<typeof verified>[1] = {},
  lie: Lie = () => {},
) {
  const { mock, fetch } = await mockTarget()
  const result = await verified(lying(fetch, lie, twist), { allowWrites: true, ...options })
  const { platformSendings } = mock.space().data.tables
  const all = [...platformSendings.changes()].map(({ row }) => row).filter(it => it.kind === 'list')
  const statusOf = (clause: string) => result.clauses.find(it => it.clause === clause)!
  return { result, sent: all.filter(it => it.startsAt >= now && it.startsAt < '2030').length, statusOf }
}

test('verify creates no second sending where the first one lost its date, and says what may have been sent', async () => {
  const { result, sent, statusOf } = await verifiedAndSent(losing(() => true))
  expect(sent).toBe(1)
  expect(
    result.created.filter(it => it.endsWith('scheduleDate is null: it may have been sent')),
  ).toHaveLength(1)
  expect(statusOf('4.1 scheduleDate').status).toBe('differs')
  expect(statusOf('4.1/3').reason).toMatch('name a list with --send-to')
})

const echoing = to('POST', /\/sendings$/, (told, { body }) => {
  if (told.status < 300) told.json.scheduleDate = body.scheduleDate
})
const keeping = to('GET', /\/sendings(\/[^/]+)?(\?|$)/, ({ json }) => {
  for (const it of [json, ...(json._embedded?.['svc:sendings'] ?? [])])
    if (it.transactionId?.startsWith('verify-')) it.scheduleDate = farDate
})

test.each<[string, string, Lie]>([
  ['shows null when read', 'its scheduleDate is null', echoing],
  [
    'shows it when read',
    'its startDate is "20',
    (...args) => {
      echoing(...args)
      keeping(...args)
    },
  ],
])(
  'verify creates no second sending where the first one lost its date, but repeats it and %s',
  async (_, seen, lie) => {
    const { result, sent } = await verifiedAndSent(
      losing(() => true),
      {},
      lie,
    )
    expect(sent).toBe(1)
    expect(result.created.filter(it => it.includes(seen))).toHaveLength(1)
  },
)

test('verify creates no more sendings once the first one has started without regard to its date', async () => {
  const { fetch } = await mockTarget()
  let created = 0
  const starting: Lie = (...args) => {
    keeping(...args)
    to('POST', /\/sendings$/, ({ status }) => {
      if (status < 300) created++
    })(...args)
    to('GET', /\/statistics$/, ({ json }) => {
      if (created >= 8) json.sendingStatistics.startDate = now
    })(...args)
  }
  const { created: told } = await verified(lying(fetch, starting), { allowWrites: true })
  expect(created).toBe(8)
  expect(told.filter(it => it.endsWith('it may have been sent'))).toHaveLength(1)
})

test('verify sends nothing where only bad dates are lost, unless a list is named', async () => {
  const isBad = (date: string) =>
    !/^209\d-[\d-]+T[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(date) || date.includes('02-30')
  const { sent, statusOf } = await verifiedAndSent(losing(isBad))
  expect(sent).toBe(0)
  expect(['7/2', '2 date-time in'].map(it => statusOf(it).reason)).toEqual(
    Array(2).fill('it could be sent at once: name a list with --send-to'),
  )
  const named = await verifiedAndSent(losing(isBad), { sendTo })
  expect(['7/2', '2 date-time in'].map(it => named.statusOf(it).status)).toEqual(['differs', 'differs'])
})

test('bad dates are seen to be refused without a list to send to', async () => {
  const { sent, statusOf } = await verifiedAndSent(it => it)
  expect(['7/2', '2 date-time in'].map(it => statusOf(it).status)).toEqual(['holds', 'holds'])
  expect(sent).toBe(0)
})
