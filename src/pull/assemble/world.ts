import { z } from 'zod'
import type { AccessibleLists, Customer, List, TestMailGroup, TestProfile } from '../../store/rows.ts'
import { member, text } from '../../verify/hal.ts'
import type { Findings } from '../findings.ts'
import type { Reader } from './reader.ts'

/** How many recipients a list has of which no sending tells it. */
const usualRecipients = 1000
const anEmail = z.email()

/** A list under way: its recipients are known only once the sendings were looked at. */
type Growing = { -readonly [Member in keyof List]: List[Member] }

/** Customers, lists and who may use them. Lists are found by customer and ID, since a fixture's list IDs are unique. */
export class World {
  readonly customers: Customer[] = []
  readonly accessibleLists: AccessibleLists[] = []
  readonly #lists = new Map<string, Growing>()
  readonly #reader: Reader
  readonly #names = new Set<string>()
  readonly #ids = new Set<number>()
  #highest = 0

  constructor(findings: Findings, reader: Reader) {
    this.#reader = reader
    for (const { value, lists } of findings.customers) {
      const customer = this.customer(text(value, 'name') ?? '')
      for (const list of lists) this.#list(customer, reader.number(list, 'id'), text(list, 'name'))
    }
    for (const { value } of findings.synchronizations)
      this.#list(
        this.customer(text(value, 'target.customer') ?? ''),
        reader.number(value, 'target.listId'),
        text(value, 'target.listName'),
      )
    for (const [key, { profiles, groups }] of findings.recipients) {
      const list = this.#lists.get(key)
      if (!list) continue
      list.testProfiles = profiles.flatMap(it => this.#profile(it))
      list.testMailGroups = groups.flatMap(it => this.#group(it))
    }
    for (const { value, configuration } of findings.customers)
      if (configuration !== undefined)
        this.#configure(this.customer(text(value, 'name') ?? ''), configuration)
  }

  get lists(): List[] {
    return [...this.#lists.values()]
  }

  /** The customer of that name, which is there from now on. */
  customer(name: string): string {
    const known = name || 'unnamed'
    if (!this.#names.has(known)) this.customers.push({ name: known })
    this.#names.add(known)
    return known
  }

  /** The list that a synchronization is about. */
  listOf(synchronization: unknown): List {
    const customer = this.customer(text(synchronization, 'target.customer') ?? '')
    const id = this.#reader.number(synchronization, 'target.listId')
    return this.#list(customer, id, text(synchronization, 'target.listName'))
  }

  /** A sending that has begun knows how many it goes to; the latest counts. */
  setRecipients(list: List, recipients: number): void {
    ;(list as Growing).recipients = recipients
  }

  #list(customer: string, given: number | undefined, name: string | undefined): Growing {
    const key = JSON.stringify([customer, given ?? null])
    const known = this.#lists.get(key)
    if (known) return known
    const list: Growing = {
      id: this.#freshId(given),
      customer,
      name: name || 'Unnamed list',
      recipients: usualRecipients,
      testProfiles: [],
      testMailGroups: [],
    }
    this.#lists.set(key, list)
    return list
  }

  #freshId(given: number | undefined): number {
    const isTaken = given === undefined || this.#ids.has(given)
    if (isTaken) this.#reader.notes.add('a list ID that two customers share, or that is none, was replaced')
    const id = isTaken ? this.#highest + 1 : given
    this.#highest = Math.max(this.#highest, id)
    this.#ids.add(id)
    return id
  }

  #profile(value: unknown): TestProfile[] {
    const id = this.#reader.number(value, 'id')
    return id === undefined ? [] : [{ id, description: text(value, 'description') ?? '', attributes: {} }]
  }

  #group(value: unknown): TestMailGroup[] {
    const id = this.#reader.number(value, 'id')
    const all = member(value, 'emails')
    const emails = Array.isArray(all) ? all.filter(it => anEmail.safeParse(it).success) : []
    if (Array.isArray(all) && emails.length < all.length)
      this.#reader.notes.add('an address of a test-mail group was no e-mail address, and is not here')
    return id === undefined ? [] : [{ id, name: this.#reader.name(value, 'name', 'Unnamed group'), emails }]
  }

  #configure(customer: string, value: unknown): void {
    const creationDate = this.#reader.date(value, 'creationDate')
    // Nothing of it has a date before it is put.
    if (creationDate === null) return
    const permitAll = member(value, 'permitAll') === true
    const all = member(value, 'permittedLists')
    const permittedLists = (Array.isArray(all) ? all : []).flatMap((it: unknown) => {
      const list = this.#lists.get(JSON.stringify([customer, Number(it)]))
      if (list) return [list.id]
      this.#reader.notes.add('a permitted list that the customer does not have is not here')
      return []
    })
    this.accessibleLists.push({
      customer,
      creationDate,
      modificationDate: this.#reader.certainDate(value, 'modificationDate', creationDate),
      permitAll,
      permittedLists,
    })
  }
}
