import { z } from 'zod'
import { ruleFrom } from '../../rig/scenarios/read.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { latestVersion } from '../../service/mailings.ts'
import { makePlatformMailing } from '../../service/platform.ts'
import { problems } from '../../service/problem.ts'
import { formatDateTime } from '../../service/response.ts'
import { advanceSending, changedRows } from '../../service/sendings/lifecycle.ts'
import type { Tables } from '../../store/content.ts'
import {
  type AccessibleLists,
  type List,
  type Mailing,
  type MailingUpload,
  type PlanStep,
  type Sending,
  type SendingState,
  type Synchronization,
  sendingState,
  synchronization,
  truth,
  type Version,
} from '../../store/rows.ts'
import { strict } from '../../store/validation-messages.ts'

/** The cause of sendings and platform mailings that no request made. */
const stateCause = 'provider-state'

/** Longer than any verification: until the space is reset. */
const forever = '36500d'

/** A space in which a state is set up: makes rows that belong together if the pact does not name existing ones. */
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

  newId(kind: 'mailing' | 'synchronization' | 'sending' | 'mailing-upload'): string {
    const { chance, data } = this.rig.space
    return chance.uuid(kind, data.age)
  }

  /** An ID that nothing has. @param member the parameter that names it @param row what has it @throws Problem 400 */
  unused<Id extends string | number>(member: string, id: Id, row: object | undefined): Id {
    if (!row) return id
    const what = member.replace(/Id$/, '').replace('mailingUpload', 'mailing-upload')
    throw problems.field(`params.${member}`, `there is a ${what} ${id}, and no state deletes one`)
  }

  /** A customer of the platform; made if it does not exist. */
  customer(name = 'provider-state-customer'): string {
    if (!this.tables.customers.get(name)) this.rig.space.data.save({ customers: [{ name }] })
    return name
  }

  freshListId(): number {
    return Math.max(this.tables.lists.highest, 9_000) + 1
  }

  /** The list with this ID, or a new one of the customer. @throws Problem 400 when it belongs to another customer */
  list(given: {
    customer?: string | undefined
    listId?: number | undefined
    isBare?: boolean | undefined
  }): List {
    const { listId = this.freshListId(), isBare } = given
    const known = this.tables.lists.get(listId)
    if (known && given.customer !== undefined && known.customer !== given.customer)
      throw problems.field(
        'params.listId',
        `list ${listId} is of customer "${known.customer}"; name that one, or another list`,
      )
    const id = this.#freshTestId()
    const testProfile = { id, description: 'A tester', attributes: { firstName: 'Ada' } }
    const testMailGroup = { id, name: 'Testers', emails: ['testers@example.com'] }
    const list: List = {
      ...(known ?? {
        id: listId,
        customer: this.customer(given.customer),
        name: `List ${listId}`,
        recipients: 100,
      }),
      testProfiles: isBare ? [] : someOr(testProfile, known?.testProfiles),
      testMailGroups: isBare ? [] : someOr(testMailGroup, known?.testMailGroups),
    }
    this.rig.space.data.save({ lists: [list] })
    return list
  }

  /** An editor mailing in this state of approval: the one with this ID, or a new one. */
  mailing(given: {
    mailingId?: string | undefined
    name?: string | undefined
    isApproved: boolean
    hasDraft: boolean
  }): Mailing {
    const { mailingId = this.newId('mailing'), isApproved, hasDraft } = given
    const known = this.tables.mailings.get(mailingId)
    const at = formatDateTime(this.now)
    const latest = {
      ...(known ? latestVersion(known) : defaultVersion),
      ...(given.name && { name: given.name }),
    }
    const approved = isApproved ? { ...(known?.approved ?? latest), name: latest.name } : null
    const mailing: Mailing = {
      creationDate: at,
      ...known,
      id: mailingId,
      modificationDate: at,
      approved,
      draft: hasDraft ? { ...latest, number: (approved?.number ?? 0) + 1 } : null,
    }
    this.rig.space.data.save({ mailings: [mailing] })
    return mailing
  }

  /** A synchronization of this mailing with this list: the one with this ID, or a new one. */
  synchronization(synchronizationId: string | undefined, mailing: Mailing, list: List) {
    const { id = synchronizationId ?? this.newId('synchronization'), ...known } =
      this.tables.synchronizations.get(synchronizationId ?? '') ?? {}
    const at = formatDateTime(this.now)
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
    this.rig.space.data.save({ synchronizations: [synchronization] })
    return synchronization
  }

  /** The synchronization with this ID, or a new one; ready for sending. */
  readySynchronization(synchronizationId: string | undefined): Synchronization {
    const known = this.tables.synchronizations.get(synchronizationId ?? '')
    if (known && this.tables.mailings.get(known.mailingId)!.approved) return known
    const mailing = this.mailing({ mailingId: known?.mailingId, isApproved: true, hasDraft: false })
    const list = known ? this.tables.lists.get(known.listId)! : this.list({})
    return this.synchronization(synchronizationId, mailing, list)
  }

  /** A mailing-upload as `POST …/mailing-uploads` makes it (spec 4.10). */
  upload(owner: Synchronization): MailingUpload {
    const { space } = this.rig
    const now = formatDateTime(this.now)
    const content = latestVersion(this.tables.mailings.get(owner.mailingId)!)
    const origin = 'mailing-upload'
    const made = makePlatformMailing(space, owner, { origin, content, now, cause: stateCause })
    const upload = {
      id: this.newId('mailing-upload'),
      synchronizationId: owner.id,
      creationDate: now,
      modificationDate: now,
      platformMailingId: made.id,
    }
    space.data.save({
      mailingUploads: [upload],
      platformMailings: [made],
      synchronizations: [{ ...owner, modificationDate: now, mailingUploadsModificationDate: now }],
    })
    return upload
  }

  /** A sending in a permanent state, and what the platform has made of it since `at`. @throws Problem 400 */
  sending(given: z.output<typeof anySending>, at = this.now) {
    const { sendingId, state = 'CREATED', truth, scheduleDate, transactionId = null } = given
    if (sendingId !== undefined && this.tables.sendings.get(sendingId))
      throw problems.field('params.sendingId', `there is a sending ${sendingId}; name another, or none`)
    if (scheduleDate !== undefined && Date.parse(scheduleDate) <= this.now)
      throw problems.field(
        'params.scheduleDate',
        `${scheduleDate} is not in the future; it is ${formatDateTime(this.now)}`,
      )
    const plan = planOf(state, truth)
    const synchronization = this.readySynchronization(given.synchronizationId)
    if (transactionId !== null && this.tables.sendingOfTransaction(synchronization.id, transactionId))
      throw problems.field(
        'params.transactionId',
        `synchronization ${synchronization.id} has a sending with transaction ID ${transactionId}; name another of them`,
      )
    const { space } = this.rig
    const date = formatDateTime(at)
    const row: Sending = {
      id: sendingId ?? this.newId('sending'),
      synchronizationId: synchronization.id,
      creationDate: date,
      scheduleDate: scheduleDate ?? null,
      transactionId,
      name: null,
      subject: null,
      plan,
      step: 0,
      stepSince: date,
      stepAttempts: 1,
      platformMailingId: null,
      platformSendingId: null,
      cause: stateCause,
    }
    const made = advanceSending(space, row, this.now)
    const { sendingsModificationDate: last } = synchronization
    const latest = last !== null && last > date ? last : date
    const owner = { ...synchronization, modificationDate: latest, sendingsModificationDate: latest }
    space.data.save(changedRows(made, owner))
    return { synchronizationId: synchronization.id, sendingId: row.id }
  }

  /** As a client would configure it (spec 4.16). */
  configureLists(of: string, rest: Pick<AccessibleLists, 'permitAll' | 'permittedLists'>): void {
    const at = formatDateTime(this.now)
    const known = this.tables.accessibleLists.get(of)
    const row = { creationDate: known?.creationDate ?? at, modificationDate: at, customer: of, ...rest }
    this.rig.space.data.save({ accessibleLists: [row] })
  }

  /** From now on the service answers like this, until the space is reset. @param step as in a scenario file */
  answerWith(on: string, step: object): void {
    this.rig.faults.arm(ruleFrom({ per: 'space', on, steps: [{ ...step, for: forever }] }, 'the state'))
  }

  /** An ID that no test profile and no test-mail group has. */
  #freshTestId(): number {
    let highest = 7_999
    for (const { testProfiles, testMailGroups } of this.tables.lists.rows())
      for (const { id } of [...testProfiles, ...testMailGroups]) highest = Math.max(highest, id)
    return highest + 1
  }
}

const defaultVersion: Version = {
  number: 1,
  name: 'Provider state mailing',
  subject: 'News for {{firstName|you}}',
  html: '<!DOCTYPE html><html lang="en"><body><p>Hello {{firstName|there}}</p></body></html>',
  text: 'Hello {{firstName|there}}',
}

const someOr = <Row>(made: Row, rows: Row[] = []): Row[] => (rows.length > 0 ? rows : [made])

/** @template Name names of its values */
export interface StateSpec<Params extends z.ZodObject, Name extends string> {
  /** Its name in a pact. A part in braces is a parameter that the name may contain: `there is no list {listId}`. */
  readonly name: string
  readonly alsoNamed?: readonly string[]
  readonly description: string
  readonly params: Params
  /** Parameters taken from an earlier state of the same interaction if they are not given. */
  readonly takes?: readonly (string & keyof z.output<Params>)[]
  /** What a verifier may use in a request instead of the values in its pact, mainly IDs. */
  readonly values?: { readonly [Value in Name]: string }
  /** @throws Problem 400 naming an invalid parameter */
  setUp(scene: Scene, params: z.output<Params>): { readonly [Value in Name]: string | number }
}

/** A state that a pact may name in `given`: the content of the space, or how the service answers. */
export type ProviderState = Required<StateSpec<z.ZodObject, string>>

/** Connects the types of parameters and values between description and setup. */
export const providerState = <Params extends z.ZodObject, Name extends string = never>(
  spec: StateSpec<Params, Name>,
): ProviderState => ({ alsoNamed: [], takes: [], values: {}, ...spec }) as ProviderState

/** The parameters of a state; unknown ones are refused by name. */
export const params = strict

/** Verifiers before version 3 of the format, and parameters in names, give only texts. */
const number = (least: number, form: string) =>
  z
    .union([z.int(), z.string().regex(/^\d{1,15}$/, `expected ${form}`)], { error: `expected ${form}` })
    .transform(Number)
    .refine(given => given >= least, `expected ${form}`)

export const seconds = number(0, 'whole seconds')
export const platformId = number(1, 'a whole number from 1').describe('Made up unless given')
export const status = number(400, 'a status from 400 to 599').refine(
  given => given <= 599,
  'expected a status from 400 to 599',
)

export const uuid = synchronization.shape.id.describe('A lower-case UUID; made up unless given')
export const text = z.string({ error: 'expected text' }).min(1, 'expected at least one character').max(200)
export const transactionId = z
  .string({ error: 'expected text' })
  .regex(/^[\w.:-]{1,100}$/, 'expected 1 to 100 letters, digits, dots, colons, hyphens and underscores')
export const sendingTruth = truth
  .extract(['sent', 'not-sent'])
  .describe('Whether the platform really sent it, whatever the state says')

const dateTimeForm = 'expected a date-time with its zone, such as 2035-03-01T09:30:00Z'
/** Normalised to UTC with milliseconds. */
export const dateTime = z.iso
  .datetime({ offset: true, error: dateTimeForm })
  .transform(given => formatDateTime(Date.parse(given)))
  .refine(({ length }) => length === 24, 'expected a date-time before the year 10000 in UTC')

export const sendingParams = {
  synchronizationId: uuid.optional().describe('A new one, ready for sending, unless given'),
}

export const anySending = params({
  ...sendingParams,
  sendingId: uuid.optional(),
  transactionId: transactionId
    .nullable()
    .optional()
    .describe('None unless given; for another state than CREATED made up'),
  state: sendingState.optional().describe('CREATED unless given'),
  truth: sendingTruth.optional(),
  scheduleDate: dateTime.optional().describe('When it goes out; at once unless given'),
})

/** A plan with one permanent state. @throws Problem 400 for a sending that is CREATED and was not sent (spec 3) */
export function planOf(state: SendingState, truth: PlanStep['truth']): PlanStep[] {
  if (state === 'CREATED' && truth === 'not-sent')
    throw problems.field(
      'params.truth',
      'CREATED means sent or scheduled (section 3); for one that has not gone out yet give a scheduleDate in the future',
    )
  return [{ state, ...(truth && { truth }) }]
}
