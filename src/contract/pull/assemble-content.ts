import { createHash } from 'node:crypto'
import { z } from 'zod'
import { getOrMake } from '../../store/maps.ts'
import type { AccessibleLists, List, Mailing, TestMailGroup, TestProfile, Version } from '../../store/rows.ts'
import { memberAt, textAt } from '../verify/unknown-json.ts'
import type { Findings, Notes } from './crawl.ts'

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const unknownDate = '2000-01-01T00:00:00.000Z'

/** Converts a service's values to those of a fixture, and notes what cannot be converted exactly. */
export class ValueReader {
  readonly notes: Notes
  readonly #ids = new Map<string, string>()
  readonly #hidesIds: boolean

  /** @param hidesIds whether generated IDs must not reveal the original ones */
  constructor(notes: Notes, hidesIds: boolean) {
    this.notes = notes
    this.#hidesIds = hidesIds
  }

  /**
   * An ID in the form of fixtures: a lower-case UUID. An ID of another form always gets the same UUID.
   * @param within the ID of what it belongs to, if it may be unique there alone
   */
  uuid(kind: string, value: unknown, ...within: readonly string[]): string {
    const given = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : ''
    if (uuidPattern.test(given)) return given
    const key = [kind, ...within, given].join(' ')
    return getOrMake(this.#ids, key, () => {
      this.notes.add(`IDs of ${kind} that are no lower-case UUIDs were replaced by UUIDs`)
      return toUuid(this.#hidesIds ? `${kind} number ${this.#ids.size}` : key)
    })
  }

  /** A date-time in UTC with milliseconds; null without one. */
  date(value: unknown, name: string): string | null {
    const written = textAt(value, name) ?? ''
    const isZoneless = /[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(written)
    if (isZoneless) this.notes.add(`a ${name} had no time zone, and was read as UTC`)
    const at = Date.parse(isZoneless ? `${written}Z` : written)
    if (!Number.isNaN(at)) return new Date(at).toISOString()
    if (memberAt(value, name) != null) this.notes.add(`a ${name} was no date-time, and is not here`)
    return null
  }

  /** A date-time that a fixture requires. */
  certainDate(value: unknown, name: string, otherwise: string | null = null): string {
    return this.date(value, name) ?? otherwise ?? unknownDate
  }
}

/** A positive whole number; undefined for anything else. */
export function numberAt(value: unknown, path: string): number | undefined {
  const found = Number(memberAt(value, path) ?? Number.NaN)
  return Number.isSafeInteger(found) && found > 0 ? found : undefined
}

function toUuid(of: string): string {
  const hex = createHash('sha256').update(of).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Recipients of a list without a known sending. */
const usualRecipients = 1000
const emailSchema = z.email()

/** A list whose recipients are filled in later, from the sendings. */
export type MutableList = { -readonly [Member in keyof List]: List[Member] }

/** Customers, lists and their configurations. Lists are found by customer and ID, since a fixture's list IDs are unique. */
export function assembleCustomers(findings: Findings, reader: ValueReader) {
  const { notes } = reader
  const customers = new Set<string>()
  const lists = new Map<string, MutableList>()
  const ids = new Set<number>()
  let highestId = 0

  function customerOf(value: unknown, path = 'name'): string {
    const name = textAt(value, path) || 'unnamed'
    customers.add(name)
    return name
  }

  function freshId(given: number | undefined): number {
    const isTaken = given === undefined || ids.has(given)
    if (isTaken) notes.add('a list ID that two customers share, or that is none, was replaced')
    const id = isTaken ? highestId + 1 : given
    highestId = Math.max(highestId, id)
    ids.add(id)
    return id
  }

  const findList = (customer: string, given: number | undefined, name: string | undefined): MutableList =>
    getOrMake(lists, JSON.stringify([customer, given ?? null]), () => ({
      id: freshId(given),
      customer,
      name: name || 'Unnamed list',
      recipients: usualRecipients,
      testProfiles: [],
      testMailGroups: [],
    }))

  /** The target list of a synchronization. */
  const listOf = (value: unknown): MutableList =>
    findList(
      customerOf(value, 'target.customer'),
      numberAt(value, 'target.listId'),
      textAt(value, 'target.listName'),
    )

  function configurationOf(customer: string, value: unknown): AccessibleLists[] {
    const creationDate = reader.date(value, 'creationDate')
    // There are no dates before the first PUT.
    if (creationDate === null) return []
    const all = memberAt(value, 'permittedLists')
    const permittedLists = (Array.isArray(all) ? all : []).flatMap((it: unknown) => {
      const list = lists.get(JSON.stringify([customer, Number(it)]))
      if (!list) notes.add('a permitted list that the customer does not have is not here')
      return list?.id ?? []
    })
    const modificationDate = reader.certainDate(value, 'modificationDate', creationDate)
    const permitAll = memberAt(value, 'permitAll') === true
    return [{ customer, creationDate, modificationDate, permitAll, permittedLists }]
  }

  for (const { value, lists } of findings.customers) {
    const customer = customerOf(value)
    for (const list of lists) findList(customer, numberAt(list, 'id'), textAt(list, 'name'))
  }
  for (const { value } of findings.synchronizations) listOf(value)
  for (const { synchronization, profiles, groups } of findings.recipients) {
    const list = listOf(synchronization)
    list.testProfiles = profiles.flatMap(readProfile)
    list.testMailGroups = groups.flatMap(it => readGroup(it, notes))
  }
  const accessibleLists = findings.customers.flatMap(({ value, configuration }) =>
    configuration === undefined ? [] : configurationOf(customerOf(value), configuration),
  )
  return {
    customers: [...customers].map(name => ({ name })),
    lists: [...lists.values()],
    accessibleLists,
    listOf,
  }
}

function readProfile(value: unknown): TestProfile[] {
  const id = numberAt(value, 'id')
  return id === undefined ? [] : [{ id, description: textAt(value, 'description') ?? '', attributes: {} }]
}

function readGroup(value: unknown, notes: Notes): TestMailGroup[] {
  const id = numberAt(value, 'id')
  const all = memberAt(value, 'emails')
  const emails = Array.isArray(all) ? all.filter(it => emailSchema.safeParse(it).success) : []
  if (Array.isArray(all) && emails.length < all.length)
    notes.add('an address of a test-mail group was no e-mail address, and is not here')
  return id === undefined ? [] : [{ id, name: textAt(value, 'name') || 'Unnamed group', emails }]
}

/** The mailings by ID, in the service's order. Those that only a synchronization names come last. */
export function assembleMailings(findings: Findings, reader: ValueReader): Map<string, Mailing> {
  const mailings = new Map<string, Mailing>()
  const add = (id: unknown, value: unknown, isListed: boolean) => {
    const key = reader.uuid('mailings', id)
    const versions = findings.versions.get(typeof id === 'string' ? id : '')
    mailings.set(key, assembleMailing(key, value, isListed, versions, reader))
  }
  for (const value of findings.mailings) add(memberAt(value, 'id'), value, true)
  for (const { value } of findings.synchronizations) {
    const id = memberAt(value, 'mailingId')
    if (mailings.has(reader.uuid('mailings', id))) continue
    // Created or hidden while the others were read.
    reader.notes.add('a mailing that is not among the mailings was made from its synchronization')
    add(id, value, false)
  }
  return mailings
}

/**
 * A mailing has a draft, an approved version or both. A draft beside an approved version is the newer one.
 * @param isListed whether the value is a mailing; else it is a synchronization, whose members have longer names
 */
function assembleMailing(
  id: string,
  value: unknown,
  isListed: boolean,
  versions: ReturnType<Findings['versions']['get']>,
  reader: ValueReader,
): Mailing {
  const modified = reader.date(value, 'modificationDate')
  const creationDate = reader.certainDate(value, 'creationDate', modified)
  const name = textAt(value, isListed ? 'name' : 'mailingName') || 'Unnamed mailing'
  const isApproved = memberAt(value, isListed ? 'isApproved' : 'mailingIsApproved') === true
  const isDraft = !isApproved || memberAt(value, isListed ? 'hasDraft' : 'mailingHasDraft') === true
  const approvedName = (isDraft ? versions?.approvedName : undefined) || name
  return {
    id,
    creationDate,
    modificationDate: modified ?? creationDate,
    draft: isDraft ? assembleVersion(isApproved ? 2 : 1, name, versions?.draft, reader) : null,
    approved: isApproved ? assembleVersion(1, approvedName, versions?.approved, reader) : null,
  }
}

function assembleVersion(number: number, name: string, preview: unknown, reader: ValueReader): Version {
  if (preview === undefined) {
    reader.notes.add(
      'a version of a mailing has no preview, mostly since no synchronization has the mailing, so its content cannot be read; a placeholder stands in its place',
    )
    return {
      number,
      name,
      subject: asLiteral(name),
      html: `<!DOCTYPE html><title>${escapeTitle(name)}</title>`,
      text: asLiteral(name),
    }
  }
  const content = (member: string) => asLiteral(textAt(preview, member) ?? '')
  return {
    number,
    name,
    subject: content('subject'),
    html: content('htmlContent'),
    text: content('textContent'),
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeTitle = (name: string) => asLiteral(name.replaceAll(/[&<>]/g, it => entities[it]!))

/** A text that the mock shows unchanged: an empty placeholder interrupts what looks like one of its placeholders. */
export const asLiteral = (content: string): string =>
  content.replaceAll(/\{\{(?=\w+(?:\|[^{}]*)?\}\})/g, '{{{nothing}}{')
