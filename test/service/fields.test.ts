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
const linkToItself = (value: unknown) => /^http:\/\/localhost\//.test((value as Json)?.self?.href)
const object = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (check: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(check)
const email = (value: unknown) => /^[^@\s]+@([a-z-]+\.)*example\.(com|org|net)$/.test(String(value))
const state = (value: unknown) =>
  ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE'].includes(String(value))

/** What to do when a resource has got one more. */
const newMember =
  'a new member? add it, with a check of its value, to the fields of its kind in test/service/fields.test.ts (docs/internals/architecture.md, To add something)'

interface Kind {
  readonly clause: string
  readonly of: (demo: User) => Promise<Json[]>
  /** A check of its value for each member, by the member's clause. */
  readonly fields: Record<string, (value: unknown) => boolean>
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
      '2.1 id': id,
      '2.1 name': filled,
      '2.1 creationDate': date,
      '2.1 modificationDate': date,
      '2.1 isApproved': flag,
      '2.1 hasDraft': flag,
      '2.1 _links': linkToItself,
    },
  },
  {
    clause: '2.2',
    of: async demo => {
      const items = await synchronizations(demo)
      return [...items, ...(await alone(demo, items))]
    },
    fields: {
      '2.2 id': id,
      '2.2 creationDate': date,
      '2.2 modificationDate': date,
      '2.2 mailingId': id,
      '2.2 mailingName': filled,
      '2.2 approvedMailingName': orNull(filled),
      '2.2 readyForSending': flag,
      '2.2 mailingHasDraft': flag,
      '2.2 mailingIsApproved': flag,
      '2.2 target': object,
      '2.2 target.customer': filled,
      '2.2 target.listId': count,
      '2.2 target.listName': filled,
      '2.2 mailingUploadsModificationDate': orNull(date),
      '2.2 sendingsModificationDate': orNull(date),
      '2.2 _links': linkToItself,
    },
  },
  {
    clause: '2.3',
    of: async demo => {
      const items = await sendings(demo)
      return [...items, ...(await alone(demo, items))]
    },
    fields: {
      '2.3 id': id,
      '2.3 creationDate': date,
      '2.3 scheduleDate': orNull(date),
      '2.3 mailingSynchronizationId': id,
      '2.3 state': state,
      '2.3 transactionId': orNull(filled),
      '2.3 target': object,
      '2.3 target.mailingId': orNull(count),
      '2.3 target.sendingId': orNull(count),
      '2.3 _links': linkToItself,
    },
  },
  {
    clause: '2.4',
    of: async demo => [
      (await demo.get(synchronizationPath(ids.uploadedTwice, '/mailing-uploads/latest'))).json,
      (await demo.post(synchronizationPath(ids.ready, '/mailing-uploads'))).json,
    ],
    fields: {
      '2.4 id': id,
      '2.4 creationDate': date,
      '2.4 modificationDate': date,
      '2.4 target': object,
      '2.4 target.mailingId': count,
      '2.4 _links': linkToItself,
    },
  },
  {
    clause: '2.5',
    of: async demo =>
      (
        await Promise.all((await sendings(demo)).map(item => demo.get(`${item._links.self.href}/statistics`)))
      ).map(({ json }) => json),
    fields: {
      '2.5 synchronizationId': id,
      '2.5 responseStatistics': object,
      '2.5 responseStatistics.clickingRecipients': count,
      '2.5 responseStatistics.ctor': share,
      '2.5 responseStatistics.openingRate': share,
      '2.5 responseStatistics.openingRecipients': count,
      '2.5 responseStatistics.totalClicks': count,
      '2.5 responseStatistics.uniqueClickRate': share,
      '2.5 responseStatistics.unsubscribeClicks': count,
      '2.5 responseStatistics.listUnsubscribeClicks': count,
      '2.5 responseStatistics.unsubscribeRate': share,
      '2.5 sendingStatistics': object,
      '2.5 sendingStatistics.averageMailSize': count,
      '2.5 sendingStatistics.bounceCount': count,
      '2.5 sendingStatistics.deliveredMailsCount': count,
      '2.5 sendingStatistics.mailsPerHour': count,
      '2.5 sendingStatistics.notSentMailsCount': count,
      '2.5 sendingStatistics.recipientsCount': count,
      '2.5 sendingStatistics.sentErrorCount': count,
      '2.5 sendingStatistics.startDate': orNull(date),
      '2.5 sendingStatistics.endDate': orNull(date),
      '2.5 _links': linkToItself,
    },
  },
  {
    clause: '2.6',
    of: async demo => [(await demo.get(synchronizationPath(ids.both, '/preview'))).json],
    fields: {
      '2.6 htmlContent': filled,
      '2.6 textContent': filled,
      '2.6 subject': filled,
      '2.6 _links': linkToItself,
    },
  },
  {
    clause: '2.7',
    of: async demo => embedded(await demo.get(synchronizationPath(ids.ready, '/test-profiles'))),
    fields: {
      '2.7 id': count,
      '2.7 description': filled,
    },
  },
  {
    clause: '2.8',
    of: async demo => embedded(await demo.get(synchronizationPath(ids.ready, '/test-mail-groups'))),
    fields: {
      '2.8 id': count,
      '2.8 name': filled,
      '2.8 emails': listOf(email),
    },
  },
  {
    clause: '2.9',
    of: async demo => {
      const items = embedded(await demo.get(customersPath))
      return [...items, ...(await alone(demo, items))]
    },
    fields: {
      '2.9 name': filled,
      '2.9 _links': linkToItself,
    },
  },
  {
    clause: '2.9 list',
    of: async demo => {
      const items = embedded(await demo.get(`${customersPath}/harbour-group/lists`))
      return [...items, ...(await alone(demo, items))]
    },
    fields: {
      '2.9 list id': count,
      '2.9 list name': filled,
      '2.9 list _links': linkToItself,
    },
  },
  {
    clause: '2.10',
    of: async demo => [(await demo.get(`${customersPath}/lindenau/configuration/accessible-lists`)).json],
    fields: {
      '2.10 creationDate': date,
      '2.10 modificationDate': date,
      '2.10 permitAll': flag,
      '2.10 permittedLists': listOf(count),
      '2.10 _links': linkToItself,
    },
  },
]

const at = (resource: Json, path: string) => path.split('.').reduce((value, key) => value?.[key], resource)

describe.each(kinds)('resource of $clause', ({ clause, of, fields }) => {
  const members = Object.keys(fields).map(field => field.slice(clause.length + 1))
  let resources: Json[] = []
  beforeAll(async () => {
    resources = await of((await startMock()).as('demo'))
  })

  it.each(Object.entries(fields))(
    '%s: it is there, of its type, in every resource of this kind',
    (field, check) => {
      const member = field.slice(clause.length + 1)
      expect(resources.length).toBeGreaterThan(0)
      for (const resource of resources)
        expect(at(resource, member), `${member} of ${resource._links?.self.href}`).toSatisfy(check)
    },
  )

  it(`${clause} has no other members`, () => {
    for (const resource of resources) {
      expect(new Set(Object.keys(resource)), newMember).toEqual(
        new Set(members.map(member => member.split('.')[0])),
      )
      for (const [name, value] of Object.entries<Json>(resource))
        if (fields[`${clause} ${name}`] === object)
          expect(
            Object.keys(value)
              .map(key => `${name}.${key}`)
              .sort(),
            newMember,
          ).toEqual(members.filter(member => member.startsWith(`${name}.`)).sort())
    }
  })
})
