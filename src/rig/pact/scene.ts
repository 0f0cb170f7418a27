import { latestVersion } from '../../service/mailings.ts'
import { problems } from '../../service/problem.ts'
import { settled, settledRows } from '../../service/sendings/lifecycle.ts'
import { instant } from '../../service/time.ts'
import type { Tables } from '../../store/content.ts'
import type { List, Mailing, PlanStep, Sending, Synchronization, Version } from '../../store/rows.ts'
import { ruleFrom } from '../scenarios/read.ts'
import type { SpaceRig } from '../space-rig.ts'

/** What sendings and platform mailings name as the request that made them: a state has none. */
export const cause = 'provider-state'

/** Longer than any verification: until the space begins anew. */
const always = '36500d'

/** A space in which a state is set up: rows that belong together, made where the pact names none. */
export class Scene {
  readonly rig: SpaceRig

  constructor(rig: SpaceRig) {
    this.rig = rig
  }

  get tables(): Tables {
    return this.rig.space.data.tables
  }

  /** Milliseconds since 1970, on the space's clock. */
  get now(): number {
    return this.rig.clock.now()
  }

  /** An ID that nothing has yet. */
  newId(kind: 'mailing' | 'synchronization' | 'sending' | 'mailing-upload'): string {
    const { chance, data } = this.rig.space
    return chance.uuid(kind, data.age)
  }

  /** A customer of the platform, made if there is none of this name. */
  async customer(name = 'provider-state-customer'): Promise<string> {
    if (!this.tables.customers.get(name)) await this.rig.space.data.save({ customers: [{ name }] })
    return name
  }

  /** An ID that no list has yet. */
  freshListId(): number {
    return Math.max(this.tables.lists.highest, 9_000) + 1
  }

  /**
   * A list: the one of this ID, else a new one of the customer, with a test profile and a test-mail group.
   * @throws Problem 400 when it is of another customer
   */
  async list(given: {
    customer?: string | undefined
    listId?: number | undefined
    isBare?: boolean
  }): Promise<List> {
    const { listId = this.freshListId(), isBare = false } = given
    const known = this.tables.lists.get(listId)
    if (known && given.customer !== undefined && known.customer !== given.customer)
      throw problems.field(
        'params.listId',
        `list ${listId} is of customer "${known.customer}"; name that one, or another list`,
      )
    const id = this.#highestTestId() + 1
    const list: List = {
      ...(known ?? {
        id: listId,
        customer: await this.customer(given.customer),
        name: `List ${listId}`,
        recipients: 100,
      }),
      testProfiles: isBare
        ? []
        : (filled(known?.testProfiles) ?? [
            { id, description: 'Somebody who tests', attributes: { firstName: 'Ada' } },
          ]),
      testMailGroups: isBare
        ? []
        : (filled(known?.testMailGroups) ?? [{ id, name: 'Testers', emails: ['testers@example.com'] }]),
    }
    await this.rig.space.data.save({ lists: [list] })
    return list
  }

  /** An editor mailing in this state of approval: the one of this ID, else a new one. */
  async mailing(given: {
    mailingId?: string | undefined
    name?: string | undefined
    isApproved: boolean
    hasDraft: boolean
  }): Promise<Mailing> {
    const { mailingId = this.newId('mailing'), isApproved, hasDraft } = given
    const known = this.tables.mailings.get(mailingId)
    const at = instant(this.now)
    const latest = { ...(known ? latestVersion(known) : written), ...(given.name && { name: given.name }) }
    const approved = isApproved ? { ...(known?.approved ?? latest), name: latest.name } : null
    const mailing: Mailing = {
      creationDate: at,
      ...known,
      id: mailingId,
      modificationDate: at,
      approved,
      draft: hasDraft ? { ...latest, number: (approved?.number ?? 0) + 1 } : null,
    }
    await this.rig.space.data.save({ mailings: [mailing] })
    return mailing
  }

  /** A synchronization of this mailing with this list: the one of this ID, else a new one. */
  async synchronization(
    synchronizationId: string | undefined,
    mailing: Mailing,
    list: List,
  ): Promise<Synchronization> {
    const { id = synchronizationId ?? this.newId('synchronization'), ...known } =
      (synchronizationId === undefined ? undefined : this.tables.synchronizations.get(synchronizationId)) ??
      {}
    const at = instant(this.now)
    const synchronization: Synchronization = {
      creationDate: at,
      mailingUploadsModificationDate: null,
      sendingsModificationDate: null,
      ...known,
      id,
      modificationDate: at,
      mailingId: mailing.id,
      customer: list.customer,
      listId: list.id,
    }
    await this.rig.space.data.save({ synchronizations: [synchronization] })
    return synchronization
  }

  /** The synchronization of this ID as it is; without one a new one, ready for sending. */
  async readySynchronization(synchronizationId: string | undefined): Promise<Synchronization> {
    const known =
      synchronizationId === undefined ? undefined : this.tables.synchronizations.get(synchronizationId)
    const isApproved = (it: Synchronization) => this.tables.mailings.get(it.mailingId)!.approved !== null
    if (known && isApproved(known)) return known
    const mailing = await this.mailing({ mailingId: known?.mailingId, isApproved: true, hasDraft: false })
    const list = known ? this.tables.lists.get(known.listId)! : await this.list({})
    return this.synchronization(synchronizationId, mailing, list)
  }

  /** A sending in the first step of the plan, and what the platform made of it by then. */
  async sending(
    synchronization: Synchronization,
    given: {
      plan: readonly PlanStep[]
      transactionId?: string | null
      scheduleDate?: string | undefined
      sendingId?: string | undefined
      /** Milliseconds since 1970; now unless given. */
      at?: number
    },
  ): Promise<Sending> {
    const { space } = this.rig
    const at = instant(given.at ?? this.now)
    const row: Sending = {
      id: given.sendingId ?? this.newId('sending'),
      synchronizationId: synchronization.id,
      creationDate: at,
      scheduleDate: given.scheduleDate ?? null,
      transactionId: given.transactionId ?? null,
      name: null,
      subject: null,
      plan: [...given.plan],
      step: 0,
      stepSince: at,
      stepAttempts: 1,
      platformMailingId: null,
      platformSendingId: null,
      cause,
    }
    const made = settled(space, row, this.now)
    await space.data.save(
      settledRows(made, { ...synchronization, modificationDate: at, sendingsModificationDate: at }),
    )
    return made.sending
  }

  /** From now on the service answers so, until the space begins anew. @param rule one step, as a scenario writes it */
  answers(on: string, step: object): void {
    this.rig.faults.arm(ruleFrom({ per: 'space', on, steps: [{ ...step, for: always }] }, 'the state'))
    this.rig.tellTurned()
  }

  #highestTestId(): number {
    let highest = 7_999
    for (let position = 0; position < this.tables.lists.size; position++) {
      const { testProfiles, testMailGroups } = this.tables.lists.at(position)
      for (const { id } of [...testProfiles, ...testMailGroups]) highest = Math.max(highest, id)
    }
    return highest
  }
}

const written: Version = {
  number: 1,
  name: 'Provider state mailing',
  subject: 'News for {{firstName|you}}',
  html: '<!DOCTYPE html><html lang="en"><body><p>Hello {{firstName|there}}</p></body></html>',
  text: 'Hello {{firstName|there}}',
}

const filled = <Row>(rows: Row[] | undefined): Row[] | undefined => (rows?.length ? rows : undefined)
