import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { describeRefusal } from '../../../src/contract/openapi/responses.ts'
import { serviceDocument } from '../../../src/contract/openapi/service-document.ts'
import { type DialName, dialNames, dials, withDials } from '../../../src/service/dials.ts'
import type { Json } from '../../mock.ts'

const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
const documentOf = (turned: Parameters<typeof withDials>[0] = {}): Json => {
  const { 'x-dials': _, ...document } = serviceDocument(
    { names, dials: withDials(turned) },
    'http://localhost',
  )
  return JSON.parse(JSON.stringify(document))
}
const usual = documentOf()

/** These choose what is done, or in which order, and every answer keeps its form. */
const withoutForm: ReadonlySet<DialName> = new Set([
  'permitted-lists-order',
  'ignored-permitted-lists',
  'collection-order',
  'cursor-expiry',
  'sync-token-expiry',
  'unknown-members', // The document is open anyway.
  'statistics-before-start', // A 404 is described for the synchronization that there is not.
  'transaction-expiry',
  'rejected-transaction',
  'repeat-after-500-status',
  'rate-limit', // Described as what may be there.
  'synchronization-modified-by',
  'incremental-rounds',
  'target-of-indeterminate',
  'created-without-id-status', // A 200 is described for repeats.
  'repeat-validation',
  'repeated-upload',
  'unknown-permitted-list',
  'repeated-permitted-list',
  'bare-flags',
  'boolean-letters',
  'repeated-parameters',
  'blanks-in-lists',
  'date-header',
])

const turns = dialNames.flatMap(name =>
  Object.keys(dials[name].values)
    .filter(value => value !== dials[name].default)
    .map(value => [name, value] as const),
)

describe('a turned dial', () => {
  it.each(turns)('%s %s shows in the document where it changes the form of an answer', (name, value) => {
    const turned = documentOf({ [name]: value })
    const isSame = isDeepStrictEqual(turned, usual)
    const remedy = isSame
      ? 'describe what it changes, or, if it changes only values, add it to `withoutForm` above'
      : 'it changes the document: remove it from `withoutForm` above'
    expect(isSame, `dial ${name}: ${remedy}`).toBe(withoutForm.has(name))
  })

  it.each(dialNames)('%s is named at the points that it turns', name => {
    const points = JSON.stringify(usual).match(new RegExp(`"x-dial":\\[[^\\]]*"${name}"`, 'g')) ?? []
    expect(points.length).toBeGreaterThan(0)
  })

  it('a turned dial is told of with its alternatives, and how it stands', () => {
    const told = documentDials({ 'not-ready-status': '422' })
    expect(Object.keys(told)).toEqual(dialNames)
    expect(told['not-ready-status']).toEqual({ value: '422', ...dials['not-ready-status'] })
    expect(told['error-body'].value).toBe('full')
  })
})

const documentDials = (turned: Parameters<typeof withDials>[0]): Json =>
  serviceDocument({ names, dials: withDials(turned) }, 'http://localhost')['x-dials']

it.each([
  ['400', {}],
  ['422', { 'invalid-input-status': '422' }],
] as const)('describes the headers of a refusal of input, also one that is %s', (status, turned) => {
  const { headers } = documentOf(turned)['x-elsewhere'].responses[status]
  expect(Object.keys(headers)).toEqual(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'])
})

it('describes a refusal with the same headers in whatever order its problems are named', () => {
  const headersOf = (...names: Parameters<typeof describeRefusal>[0]['names']) =>
    describeRefusal({ names, shown: undefined }, withDials({})).headers as Json
  expect(headersOf('malformed-target', 'validation')).toEqual(headersOf('validation', 'malformed-target'))
  expect(headersOf('malformed-target', 'misdirected-request')).toEqual({})
  expect(headersOf('unauthorized')['WWW-Authenticate'].required).toBe(true)
  expect(headersOf('not-found', 'method-not-allowed').Allow).not.toHaveProperty('required')
})
