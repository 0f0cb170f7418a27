import { describe, expect, it } from 'vitest'
import { ids, now, startMock, synchronizationPath } from '../../mock.ts'
import { onCreate, staged } from '../stage.ts'
import { journalCalls } from './journal-calls.ts'

const nothing = { sent: 0, scheduled: 0, stopped: 0, orphans: 0, byTransaction: [] }

describe('the platform', () => {
  it('the platform has nothing to show of a space in which nothing was sent, unless the fixture is asked for', async () => {
    const { platform } = journalCalls(await startMock())
    expect(await platform()).toMatchObject({ summary: nothing, mailings: [], sendings: [] })
    expect((await platform({ seeded: 'true' })).sendings.length).toBeGreaterThan(0)
  })

  it('the platform shows what went out: when, to how many, for which sending, by which request', async () => {
    const { mock, act } = await staged([])
    const { json } = await act.post({ transactionId: 'order:1', name: 'A name', subject: 'A subject' })
    const { summary, mailings, sendings } = await journalCalls(mock).platform()
    const belonging = {
      synchronizationId: ids.ready,
      transactionId: 'order:1',
      sendingId: json.id,
      cause: 'r0-1',
    }
    expect(mailings).toMatchObject([
      {
        platformMailingId: json.target.mailingId,
        origin: 'sending',
        isOrphan: false,
        name: 'A name',
        subject: 'A subject',
        createdAt: now,
        approvedAt: now,
        ...belonging,
      },
    ])
    expect(sendings).toMatchObject([
      {
        platformSendingId: json.target.sendingId,
        platformMailingId: json.target.mailingId,
        kind: 'list',
        status: 'sent',
        subject: 'A subject',
        startsAt: now,
        ...belonging,
      },
    ])
    expect(summary).toEqual({
      sent: 1,
      scheduled: 0,
      stopped: 0,
      orphans: 0,
      byTransaction: [
        {
          synchronizationId: ids.ready,
          transactionId: 'order:1',
          sent: 1,
          scheduled: 0,
          stopped: 0,
          orphans: 0,
        },
      ],
    })
  })

  it('the platform shows only what its schema names, whatever else a row has', async () => {
    const { mock, act } = await staged([])
    await act.post({ transactionId: 'order:1' })
    const { data } = mock.space()
    const { platformMailings, platformSendings } = data.tables
    const withNote = <Row extends object>({ row }: { row: Row }) => ({ ...row, note: 'of a later version' })
    await data.save({
      platformMailings: [...platformMailings.changes()].map(withNote),
      platformSendings: [...platformSendings.changes()].map(withNote),
    })
    const { mailings, sendings } = await journalCalls(mock).platform()
    expect([mailings.length, sendings.length]).toEqual([1, 1])
    expect(JSON.stringify([mailings, sendings])).not.toContain('of a later version')
  })

  it('the platform shows that a client which changed the transaction ID sent twice', async () => {
    const { mock, act } = await staged([onCreate([{ phase: 'after', answer: { status: 504 } }])])
    await act.post({ transactionId: 'a' })
    await act.post({ transactionId: 'b' })
    expect((await journalCalls(mock).platform()).summary.sent).toBe(2)
  })

  it('the platform shows one sending however often its transaction ID was repeated', async () => {
    const { mock, act } = await staged([])
    for (let n = 0; n < 3; n++) await act.post({ transactionId: 'a' })
    expect((await journalCalls(mock).platform()).summary).toMatchObject({
      sent: 1,
      byTransaction: [{ sent: 1 }],
    })
  })

  it('the platform tells what is scheduled from what has gone out, as the clock goes on', async () => {
    const { mock, act } = await staged([])
    await act.post({ scheduleDate: '2026-11-01T11:00:00Z' })
    const { platform } = journalCalls(mock)
    expect(await platform()).toMatchObject({
      summary: { sent: 0, scheduled: 1 },
      sendings: [{ status: 'scheduled', startsAt: '2026-11-01T11:00:00.000Z' }],
    })
    mock.clock.advance(3_600_000)
    expect((await platform()).summary).toMatchObject({ sent: 1, scheduled: 0 })
  })

  it('the platform has put on record what has fallen due, though nobody asked for the sending', async () => {
    const { mock, act } = await staged([onCreate([{ state: 'PENDING', for: '1m' }, { state: 'CREATED' }])])
    await act.post({ transactionId: 'a' })
    const { platform } = journalCalls(mock)
    expect((await platform()).summary.sent).toBe(0)
    mock.clock.advance(60_000)
    expect(await platform()).toMatchObject({
      summary: { sent: 1 },
      sendings: [{ requestedAt: '2026-11-01T10:01:00.000Z', cause: 'r0-1' }],
    })
  })

  it('the platform marks a mailing that was made for a sending and never sent', async () => {
    const { mock, act } = await staged([onCreate([{ phase: 'partial' }])])
    await act.post({ transactionId: 'a' })
    expect(await journalCalls(mock).platform()).toMatchObject({
      summary: { sent: 0, orphans: 1, byTransaction: [{ transactionId: 'a', orphans: 1 }] },
      mailings: [{ isOrphan: true, synchronizationId: ids.ready }],
    })
  })

  it('the platform marks no mailing that its plan will still send', async () => {
    const { mock, act } = await staged([
      onCreate([{ phase: 'partial', state: 'PENDING', for: '1m' }, { state: 'CREATED' }]),
    ])
    await act.post({ transactionId: 'a' })
    const { platform } = journalCalls(mock)
    expect((await platform()).mailings).toMatchObject([{ isOrphan: false, approvedAt: null }])
    mock.clock.advance(60_000)
    expect((await platform()).summary).toMatchObject({ sent: 1, orphans: 0 })
  })

  it('the platform knows the synchronization of a mailing that no sending was made of, by its request', async () => {
    const { mock, act } = await staged([onCreate([{ phase: 'partial' }])])
    expect((await act.post({})).status).toBe(500)
    expect((await journalCalls(mock).platform()).mailings).toMatchObject([
      { isOrphan: true, synchronizationId: ids.ready, transactionId: null, sendingId: null },
    ])
  })

  it('the platform shows uploads and test sendings, and counts neither as sent nor as orphans', async () => {
    const mock = await startMock()
    await mock.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'), {})
    const path = synchronizationPath(ids.ready, '/test-sendings')
    expect(
      (await mock.as('demo').post(path, { recipientAddresses: ['ann@example.com'] })).status,
    ).toBeLessThan(300)
    const { summary, mailings, sendings } = await journalCalls(mock).platform()
    expect(mailings[0]).toMatchObject({
      origin: 'mailing-upload',
      isOrphan: false,
      synchronizationId: ids.ready,
    })
    expect(summary).toEqual(nothing)
    expect(sendings).toMatchObject([
      { kind: 'test', addresses: ['ann@example.com'], synchronizationId: ids.ready },
    ])
  })

  it('the platform shows the latest of many, and sums up all of them', async () => {
    const { mock, act } = await staged([])
    for (const transactionId of ['a', 'b', 'c']) await act.post({ transactionId })
    const { complete, summary, mailings, sendings } = await journalCalls(mock).platform({ limit: 2 })
    expect([complete, summary.sent]).toEqual([false, 3])
    for (const rows of [summary.byTransaction, mailings, sendings])
      expect(rows.map((row: { transactionId: string }) => row.transactionId)).toEqual(['b', 'c'])
    expect((await journalCalls(mock).platform({ limit: 3 })).complete).toBe(true)
  })

  it.each([
    ['a synchronization', { synchronizationId: ids.both }, 1],
    ['a transaction ID', { transactionId: 'a' }, 2],
    ['both', { synchronizationId: ids.both, transactionId: 'a' }, 1],
    ['what nobody sent', { transactionId: 'b' }, 0],
  ])('the platform can be asked for %s', async (_, query: Record<string, string>, count) => {
    const mock = await startMock()
    for (const id of [ids.ready, ids.both])
      await mock.as('demo').post(synchronizationPath(id, '/sendings'), { transactionId: 'a' })
    const json = await journalCalls(mock).platform(query)
    expect([json.summary.sent, json.mailings.length, json.sendings.length]).toEqual([count, count, count])
  })
})
