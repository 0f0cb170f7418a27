import { z } from 'zod'
import { knownState, sendingStates } from '../../store/format.ts'
import type { PlanStep, Sending, SendingState } from '../../store/rows.ts'
import type { ReadableSpace, Space } from '../../store/space-data.ts'
import { assumed, documented, specified } from '../claim.ts'
import { type DialValues, defaultDials, millisecondsOf } from '../dials.ts'
import {
  operation,
  type ServiceCall,
  type ServiceContext,
  type ShownSending,
  synchronizationsPath,
} from '../operation.ts'
import { pageAnswer, pageParameters, pageQuery, renderRows, takePage, walkByCreation } from '../paging.ts'
import { problems } from '../problem.ts'
import { booleanText } from '../request-input.ts'
import {
  collection,
  dateTime,
  group,
  link,
  member,
  numericId,
  pageLink,
  resource,
  selfLink,
  uuid,
} from '../resource.ts'
import { formatDateTime, halAnswer } from '../response.ts'
import { findSynchronization, refuseWithoutParts } from '../synchronizations.ts'
import {
  type AdvancedSending,
  advanceSending,
  changedRows,
  countAttempt,
  stateOf,
  toKnownSending,
  undisturbedPlan,
} from './lifecycle.ts'
import { statisticsByDials, statisticsForm } from './statistics.ts'

const sendingsPath = `${synchronizationsPath}/:syncId/sendings`

const unsent = assumed(
  'S target of unsent',
  'While nothing exists on the platform, target is an object whose IDs are null.',
)

const undecided = assumed(
  'S target of indeterminate',
  'Until a sending is CREATED or FAILED everything that it shows of the platform, such as its target and its statistics, is as if nothing existed there, whether or not it was sent, so the service never shows what INDETERMINATE_FAILURE leaves open.',
)

const platformId = (says: string) => member(numericId.nullable(), says, { further: [unsent, undecided] })
const target = group(
  {
    mailingId: platformId('target.mailingId is the ID of the platform mailing, a number.'),
    sendingId: platformId('target.sendingId is the ID of the platform sending, a number.'),
  },
  'target is an object that says what the platform made of it.',
)

const sendingMembers = {
  id: member(uuid, 'A sending has its ID as a string.'),
  creationDate: member(dateTime, 'A sending has the date-time of its creation.'),
  scheduleDate: member(
    dateTime.nullable(),
    'The date-time the sending is executed, and null when it was sent at once.',
  ),
  mailingSynchronizationId: member(uuid, 'A sending names its synchronization by ID.'),
  state: member(z.enum(sendingStates), 'state is PENDING, CREATED, FAILED or INDETERMINATE_FAILURE.', {
    further: [
      specified('3 PENDING', 'PENDING: the request is still being worked on.'),
      specified('3 CREATED', 'CREATED: the mailing was sent or scheduled, nothing is left to do.'),
      specified('3 FAILED', 'FAILED: the mailing was not sent and will not be.'),
      specified(
        '3 INDETERMINATE_FAILURE',
        'INDETERMINATE_FAILURE: it may or may not have been sent, and the mock can do both.',
      ),
      assumed('3 transitions', 'Only PENDING gives way to another state; the other three are final.'),
    ],
  }),
  transactionId: member(
    z.string().nullable(),
    'The transaction ID of the request that created the sending, null without one.',
  ),
  target: member(target.schema.nullable(), target.says, {
    members: target.members!,
    further: [unsent, undecided],
    byDials: (schema, dials) => (dials['target-of-unsent'] === 'null' ? schema : schema.unwrap()),
  }),
}

/** @param mailingId of the editor; undefined in forms that do not name it */
const sendingValues = <Mailing extends string | undefined>(
  dials: DialValues,
  sending: Sending,
  state: SendingState,
  mailingId: Mailing,
) => {
  const { platformMailingId, platformSendingId: sendingId } = toKnownSending(sending, state, dials)
  const isNothing = platformMailingId === null && sendingId === null
  return {
    id: sending.id,
    creationDate: sending.creationDate,
    scheduleDate: sending.scheduleDate,
    mailingSynchronizationId: sending.synchronizationId,
    state,
    transactionId: sending.transactionId,
    target:
      isNothing && dials['target-of-unsent'] === 'null' ? null : { mailingId: platformMailingId, sendingId },
    mailingId,
  }
}

const sendingLinks = {
  self: selfLink((links, { synchronizationId, id }: Sending) => links.sending(synchronizationId, id)),
  report: pageLink('The report link opens the report of the sending.', (links, { id }: Sending) =>
    links.report(id),
  ),
}

export const sendingForm = resource<[Sending, SendingState]>()({
  name: 'Sending',
  section: '2.3',
  members: sendingMembers,
  values: (dials, sending, state) => sendingValues(dials, sending, state, undefined),
  links: sendingLinks,
  linksSay: 'A sending links to itself and to its report.',
  hasCuries: true,
})

/** The field table has the editor mailing, the example does not: a dial. */
export const createdSendingForm = resource<[Sending, SendingState, mailingId: string]>()({
  ...sendingForm,
  name: 'CreatedSending',
  kind: 'sending',
  members: {
    ...sendingMembers,
    mailingId: member(
      uuid,
      'The response to creating a sending also names the editor mailing, though the example does not.',
    ),
  },
  values: sendingValues,
})

/** The form of an answer to creating a sending. */
const answerForm = ({ 'created-sending-mailing-id': named }: DialValues, status: 200 | 201) =>
  named === 'present' || named === `only-${status}` ? createdSendingForm : sendingForm

export const sendingItemForm = resource<[Sending, SendingState]>()({
  ...sendingForm,
  name: 'SendingItem',
  kind: 'sending',
  links: {
    ...sendingLinks,
    statistics: link('', (links, { synchronizationId, id }) => links.statistics(synchronizationId, id), {
      further: ['S sendings collection'],
    }),
  },
  hasCuries: false,
})

export const sendingCollection = collection('4.3', 'sendings', sendingItemForm, {
  cites: ['4.3 shape', 'S sendings collection'],
})

/** The sending that a transaction ID stands for. Undefined for an ID that is new or, by the dial, forgotten. */
export function sendingOfTransaction(
  { data: { tables }, clock }: ReadableSpace,
  dials: DialValues,
  synchronizationId: string,
  transactionId: string,
): Sending | undefined {
  const known = tables.sendingOfTransaction(synchronizationId, transactionId)
  // Reading the date takes as long as finding the sending.
  if (!known || dials['transaction-expiry'] === 'never') return known
  const age = clock.now() - Date.parse(known.creationDate)
  return age < millisecondsOf(dials['transaction-expiry']) ? known : undefined
}

/** Offsets of other notations, such as PHP's DATE_ISO8601 writes. */
const offsetWithoutColon = /^[^T]*T[^T]*[+-](\d\d)(\d\d)?$/

function describeDateTime(input: unknown, example: string): string {
  const [, hours, minutes = '00'] = (typeof input === 'string' && offsetWithoutColon.exec(input)) || []
  return hours === undefined
    ? `expected an ISO 8601 date-time with a time zone, such as ${example}`
    : `expected an offset with a colon, such as +${hours}:${minutes}`
}

/** Date-times in requests: the zone is mandatory (spec 2 and 4.1), a fraction of a second by the dial. */
const requestDateTimes = (isFractionRequired: boolean) =>
  (isFractionRequired
    ? z.iso.datetime({
        offset: true,
        precision: 3,
        error: ({ input }) => describeDateTime(input, '2030-05-17T09:30:00.000Z'),
      })
    : z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })], {
        error: ({ input }) => describeDateTime(input, '2030-05-17T09:30:00Z or 2030-05-17T11:30:00+02:00'),
      })
  )
    // A later year has more than four digits.
    .refine(
      text => Date.parse(text) <= Date.UTC(9999, 11, 31, 23, 59, 59, 999),
      'expected a date-time before the year 10000 in UTC',
    )
    .meta({
      wire: {
        type: 'string',
        format: 'date-time',
        ...(isFractionRequired && { pattern: '\\.\\d{3}(Z|[+-]\\d{2}:\\d{2})$' }),
      },
    })

/** A member that is null counts as not given. */
const sendingBody = (dials: DialValues) => {
  const text =
    dials['empty-text'] === 'taken'
      ? z.string('expected a string')
      : z.string('expected a string').regex(/\S/, 'expected at least one character besides blanks')
  const letters = dials['transaction-id-letters'] === 'ascii' ? /^[A-Za-z0-9.:_-]*$/ : /^[\p{L}\p{Nd}.:_-]*$/u
  return z.object({
    scheduleDate: requestDateTimes(dials['date-time-in'] === 'fraction-required').nullish(),
    name: text.nullish(),
    subject: text.nullish(),
    transactionId: z
      .string('expected a string')
      .min(1, 'expected 1 to 100 characters')
      // A letter outside of the basic plane counts once.
      .refine(text => [...text].length <= 100, {
        error: ({ input }) => `expected 1 to 100 characters, got ${[...String(input)].length}`,
      })
      .regex(letters, 'expected only letters, digits, dots, colons, hyphens and underscores')
      .meta({ wire: { type: 'string', minLength: 1, maxLength: 100, pattern: letters.source } })
      .nullish(),
  })
}

/** The sending that is known under the transaction ID, within the synchronization of the request, if there is that. */
const findRepeated = (c: ServiceContext, transactionId: unknown): Sending | undefined =>
  typeof transactionId === 'string'
    ? sendingOfTransaction(c.env.space, c.env.dials, c.req.param('syncId')!, transactionId)
    : undefined

export const createSending = operation({
  method: 'POST',
  path: sendingsPath,
  tag: 'Sendings',
  summary: 'Create a sending',
  claim: specified('4.1', 'POST on the sendings of a synchronization creates a sending.'),
  parameters: { syncId: [specified('4.1 id', 'The path names the synchronization by its ID.')] },
  body: {
    name: 'SendingRequest',
    schema: sendingBody(defaultDials),
    schemaFor: sendingBody,
    /** 4.1/9: whatever differs from the first request is ignored. */
    withoutCheck: (c, { transactionId }) =>
      c.env.dials['repeat-validation'] === 'ignored' && findRepeated(c, transactionId)
        ? { transactionId: transactionId as string }
        : undefined,
    claims: [specified('4.1 empty body', 'Every field is optional, and an empty object is a valid body.')],
    members: {
      scheduleDate: [
        specified(
          '4.1 scheduleDate',
          'With a scheduleDate the mailing is scheduled, without one it is sent at once.',
        ),
        '2 date-time in',
        'S date-time in',
        'S date-time forms',
        '7/2',
      ],
      name: [
        specified('4.1 name', 'A given name becomes the name of the platform mailing.'),
        assumed('S empty text', 'A name or a subject that is empty or blank is used as it is.'),
      ],
      subject: [
        specified('4.1 subject', 'A given subject becomes the subject of the platform mailing.'),
        'S empty text',
      ],
      transactionId: [
        specified(
          '4.1 transactionId',
          'A transaction ID stands for one sending within its synchronization, however often it arrives.',
        ),
        assumed(
          'S repeat validation',
          'On a repeat the other members are not even checked: what would be refused in a first request is ignored.',
        ),
        '8 transactionId length',
        '8 transactionId characters',
        assumed('S transactionId letters', 'Letters and digits of a transaction ID are those of ASCII.'),
        assumed('S transactionId expiry', 'A transaction ID is never forgotten within its synchronization.'),
        assumed(
          'S transactionId rejected',
          'A transaction ID refused with a 4xx is not taken and may be used again.',
        ),
      ],
    },
  },
  means: { creates: 'sending', identifiedBy: 'transactionId', scheduledBy: 'scheduleDate' },
  answers: dials => [
    {
      status: 201,
      cites: [
        '4.1/4',
        '7 201',
        assumed(
          'S transactionId after 500',
          'When nothing was done before the 500, the repeat is the first to be processed: 201.',
        ),
      ],
      shows: answerForm(dials, 201),
      hasLocation: true,
    },
    {
      status: 200,
      cites: [
        '4.1/5',
        '7/1',
        assumed(
          'S created without transactionId',
          'A sending that was created without a transaction ID is answered 201 with a Location.',
        ),
        assumed('S Location of a 200', 'A sending that is answered 200 comes without a Location.'),
      ],
      shows: answerForm(dials, 200),
      hasLocation: dials['location-on-200'] === 'present',
    },
  ],
  problems: ['schedule-date-in-past', 'not-ready-for-sending'],
  refusals: { 500: '7 500' },
  claims: [
    ...specified({
      '4.1 response': 'The response is the sending, with the ID of the editor mailing.',
      '4.1/1':
        'The response does not wait for the sending to complete, and success is no proof that mails went out.',
      '4.1/2':
        'A platform mailing with the whole approved content is made on the target list, approved, and sent or scheduled.',
      '4.1/3':
        'Without a transaction ID success means CREATED; after an error the mailing may have been sent all the same, and a repeat sends again.',
      '4.1/4':
        'With a transaction ID, if the sending was set up completely: 201, a Location that leads to the sending, and the sending.',
      '4.1/5':
        'A request with a repeated transaction ID, or with a transaction ID when there is trouble on the server, is answered 200 with the sending and its state.',
      '4.1/6': 'With a transaction ID and a mistake of the client: a 4xx.',
      '4.1/7': 'With a transaction ID and a request that could not be processed: 500.',
      '4.1/8':
        'After a timeout or a 5xx, repeating the same transaction ID tells the outcome and sends nothing twice.',
      '4.1/9': 'On a repeat the rest of the payload is ignored, whatever differs from the first.',
    }),
    assumed(
      '4.1/10',
      'The document limits how long a client may repeat after PENDING, and how often it may create the sending again after FAILED. The service does not hinder a client that stays within these limits.',
    ),
    ...specified({
      '3/1': 'Without a transaction ID the only state ever told is CREATED.',
      '3/3': 'A sending takes an approved mailing, and readyForSending says beforehand whether there is one.',
      '3/4':
        'A client can act on the state of a 200. A repeat with the same transaction ID is safe after PENDING and CREATED; after FAILED another transaction ID can succeed; INDETERMINATE_FAILURE stays as it is.',
    }),
    documented('S sendings use approved', 'A sending takes its content from the approved version.'),
    assumed(
      'S indeterminate without transactionId',
      'After an error without a transaction ID, if the outcome is open, nothing shows whether it was sent: no collection has the sending, and no date has moved.',
    ),
  ],
  handle(c, { body }) {
    const { space, links, rendered, cause, dials, plan = undisturbedPlan } = c.env
    const { tables } = space.data
    const synchronization = findSynchronization(c)
    const now = space.clock.now()
    const transactionId = body.transactionId ?? null
    if (transactionId !== null) {
      const known = findRepeated(c, transactionId)
      // 4.1/5 and 4.1/9
      if (known) {
        const sending = recordRepeat(space, known, now, cause)
        const document = rendered.resource<[Sending, SendingState, string]>(
          answerForm(dials, 200),
          sending,
          stateOf(sending, now),
          synchronization.mailingId,
        )
        return halAnswer(document, 200, locationByDial(c.env, sending))
      }
    }
    if (body.scheduleDate != null && Date.parse(body.scheduleDate) <= now)
      throw problems.scheduleDateInPast(body.scheduleDate, formatDateTime(now)) // 7/2
    const mailing = tables.mailings.get(synchronization.mailingId)!
    refuseWithoutParts(tables, synchronization, mailing)
    if (!mailing.approved) throw problems.notReady(synchronization.id) // 3/3

    const isCreated = plan[0]!.state === 'CREATED'
    const isTold = transactionId !== null || isCreated // 3/1: without a transaction ID only CREATED may be shown

    const at = formatDateTime(now)
    // Without a transaction ID a client cannot ask for the outcome, so the work is done to its end at once.
    const untold = isTold ? undefined : untoldStep(plan)
    // Nothing may show then what INDETERMINATE_FAILURE leaves open (spec 3), nor whether there is a sending at all.
    const isHidden = untold && untold.state !== 'CREATED' && untold.state !== 'FAILED'
    const fresh = advanceSending(
      space,
      {
        id: space.chance.uuid('sending', space.data.age),
        synchronizationId: synchronization.id,
        creationDate: at,
        scheduleDate: body.scheduleDate == null ? null : formatDateTime(Date.parse(body.scheduleDate)),
        transactionId,
        name: body.name ?? null,
        subject: body.subject ?? null,
        plan: (untold ? [untold] : plan) as PlanStep[], // shared: rows are never changed in place
        step: 0,
        stepSince: at,
        stepAttempts: 1,
        platformMailingId: null,
        platformSendingId: null,
        cause,
        ...(isHidden && { hidden: true as const }),
      },
      now,
    )
    if (isHidden) {
      space.data.save(changedRows(fresh))
      throw notSetUp(plan)
    }
    if (untold?.state === 'FAILED') {
      const { mailing } = fresh.effect
      if (mailing) space.data.save({ platformMailings: [mailing] })
      throw notSetUp(plan)
    }
    space.data.save(changedRows(fresh, { ...synchronization, sendingsModificationDate: at }))
    if (!isTold) throw notSetUp(plan)
    const { mailingId } = synchronization
    // 4.1/4 and 4.1/5
    const isNew = isCreated && (transactionId !== null || dials['created-without-id-status'] === '201')
    const form = answerForm(dials, isNew ? 201 : 200)
    const document = form.render(links, dials, fresh.sending, plan[0]!.state, mailingId)
    return isNew
      ? halAnswer(document, 201, links.sending(synchronization.id, fresh.sending.id))
      : halAnswer(document, 200, locationByDial(c.env, fresh.sending))
  },
})

/** What becomes at once of a sending whose state may not be told: the end of its plan, with what its first step leaves behind. */
function untoldStep(plan: readonly PlanStep[]): PlanStep {
  const { state, truth } = plan.at(-1)!
  return { state, ...(truth && { truth }), ...(plan[0]!.partial && { partial: true }) }
}

/** The 500 without a transaction ID. Only FAILED says that nothing was sent (spec 3). */
const notSetUp = (plan: readonly PlanStep[]) =>
  problems.notProcessed(
    plan.at(-1)!.state === 'FAILED'
      ? 'The sending could not be set up'
      : 'The outcome of setting the sending up is unknown',
  )

/** By the document only a 201 has a Location. The dial adds one to every answer with a sending. */
const locationByDial = ({ links, dials }: ServiceCall, { synchronizationId, id }: Sending) =>
  dials['location-on-200'] === 'present' ? links.sending(synchronizationId, id) : undefined

/** @param cause ID of the request that repeats the transaction */
function recordRepeat(space: Space, known: Sending, now: number, cause: string): Sending {
  const { sending, isNewStep } = countAttempt(known, now)
  return saveAdvance(space, known, advanceSending(space, sending, now, isNewStep ? cause : undefined))
}

function saveAdvance(space: Space, before: Sending, after: AdvancedSending): Sending {
  if (after.sending !== before) space.data.save(changedRows(after))
  return after.sending
}

/** The sending of the path, brought up to date. @throws Problem 404 */
function findSending(c: ServiceContext): Sending {
  const { space } = c.env
  const synchronization = findSynchronization(c)
  const id = c.req.param('id')!
  const sending = space.data.tables.sendings.get(id)
  if (sending?.synchronizationId !== synchronization.id || sending.hidden)
    throw problems.notFound(`sending ${id} of mailing synchronization ${synchronization.id}`)
  return saveAdvance(space, sending, advanceSending(space, sending, space.clock.now()))
}

/** The sendings in an answer, whether it has one or a collection. */
function shownSendings(body: Readonly<Record<string, unknown>>): ShownSending[] {
  const embedded = body._embedded
  const lists = typeof embedded === 'object' && embedded !== null ? Object.values(embedded) : [[body]]
  const values: unknown[] = lists.flatMap(list => (Array.isArray(list) ? list : []))
  return values.flatMap(value => {
    if (typeof value !== 'object' || value === null) return []
    const { id, transactionId, state: text } = value as Record<string, unknown>
    const state = knownState(text)
    if (typeof id !== 'string' || !state) return []
    return [
      { sendingId: id, transactionId: typeof transactionId === 'string' ? transactionId : undefined, state },
    ]
  })
}

export const getSending = operation({
  method: 'GET',
  path: `${sendingsPath}/:id`,
  tag: 'Sendings',
  summary: 'Retrieve a sending',
  claim: specified('4.2', 'GET on a sending answers 200 with it.'),
  parameters: {
    syncId: [specified('4.2 syncId', 'The path names the synchronization by its ID.')],
    id: [specified('4.2 id', 'The path names the sending by its ID.')],
  },
  answers: [{ status: 200, cites: ['4.2', '4.2 transactionId'], shows: sendingForm }],
  claims: specified({
    '4.2 transactionId': 'transactionId is that of the first request, null when it had none.',
  }),
  shownSendings,
  handle(c) {
    const { space, rendered } = c.env
    const sending = findSending(c)
    return halAnswer(rendered.resource(sendingForm, sending, stateOf(sending, space.clock.now())))
  },
})

export const listSendings = operation({
  method: 'GET',
  path: sendingsPath,
  tag: 'Sendings',
  summary: 'List the sendings of a synchronization',
  claim: specified('4.3', 'GET on the sendings link of a synchronization answers with its sendings.'),
  parameters: {
    syncId: [specified('4.3 id', 'The path names the synchronization by its ID.')],
    includeAllStates: specified({
      '4.3 includeAllStates': 'includeAllStates=true adds the states other than CREATED.',
      '3/2': 'Sendings in other states than CREATED are listed only with includeAllStates=true.',
    }),
    ...pageParameters(documented('S sendings pageSize', 'pageSize bounds a page of sendings.')),
  },
  query: z.object({ includeAllStates: booleanText.default(false), ...pageQuery.shape }),
  answers: [{ status: 200, cites: ['4.3 shape', 'S default order', 'S 200'], shows: sendingCollection }],
  claims: documented({
    '4.3 shape': 'The sendings are embedded as svc:sendings beside a self link.',
    'S sendings collection':
      'An item is the whole sending and links to itself, its report and its statistics.',
    'S sendings order': 'Sendings are listed in the order they were created.',
  }),
  shownSendings,
  handle(c, { query }) {
    const { space, rendered } = c.env
    const { tables } = space.data
    const { id } = findSynchronization(c)
    const now = space.clock.now()
    const walk = walkByCreation(c, tables.sendingsOfSynchronization.count(id), n =>
      tables.sendings.at(tables.sendingsOfSynchronization.nth(id, n)!),
    )
    const filter =
      ({ includeAllStates }: typeof query) =>
      (sending: Sending) =>
        includeAllStates || stateOf(sending, now) === 'CREATED'
    const { rows, next } = takePage(c, `sendings of ${id}`, query, walk, filter)
    const items = renderRows(rows, row => {
      const sending = saveAdvance(space, row, advanceSending(space, row, now))
      return rendered.resource(sendingItemForm, sending, stateOf(sending, now))
    })
    return pageAnswer(c, sendingCollection, items, next)
  },
})

export const getSendingStatistics = operation({
  method: 'GET',
  path: `${sendingsPath}/:id/statistics`,
  tag: 'Sendings',
  summary: 'Retrieve the statistics of a sending',
  claim: specified('4.4', 'GET on the statistics of a sending answers with them.'),
  parameters: {
    syncId: [specified('4.4 syncId', 'The path names the synchronization by its ID.')],
    id: [specified('4.4 sendingId', 'The path names the sending by its ID.')],
  },
  answers: [
    {
      status: 200,
      cites: [
        '4.4',
        assumed(
          'S statistics before start',
          'Before a sending starts its statistics are all zero and its dates null; endDate is null until it ends.',
        ),
        'S 200',
        'S target of indeterminate',
      ],
      shows: statisticsForm,
    },
  ],
  handle(c) {
    const { links, dials } = c.env
    const sending = findSending(c)
    return halAnswer(statisticsForm.render(links, dials, sending, statisticsByDials(c.env, sending)))
  },
})
