import { beforeAll, describe, expect, it } from 'vitest'
import {
  customersPath,
  ids,
  type Json,
  startMock,
  synchronizationPath,
  synchronizationsPath,
  type User,
} from '../mock.ts'

/** The field tables of the document (2.1 to 2.10): every resource of the kind, in every form, has just these. */

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const text = (value: unknown) => typeof value === 'string'
const filled = (value: unknown) => typeof value === 'string' && value !== ''
const id = (value: unknown) => uuid.test(String(value)) && text(value)
const date = (value: unknown) => text(value) && instant.test(String(value))
const number = (value: unknown) => typeof value === 'number' && Number.isFinite(value)
const count = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const share = (value: unknown) => number(value) && (value as number) >= 0 && (value as number) <= 1
const flag = (value: unknown) => typeof value === 'boolean'
const orNull = (check: (value: unknown) => boolean) => (value: unknown) => value === null || check(value)
const object = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (check: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(check)
const email = (value: unknown) => /^[^@\s]+@([a-z-]+\.)*example\.(com|org|net)$/.test(String(value))
const state = (value: unknown) =>
  ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE'].includes(String(value))

/** What to do when a resource has got one more. */
const newMember =
  'a new member? add it, with a check of its value, to the fields of its kind in test/service/fields.test.ts (docs/architecture.md, To add something)'

interface Kind {
  readonly clause: string
  readonly of: (demo: User) => Promise<Json[]>
  readonly fields: Record<string, (value: unknown) => boolean>
  readonly links: boolean
}

const embedded = ({ json }: { json: Json }): Json[] => Object.values<Json[]>(json._embedded)[0]!
const alone = async (demo: User, items: Json[]) =>
  Promise.all(items.map(item => demo.get(item._links.self.href).then(({ json }) => json)))
/** Test synchronizations are left out: on them a scenario may turn dials. */
const synchronizations = async (demo: User) =>
  embedded(await demo.get(synchronizationsPath)).filter(it => it.target.customer !== 'scenario-lab')
const sendings = async (demo: User) =>
  (
    await Promise.all(
      (
        await synchronizations(demo)
      ).map(({ id }) => demo.get(synchronizationPath(id, '/sendings?includeAllStates=true'))),
    )
  ).flatMap(embedded)

const kinds: Kind[] = [
  {
    clause: '2.1',
    of: async demo => embedded(await demo.get('/mailings')),
    fields: {
      id,
      name: filled,
      creationDate: date,
      modificationDate: date,
      isApproved: flag,
      hasDraft: flag,
    },
    links: true,
  },
  {
    clause: '2.2',
    of: async demo => {
      const items = await synchronizations(demo)
      return [...items, ...(await alone(demo, items))]
    },
    fields: {
      id,
      creationDate: date,
      modificationDate: date,
      mailingId: id,
      mailingName: filled,
      approvedMailingName: orNull(filled),
      readyForSending: flag,
      mailingHasDraft: flag,
      mailingIsApproved: flag,
      target: object,
      'target.customer': filled,
      'target.listId': count,
      'target.listName': filled,
      mailingUploadsModificationDate: orNull(date),
      sendingsModificationDate: orNull(date),
    },
    links: true,
  },
  {
    clause: '2.3',
    of: async demo => {
      const items = await sendings(demo)
      return [...items, ...(await alone(demo, items))]
    },
    fields: {
      id,
      creationDate: date,
      scheduleDate: orNull(date),
      mailingSynchronizationId: id,
      state,
      transactionId: orNull(filled),
      target: object,
      'target.mailingId': orNull(count),
      'target.sendingId': orNull(count),
    },
    links: true,
  },
  {
    clause: '2.4',
    of: async demo => [
      (await demo.get(synchronizationPath(ids.uploadedTwice, '/mailing-uploads/latest'))).json,
      (await demo.post(synchronizationPath(ids.ready, '/mailing-uploads'))).json,
    ],
    fields: { id, creationDate: date, modificationDate: date, target: object, 'target.mailingId': count },
    links: true,
  },
  {
    clause: '2.5',
    of: async demo =>
      (
        await Promise.all((await sendings(demo)).map(item => demo.get(`${item._links.self.href}/statistics`)))
      ).map(({ json }) => json),
    fields: {
      synchronizationId: id,
      responseStatistics: object,
      'responseStatistics.clickingRecipients': count,
      'responseStatistics.ctor': share,
      'responseStatistics.openingRate': share,
      'responseStatistics.openingRecipients': count,
      'responseStatistics.totalClicks': count,
      'responseStatistics.uniqueClickRate': share,
      'responseStatistics.unsubscribeClicks': count,
      'responseStatistics.listUnsubscribeClicks': count,
      'responseStatistics.unsubscribeRate': share,
      sendingStatistics: object,
      'sendingStatistics.averageMailSize': count,
      'sendingStatistics.bounceCount': count,
      'sendingStatistics.deliveredMailsCount': count,
      'sendingStatistics.mailsPerHour': count,
      'sendingStatistics.notSentMailsCount': count,
      'sendingStatistics.recipientsCount': count,
      'sendingStatistics.sentErrorCount': count,
      'sendingStatistics.startDate': orNull(date),
      'sendingStatistics.endDate': orNull(date),
    },
    links: true,
  },
  {
    clause: '2.6',
    of: async demo => [(await demo.get(synchronizationPath(ids.both, '/preview'))).json],
    fields: { htmlContent: filled, textContent: filled, subject: filled },
    links: true,
  },
  {
    clause: '2.7',
    of: async demo => embedded(await demo.get(synchronizationPath(ids.ready, '/test-profiles'))),
    fields: { id: count, description: filled },
    links: false,
  },
  {
    clause: '2.8',
    of: async demo => embedded(await demo.get(synchronizationPath(ids.ready, '/test-mail-groups'))),
    fields: { id: count, name: filled, emails: listOf(email) },
    links: false,
  },
  {
    clause: '2.9',
    of: async demo => {
      const items = embedded(await demo.get(customersPath))
      return [...items, ...(await alone(demo, items))]
    },
    fields: { name: filled },
    links: true,
  },
  {
    clause: '2.9 list',
    of: async demo => {
      const items = embedded(await demo.get(`${customersPath}/harbour-group/lists`))
      return [...items, ...(await alone(demo, items))]
    },
    fields: { id: count, name: filled },
    links: true,
  },
  {
    clause: '2.10',
    of: async demo => [(await demo.get(`${customersPath}/lindenau/configuration/accessible-lists`)).json],
    fields: { creationDate: date, modificationDate: date, permitAll: flag, permittedLists: listOf(count) },
    links: true,
  },
]

const at = (resource: Json, path: string) => path.split('.').reduce((value, key) => value?.[key], resource)

describe.each(kinds)('resource of $clause', ({ clause, of, fields, links }) => {
  let resources: Json[] = []
  beforeAll(async () => {
    resources = await of((await startMock()).as('demo'))
  })

  it.each(Object.entries(fields))(
    `${clause} %s: it is there, of its type, in every resource of this kind`,
    (field, check) => {
      expect(resources.length).toBeGreaterThan(0)
      for (const resource of resources)
        expect(at(resource, field), `${field} of ${resource._links?.self.href}`).toSatisfy(check)
    },
  )

  it(`${clause} has no other members`, () => {
    const top = new Set(Object.keys(fields).map(field => field.split('.')[0]))
    if (links) top.add('_links')
    for (const resource of resources) {
      expect(new Set(Object.keys(resource)), newMember).toEqual(top)
      for (const [name, value] of Object.entries<Json>(resource))
        if (fields[name] === object)
          expect(
            Object.keys(value)
              .map(key => `${name}.${key}`)
              .sort(),
            newMember,
          ).toEqual(
            Object.keys(fields)
              .filter(field => field.startsWith(`${name}.`))
              .sort(),
          )
    }
  })

  if (links)
    it(`${clause} _links: it links to itself`, () => {
      for (const resource of resources) expect(resource._links.self.href).toMatch(/^http:\/\/localhost\//)
    })
})
