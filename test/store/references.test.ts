import { expect, test } from 'vitest'
import { makeDefaultFixture } from '../../scripts/make-default-fixture.ts'
import { checkReferences } from '../../src/store/fixtures.ts'
import type { Fixture, Setting } from '../../src/store/rows.ts'

/** Without the test synchronizations, so that messages do not count the scenarios. */
const made = makeDefaultFixture()
const fewer: Fixture = {
  ...made,
  synchronizations: made.synchronizations.filter(it => it.customer !== 'scenario-lab'),
  testSynchronizations: [],
}

/** The default fixture with one thing wrong: `break` works on a copy of its own. */
type Damage = { title: string; break: (fixture: Draft) => void; path: string; problem: string }
type Mutable<T> = T extends string | number | boolean | null | undefined
  ? T
  : { -readonly [Key in keyof T]: Mutable<T[Key]> }
/** JSON within JSON has no end that the type could reach. */
type Draft = Mutable<Omit<Fixture, 'settings'>> & { settings?: Setting[] }

const uuid = (family: string, no: number) =>
  `${family.repeat(8)}-0000-4000-8000-${String(no).padStart(12, '0')}`

const damages: Damage[] = [
  {
    title: 'a user name given twice',
    break: it => {
      it.users[1]!.name = 'demo'
    },
    path: 'users[1].name',
    problem: '"demo" is taken by users[0]; expected each once',
  },
  {
    title: 'a list ID given twice, even at another customer',
    break: it => {
      it.lists.push({ ...it.lists[0]!, customer: 'lindenau' })
    },
    path: 'lists[9].id',
    problem: '1001 is taken by lists[0]; expected each once',
  },
  {
    title: 'a list of an unknown customer',
    break: it => {
      it.lists[2]!.customer = 'harbor-group'
      it.synchronizations = it.synchronizations.filter(row => row.listId !== 1003)
      it.platformMailings = it.platformMailings.filter(row => row.listId !== 1003)
      it.sendings = []
      it.platformSendings = []
    },
    path: 'lists[2].customer',
    problem: 'no customer "harbor-group"; the nearest of 4 are "harbour-group", "lindenau", "Maison Orane"',
  },
  {
    title: 'a permitted list of another customer',
    break: it => {
      it.accessibleLists[0]!.permittedLists.push(3001)
    },
    path: 'accessibleLists[0].permittedLists[2]',
    problem: 'list 3001 belongs to customer "Maison Orane", not to "lindenau"',
  },
  {
    title: 'a permitted list that does not exist',
    break: it => {
      it.accessibleLists[0]!.permittedLists[0] = 2009
    },
    path: 'accessibleLists[0].permittedLists[0]',
    problem: 'no list 2009; the nearest of 9 are 2001, 2002, 2003',
  },
  {
    title: 'a draft that is older than the approved version beside it',
    break: it => {
      it.mailings[24]!.draft!.number = 1
    },
    path: 'mailings[24].draft.number',
    problem:
      "1 does not come after the approved version's number 1; a draft beside an approved version is the newer one",
  },
  {
    title: 'an earlier version that is none',
    break: it => {
      it.mailings[24]!.earlier = [{ number: 1, size: 10 }]
    },
    path: 'mailings[24].earlier[0].number',
    problem: '1 does not come before 1; earlier versions stand oldest first, before the approved one',
  },
  {
    title: 'an earlier version of a mailing that was never approved',
    break: it => {
      it.mailings[2]!.earlier = [{ number: 1, size: 10 }]
    },
    path: 'mailings[2].earlier[0].number',
    problem:
      '1 does not come before an approved version; earlier versions stand oldest first, before the approved one',
  },
  {
    title: 'a synchronization of an unknown mailing',
    break: it => {
      it.synchronizations[3]!.mailingId = uuid('1', 77)
    },
    path: 'synchronizations[3].mailingId',
    problem: `no mailing "${uuid('1', 77)}"; the nearest of 30 are "${uuid('1', 7)}", "${uuid('1', 17)}", "${uuid('1', 27)}"`,
  },
  {
    title: 'a synchronization with a list of another customer',
    break: it => {
      it.synchronizations[0]!.listId = 2001
    },
    path: 'synchronizations[0].listId',
    problem: 'list 2001 belongs to customer "lindenau", not to "harbour-group"',
  },
  {
    title: 'a test synchronization that does not exist',
    break: it => {
      it.testSynchronizations = [{ id: uuid('2', 15), scenario: 'happy-path' }]
    },
    path: 'testSynchronizations[0].id',
    problem: `no synchronization "${uuid('2', 15)}"; the nearest of 14 are "${uuid('2', 5)}", "${uuid('2', 10)}", "${uuid('2', 11)}"`,
  },
  {
    title: 'a setting given twice',
    break: it => {
      it.settings = [
        { name: 'clock', value: null },
        { name: 'clock', value: { rate: 2 } },
      ]
    },
    path: 'settings[1].name',
    problem: '"clock" is taken by settings[0]; expected each once',
  },
  {
    title: 'an upload of an unknown synchronization',
    break: it => {
      it.mailingUploads[0]!.synchronizationId = uuid('2', 15)
    },
    path: 'mailingUploads[0].synchronizationId',
    problem: `no synchronization "${uuid('2', 15)}"; the nearest of 14 are "${uuid('2', 5)}", "${uuid('2', 10)}", "${uuid('2', 11)}"`,
  },
  {
    title: 'a transaction ID given twice in one synchronization',
    break: it => {
      it.sendings[6]!.transactionId = 'spring-launch-2026-03-04'
      it.sendings[6]!.creationDate = it.sendings[2]!.creationDate
    },
    path: 'sendings[6].transactionId',
    problem:
      '"spring-launch-2026-03-04" is taken by sendings[2] of the same synchronization; a transaction ID is unique within its synchronization, or else a day and more apart',
  },
  {
    title: 'a step behind the end of the plan',
    break: it => {
      it.sendings[3]!.step = 2
    },
    path: 'sendings[3].step',
    problem: '2 is outside the plan, which has 2 step(s): expected 0 to 1',
  },
  {
    title: 'a sending whose platform sending is not there',
    break: it => {
      it.platformSendings = []
      it.sendings = it.sendings.slice(0, 1)
    },
    path: 'sendings[0].platformSendingId',
    problem: 'no platform sending 500001; there is no platform sending at all',
  },
  {
    title: 'a platform mailing of an unknown mailing',
    break: it => {
      it.platformMailings[0]!.mailingId = uuid('9', 7)
    },
    path: 'platformMailings[0].mailingId',
    problem: `no mailing "${uuid('9', 7)}"; the nearest of 30 are "${uuid('1', 7)}", "${uuid('1', 17)}", "${uuid('1', 27)}"`,
  },
  {
    title: 'a platform mailing of a version that the mailing never had',
    break: it => {
      it.platformMailings[0]!.version = 5
    },
    path: 'platformMailings[0].version',
    problem: '5 does not exist; the newest version of that mailing is 1',
  },
  {
    title: 'a platform sending of an unknown platform mailing',
    break: it => {
      it.platformSendings[0]!.platformMailingId = 999_999
    },
    path: 'platformSendings[0].platformMailingId',
    problem: 'no platform mailing 999999; the nearest of 15 are 100009, 100001, 100002',
  },
]

test.each(damages.map(it => [it.title, it] as const))(
  '%s is reported with its place and what was meant',
  (_, damage) => {
    const fixture = structuredClone(fewer) as Draft
    damage.break(fixture)
    expect(checkReferences(fixture)).toEqual([{ path: damage.path, problem: damage.problem }])
  },
)

test('the same transaction ID in two synchronizations is fine', () => {
  const fixture = structuredClone(fewer) as Draft
  fixture.sendings[3]!.transactionId = 'spring-launch-2026-03-04'
  expect(checkReferences(fixture)).toEqual([])
})

test('with permitAll the permitted lists are ignored, so they may name anything', () => {
  const fixture = structuredClone(fewer) as Draft
  fixture.accessibleLists[0]!.permitAll = true
  fixture.accessibleLists[0]!.permittedLists = [9999]
  expect(checkReferences(fixture)).toEqual([])
})

test('every problem is reported, not only the first', () => {
  const fixture = structuredClone(fewer) as Draft
  fixture.mailings = fixture.mailings.slice(1)
  fixture.lists[0]!.customer = 'lindenau'
  expect(checkReferences(fixture).map(it => it.path)).toEqual(
    expect.arrayContaining(['synchronizations[0].mailingId', 'synchronizations[0].listId']),
  )
})

test('a fixture that holds nothing but a user fits together', () => {
  const { users } = makeDefaultFixture()
  const nothing = {
    customers: [],
    lists: [],
    accessibleLists: [],
    mailings: [],
    synchronizations: [],
    mailingUploads: [],
    sendings: [],
    platformMailings: [],
    platformSendings: [],
  }
  expect(checkReferences({ $format: 1, space: 'empty', users, ...nothing })).toEqual([])
})
