import { expect, test } from 'vitest'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import { createMock } from '../../src/lib/create-mock.ts'
import { type DialValues, profileNames, profiles } from '../../src/service/dials.ts'
import { undisturbed } from '../pull/pulling.ts'
import { answer } from './answers.ts'
import { mockTarget, sendTo, verified, withDials } from './mock-target.ts'

/**
 * A service made from its public documentation alone: milliseconds are mandatory in date-times, all links of a
 * synchronization are shown always, and a further upload brings the first one up to date.
 */
async function documentedService(): Promise<Fetch> {
  const { fetch } = await withDials({
    'repeated-upload': 'updates',
    'draft-preview-link': 'always',
    'approved-preview-link': 'always',
  })
  return async (url, init) => {
    const { scheduleDate } =
      typeof init.body === 'string' && init.body.startsWith('{') ? safely(init.body) : ({} as never)
    if (typeof scheduleDate !== 'string' || /\.\d{3}(?:Z|[+-]\d\d:\d\d)$/.test(scheduleDate))
      return fetch(url, init)
    const refusal = { type: '/problems/invalid', title: 'Invalid input', status: 400, generalErrors: [] }
    const invalidFields = [{ field: 'scheduleDate', problem: 'expected milliseconds' }]
    const body = JSON.stringify({ ...refusal, invalidFields, _links: {} })
    return answer(400, { 'content-type': 'application/problem+json' }, body)
  }
}

function safely(body: string): { scheduleDate?: unknown } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

test('a service made from the public documentation differs in nothing, and the mock can be set like it', async () => {
  const found = await verified(await documentedService(), { allowWrites: true, sendTo })
  expect(failures(found).map(it => [it.clause, it.expected, it.seen])).toEqual([])
  expect(found.config).toEqual({
    dial: {
      'repeated-upload': 'updates',
      'date-time-in': 'fraction-required',
      'draft-preview-link': 'always',
      'approved-preview-link': 'always',
    },
  })

  const alike = await withDials(found.config.dial as Partial<DialValues>)
  const expected = { dials: found.config.dial as Partial<DialValues> }
  const mock = await verified(alike.fetch, { allowWrites: true, sendTo, expected })
  expect(choices(mock)).toEqual([])
  expect(mock.verdict).toBe('faithful')
})

test.each([{}, { allowWrites: true }, { allowWrites: true, sendTo }])(
  'S default order, S sendings order: an order of insertion that does not follow creationDate is right: %o',
  async options => {
    const { fetch } = await mockTarget({
      fixture: base => {
        const fixture = undisturbed(base)
        const exchange = <Row extends { creationDate: string }>(
          rows: readonly Row[],
          one: number,
          other: number,
        ) =>
          rows.with(one, { ...rows[one]!, creationDate: rows[other]!.creationDate }).with(other, {
            ...rows[other]!,
            creationDate: rows[one]!.creationDate,
          })
        return {
          ...fixture,
          synchronizations: exchange(fixture.synchronizations, 1, 4),
          // Of one synchronization, whose last sending is CREATED.
          sendings: exchange(fixture.sendings, 3, 5),
        }
      },
    })
    const found = await verified(fetch, options)
    expect(failures(found).map(it => [it.clause, it.expected, it.seen])).toEqual([])
    expect([found.verdict, found.config]).toEqual(['faithful', { dial: {} }])
  },
)

test('statistics are looked at where no date of a synchronization tells of sendings, with --send-to too', async () => {
  const { fetch } = await withDials({})
  const blind: Fetch = async (url, init) => {
    const response = await fetch(url, init)
    const text = await response.text()
    const { status, headers } = response
    return new Response(
      text === ''
        ? null
        : text.replaceAll(/"sendingsModificationDate":"[^"]*"/g, '"sendingsModificationDate":null'),
      { status, headers },
    )
  }
  for (const options of [{}, { sendTo }]) {
    const found = await verified(blind, { allowWrites: true, ...options })
    const ofStatistics = found.clauses.filter(it => it.clause.startsWith('2.5'))
    expect(ofStatistics.filter(it => it.status === 'not testable').map(it => it.clause)).toEqual([])
  }
})

test.each(profileNames)('verify finds the dials of profile %s, and nothing that differs', async name => {
  const turned: Partial<DialValues> = profiles[name].dials
  const { fetch } = await withDials(turned)
  const found = await verified(fetch, { allowWrites: true, sendTo })
  expect(failures(found).map(it => [it.clause, it.expected, it.seen])).toEqual([])
  expect(found.verdict).toBe('faithful')
  expect({ ...turned, ...found.config.dial }).toEqual(turned)
})

test('createMock takes a profile, and a single dial beside it has precedence', async () => {
  const mock = await createMock({ profile: 'documented', dials: { 'rate-limit': 'off' } })
  try {
    const { effective } = await mock.control.space('demo').dials()
    expect(effective).toMatchObject({ ...profiles.documented.dials, 'rate-limit': 'off' })
  } finally {
    await mock.close()
  }
})
