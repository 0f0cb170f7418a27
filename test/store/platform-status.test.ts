import { describe, expect, it } from 'vitest'
import {
  countStatuses,
  goesToList,
  hasGoneToList,
  platformStatuses,
  statusOfSending,
} from '../../src/store/platform-status.ts'
import type { PlatformSending } from '../../src/store/rows.ts'

const start = Date.parse('2026-11-01T10:00:00.000Z')

const row: PlatformSending = {
  id: 500_001,
  platformMailingId: 100_001,
  kind: 'list',
  recipients: 10,
  addresses: null,
  requestedAt: '2026-11-01T09:00:00.000Z',
  startsAt: new Date(start).toISOString(),
  cause: 'r0-1',
}

describe('what has become of a sending on the platform', () => {
  it('a platform sending is scheduled until the clock has reached its start, and sent from then on', () => {
    expect([start - 1, start, start + 1].map(at => statusOfSending(row, at))).toEqual([
      'scheduled',
      'sent',
      'sent',
    ])
  })

  it('4.1/1: a platform sending that was stopped is stopped from then on, and never sent', () => {
    const early = { ...row, stoppedAt: row.requestedAt }
    const late = { ...row, stoppedAt: row.startsAt }
    expect([start - 1, start].map(at => statusOfSending(early, at))).toEqual(['stopped', 'stopped'])
    expect([start - 1, start].map(at => statusOfSending(late, at))).toEqual(['scheduled', 'stopped'])
  })

  it('a platform sending to a list counts as a mailing whether it has gone out or goes out later', () => {
    const outcomes = platformStatuses.map(status => ({ kind: 'list' as const, status }))
    expect(outcomes.filter(goesToList).map(({ status }) => status)).toEqual(['sent', 'scheduled'])
    expect(outcomes.filter(hasGoneToList).map(({ status }) => status)).toEqual(['sent'])
  })

  it('a test sending never counts as a mailing to a list', () => {
    const outcomes = platformStatuses.map(status => ({ kind: 'test' as const, status }))
    expect(outcomes.filter(it => goesToList(it) || hasGoneToList(it))).toEqual([])
  })

  it('platform sendings are counted by what has become of them, statuses without any included', () => {
    expect(countStatuses(['sent', 'sent'])).toEqual({ sent: 2, scheduled: 0, stopped: 0 })
  })
})
