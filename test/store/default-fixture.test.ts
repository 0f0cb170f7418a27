import { describe, expect, test } from 'vitest'
import { scenarioNames } from '../../scripts/default-fixture/test-synchronizations.ts'
import { makeDefaultFixture } from '../../scripts/make-default-fixture.ts'
import { generate } from '../../src/lib/generate.ts'
import { checkReferences } from '../../src/store/fixtures.ts'
import { fixture as fixtureSchema, type Mailing, type Sending } from '../../src/store/rows.ts'

const fixture = makeDefaultFixture()

const tests = new Set(fixture.testSynchronizations!.map(it => it.id))
const isTest = (id: string) => tests.has(id)
const stateOf = ({ draft, approved }: Mailing) =>
  draft && approved ? 'both' : draft ? 'draft only' : 'approved only'
const lastState = (sending: Sending) => sending.plan[sending.step]!
const isSent = (sending: Sending) =>
  lastState(sending).state === 'CREATED' || lastState(sending).truth === 'sent'
const find = <Id, Row extends { id: Id }>(rows: readonly Row[], id: Id) => rows.find(row => row.id === id)!
const newest = (dates: string[]) => dates.toSorted().at(-1) ?? null

describe('the default fixture', () => {
  test('satisfies the schema', () => {
    expect(fixtureSchema.parse(fixture)).toEqual(fixture)
  })

  test('the default fixture has no broken reference and nothing twice', () => {
    expect(checkReferences(fixture)).toEqual([])
  })

  test('the default fixture is stored whole as JSON, with nothing lost on the way', () => {
    expect(JSON.parse(JSON.stringify(fixture))).toEqual(fixture)
  })

  test('the default fixture holds thirty mailings in all three version states', () => {
    const count = (state: string) => fixture.mailings.filter(it => stateOf(it) === state).length
    expect(fixture.mailings).toHaveLength(30)
    expect([count('draft only'), count('approved only'), count('both')]).toEqual([8, 15, 7])
  })

  test('test synchronizations come last, at a customer and a list of their own, unused', () => {
    const last = fixture.synchronizations.slice(-scenarioNames.length)
    expect(last.map(it => it.id)).toEqual(fixture.testSynchronizations!.map(it => it.id))
    expect(fixture.testSynchronizations!.map(it => it.scenario)).toEqual(scenarioNames)
    for (const row of last)
      expect(row).toMatchObject({ customer: 'scenario-lab', listId: 9001, sendingsModificationDate: null })
  })

  test('3 INDETERMINATE_FAILURE: the platform IDs that answers show leave one gap for each, sent or not', async () => {
    for (const content of [fixture, await generate(fixture, { sendings: 20, 'mailing-uploads': 5 }, 1)]) {
      const open = content.sendings.filter(it => lastState(it).state === 'INDETERMINATE_FAILURE')
      expect(open.map(it => lastState(it).truth)).toEqual(['sent', 'not-sent'])
      const shown = content.sendings.filter(it => !open.includes(it))
      const missing = (ids: readonly (number | null)[]) => {
        const numbers = new Set(ids.filter(id => id !== null))
        const first = Math.min(...numbers)
        return Array.from({ length: Math.max(...numbers) - first }, (_, n) => first + n).filter(
          id => !numbers.has(id),
        )
      }
      const mailings = [...shown, ...content.mailingUploads].map(it => it.platformMailingId)
      expect(missing(mailings)).toEqual([100011, 100012])
      expect(missing(shown.map(it => it.platformSendingId))).toEqual([500007, 500008])
    }
  })

  test('a draft beside an approved version differs from it in name or subject', () => {
    for (const { draft, approved } of fixture.mailings) {
      if (draft && approved) {
        expect([draft.name, draft.subject]).not.toEqual([approved.name, approved.subject])
      }
    }
  })

  test.each([
    ['mailings', fixture.mailings.map(it => it.id), '11111111', 30],
    [
      'synchronizations',
      fixture.synchronizations.filter(it => !isTest(it.id)).map(it => it.id),
      '22222222',
      14,
    ],
    [
      'test synchronizations',
      fixture.testSynchronizations!.map(it => it.id),
      '55555555',
      scenarioNames.length,
    ],
    ['sendings', fixture.sendings.map(it => it.id), '33333333', 14],
    ['mailing-uploads', fixture.mailingUploads.map(it => it.id), '44444444', 4],
  ])('%s are numbered from one in a family of their own', (_, ids, family, count) => {
    expect(ids).toEqual(
      Array.from(
        { length: count },
        (_, index) => `${family}-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
      ),
    )
  })

  test.each([
    ['accessible-lists configurations', fixture.accessibleLists.map(it => it.creationDate)],
    ['mailings', fixture.mailings.map(it => it.creationDate)],
    ['synchronizations', fixture.synchronizations.map(it => it.creationDate)],
    ['mailing-uploads', fixture.mailingUploads.map(it => it.creationDate)],
    ['sendings', fixture.sendings.map(it => it.creationDate)],
    ['platform mailings', fixture.platformMailings.map(it => it.createdAt)],
    ['platform sendings', fixture.platformSendings.map(it => it.requestedAt)],
  ])('%s are in chronological order', (_, dates) => {
    expect(dates).toEqual(dates.toSorted())
  })

  test('every date lies between January and October 2026, except the sending scheduled far ahead', () => {
    const dates = JSON.stringify(fixture).match(/"\d{4}-\d\d-\d\dT[^"]*"/g)!
    const outside = new Set(dates.filter(date => date < '"2026-01-01' || date >= '"2026-10-01'))
    expect([...outside]).toEqual(['"2035-06-01T07:00:00.000Z"'])
  })

  test('nothing is modified before it is created, and nothing is used before it exists', () => {
    for (const row of [...fixture.mailings, ...fixture.mailingUploads, ...fixture.accessibleLists]) {
      expect(row.modificationDate >= row.creationDate).toBe(true)
    }
    for (const row of fixture.synchronizations) {
      expect(row.creationDate > find(fixture.mailings, row.mailingId).creationDate).toBe(true)
    }
    for (const row of [...fixture.sendings, ...fixture.mailingUploads]) {
      const synchronization = find(fixture.synchronizations, row.synchronizationId)
      expect(row.creationDate > synchronization.creationDate).toBe(true)
      expect(row.creationDate > find(fixture.mailings, synchronization.mailingId).creationDate).toBe(true)
    }
    for (const row of fixture.sendings) {
      expect(row.scheduleDate === null || row.scheduleDate > row.creationDate).toBe(true)
      expect(row.stepSince >= row.creationDate).toBe(true)
    }
  })

  test('a synchronization knows its newest upload and its newest sending', () => {
    for (const row of fixture.synchronizations) {
      const uploads = fixture.mailingUploads.filter(it => it.synchronizationId === row.id)
      const sendings = fixture.sendings.filter(it => it.synchronizationId === row.id)
      expect(row.mailingUploadsModificationDate).toBe(newest(uploads.map(it => it.modificationDate)))
      expect(row.sendingsModificationDate).toBe(newest(sendings.map(it => it.creationDate)))
      for (const date of [
        row.creationDate,
        row.mailingUploadsModificationDate,
        row.sendingsModificationDate,
      ]) {
        expect(row.modificationDate >= (date ?? '')).toBe(true)
      }
    }
  })

  test('the first synchronization is ready for a newcomer: approved, permitted, reaching people, never used', () => {
    const [first] = fixture.synchronizations
    expect(first).toMatchObject({ mailingUploadsModificationDate: null, sendingsModificationDate: null })
    expect(find(fixture.mailings, first!.mailingId).approved).not.toBeNull()
    expect(find(fixture.lists, first!.listId).recipients).toBeGreaterThan(1000)
    expect(fixture.accessibleLists.map(it => it.customer)).not.toContain(first!.customer)
  })

  test('past sendings show every state, and both worlds behind an indeterminate one', () => {
    expect(
      new Set(fixture.sendings.map(it => `${lastState(it).state} ${lastState(it).truth ?? ''}`.trim())),
    ).toEqual(
      new Set([
        'CREATED',
        'PENDING',
        'FAILED',
        'INDETERMINATE_FAILURE sent',
        'INDETERMINATE_FAILURE not-sent',
      ]),
    )
  })

  test('only a mailing with an approved version has sendings', () => {
    for (const row of fixture.sendings) {
      const synchronization = find(fixture.synchronizations, row.synchronizationId)
      expect(find(fixture.mailings, synchronization.mailingId).approved).not.toBeNull()
    }
  })

  test('a sending without a transaction ID is created', () => {
    const anonymous = fixture.sendings.filter(it => it.transactionId === null)
    expect(anonymous.map(it => lastState(it).state)).toEqual(['CREATED', 'CREATED'])
  })

  test.each(fixture.sendings.filter(isSent).map(row => [row.transactionId ?? row.id, row] as const))(
    'the platform sent %s to the whole list with the approved content',
    (_, row) => {
      const synchronization = find(fixture.synchronizations, row.synchronizationId)
      const approved = find(fixture.mailings, synchronization.mailingId).approved!
      expect(find(fixture.platformMailings, row.platformMailingId)).toMatchObject({
        origin: 'sending',
        customer: synchronization.customer,
        listId: synchronization.listId,
        mailingId: synchronization.mailingId,
        version: approved.number,
        name: row.name ?? approved.name,
        subject: row.subject ?? approved.subject,
        createdAt: row.creationDate,
        approvedAt: row.creationDate,
      })
      expect(find(fixture.platformSendings, row.platformSendingId)).toMatchObject({
        platformMailingId: row.platformMailingId,
        kind: 'list',
        recipients: find(fixture.lists, synchronization.listId).recipients,
        requestedAt: row.creationDate,
        startsAt: row.scheduleDate ?? row.creationDate,
      })
    },
  )

  test('the platform sent nothing for the others, of which one left a mailing that was not approved', () => {
    const others = fixture.sendings.filter(it => !isSent(it))
    expect(others.map(it => it.platformSendingId)).toEqual(others.map(() => null))
    const left = others.flatMap(it => it.platformMailingId ?? [])
    expect(left.map(id => find(fixture.platformMailings, id).approvedAt)).toEqual([null])
  })

  test('every platform row stems from exactly one sending or upload', () => {
    const used = [...fixture.sendings, ...fixture.mailingUploads].flatMap(it => it.platformMailingId ?? [])
    expect(used.toSorted()).toEqual(fixture.platformMailings.map(it => it.id))
    const sent = fixture.sendings.flatMap(it => it.platformSendingId ?? [])
    expect(sent.toSorted()).toEqual(fixture.platformSendings.map(it => it.id))
    expect(fixture.platformMailings[0]?.id).toBe(100_001)
    expect(fixture.platformSendings[0]?.id).toBe(500_001)
  })

  test('an upload took the latest version and left it unapproved', () => {
    for (const row of fixture.mailingUploads) {
      const synchronization = find(fixture.synchronizations, row.synchronizationId)
      const mailing = find(fixture.mailings, synchronization.mailingId)
      const latest = (mailing.draft ?? mailing.approved)!
      expect(find(fixture.platformMailings, row.platformMailingId)).toMatchObject({
        origin: 'mailing-upload',
        version: latest.number,
        name: latest.name,
        subject: latest.subject,
        approvedAt: null,
      })
    }
  })

  test('mail addresses and links lead nowhere real', () => {
    const text = JSON.stringify(fixture)
    const hosts = [...text.matchAll(/(?:https?:\/\/|[\w.-]+@)([\w-]+(?:\.[\w-]+)+)/g)].map(match => match[1]!)
    expect(hosts.filter(host => !/(^|\.)example\.(com|org|net)$/.test(host))).toEqual([])
  })

  test('every version is a letter of its own: some kilobytes of HTML, all placeholders well formed', () => {
    for (const mailing of fixture.mailings) {
      for (const version of [mailing.draft, mailing.approved]) {
        if (!version) continue
        expect(version.html.length).toBeGreaterThan(3000)
        expect(version.html.length).toBeLessThan(6500)
        const open = `${version.html}${version.text}${version.subject}`.match(/\{\{/g)?.length ?? 0
        const whole = `${version.html}${version.text}${version.subject}`.match(/\{\{\w+(\|[^{}|]+)?\}\}/g)
        expect(whole?.length ?? 0).toBe(open)
      }
    }
    expect(new Set(fixture.mailings.map(it => (it.draft ?? it.approved)!.html)).size).toBe(30)
  })
})
