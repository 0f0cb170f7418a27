import { UserError } from '../store/user-error.ts'
import { findNearest } from '../store/validation-messages.ts'

/** One point where the API document leaves a choice, and what deployments may do there. */
export interface Dial {
  /** What is chosen here, for people. */
  readonly description: string
  /** The clause of the register that describes the default. */
  readonly clause: string
  readonly default: string
  /** All possible values, each with its meaning. */
  readonly values: Readonly<Record<string, string>>
}

/** All dials. A client that depends on the value of one of them depends on our guess. */
export const dials = {
  'replaced-configuration-status': {
    description: 'The status when PUT replaces an accessible-lists configuration that exists.',
    clause: '4.16 replaced',
    default: '200',
    values: {
      '200': 'OK, with the configuration as body.',
      '201': 'Created, as for the first one.',
      '204': 'No Content: success without a body.',
    },
  },
  'absent-configuration': {
    description: 'What GET on the accessible-lists configuration answers before the first PUT.',
    clause: 'S configuration before PUT',
    default: 'not-found',
    values: {
      'not-found': '404: there is no configuration yet.',
      'permit-all': '200 with permitAll true, no lists, and null for both dates.',
    },
  },
  'permitted-lists-order': {
    description: 'The order of permittedLists in responses, which the document does not guarantee.',
    clause: '2.10 order',
    default: 'as-sent',
    values: {
      'as-sent': 'As the client sent them.',
      ascending: 'The lowest ID first.',
      descending: 'The highest ID first.',
      shuffled: 'In no order that a client could know.',
    },
  },
  'ignored-permitted-lists': {
    description: 'What permittedLists shows when permitAll is true and the lists that were sent are ignored.',
    clause: 'S ignored permittedLists',
    default: 'as-sent',
    values: {
      'as-sent': 'The lists that were sent, although they count for nothing.',
      empty: 'An empty array.',
    },
  },
  'empty-collection': {
    description: 'How a collection without entries is written.',
    clause: 'S empty collection',
    default: 'empty-array',
    values: {
      'empty-array': '_embedded holds an empty array under the relation.',
      'empty-embedded': '_embedded is there and holds nothing.',
      'no-embedded': '_embedded is left out.',
    },
  },
  'collection-order': {
    description: 'The order of collections for which the document names none.',
    clause: 'S default order',
    default: 'oldest-first',
    values: {
      'oldest-first': 'As the entries were made.',
      'newest-first': 'The entry made last comes first.',
    },
  },
  'page-size-limit': {
    description: 'How many entries a client may ask for in one page.',
    clause: 'S page size',
    default: '1000',
    values: {
      '1000': 'Up to 1000; more is refused.',
      '10000': 'Up to 10000; more is refused.',
      '100':
        'Up to 100, which is also the size when none is asked for; more is refused. Mailings keep the 1000 of the document.',
      capped: 'Any number is taken, and pages of more than 1000 hold 1000.',
    },
  },
  'cursor-expiry': {
    description: "How long the cursor of a next link can be used, on the space's clock.",
    clause: 'S cursor expiry',
    default: '10m',
    values: { '10m': 'Ten minutes.', '1m': 'One minute.', '24h': 'A day.' },
  },
  'sync-token-expiry': {
    description: "How long a token for upcoming modifications can be used, on the space's clock.",
    clause: 'S sync token expiry',
    default: '30d',
    values: { '30d': 'Thirty days.', '24h': 'A day.' },
  },
  'stale-cursor-status': {
    description: 'The status for a cursor or a sync token that is unknown or too old.',
    clause: 'S 410',
    default: '410',
    values: {
      '410': 'Gone.',
      '404': 'Not Found.',
      '400': 'Bad Request, as for any parameter that is wrong.',
    },
  },
  'unknown-members': {
    description: 'Whether responses have undocumented members.',
    clause: 'S undocumented members',
    default: 'none',
    values: {
      none: 'Only what is documented.',
      present:
        'Further members of every JSON type, at varying places in resources, their objects, their links and errors.',
    },
  },
  'unknown-request-members': {
    description: 'What becomes of a member in a request body that is not defined.',
    clause: 'S additive',
    default: 'ignored',
    values: {
      ignored: 'It is as if it were not there.',
      refused: 'It is refused as invalid input, by its name.',
    },
  },
  'null-in-requests': {
    description: 'What becomes of an optional member in a request body whose value is null.',
    clause: 'S null in requests',
    default: 'as-absent',
    values: {
      'as-absent': 'It counts as not given, where it may be left out.',
      refused: 'It is refused as invalid input, by its name.',
    },
  },
  'error-body': {
    description: 'What stands in the body of an error; the document shows none.',
    clause: '7 format',
    default: 'full',
    values: {
      full: 'A problem with type, title, _links, and detail or the list of what is wrong.',
      minimal: 'A problem with title and status only.',
      'plain-json': 'application/json that is no problem: status, error and message.',
      text: 'A line of plain text, as a proxy in between writes it.',
      empty: 'None at all.',
    },
  },
  'problem-type': {
    description: 'The form of the type of a problem, which a client may compare.',
    clause: 'S problem type',
    default: 'path',
    values: {
      path: 'The path of its documentation, without scheme and host.',
      address: 'The address of its documentation, with scheme, host and port.',
      urn: 'urn:mailing-sync:problem: and its name.',
      blank: 'about:blank.',
    },
  },
  'invalid-input-status': {
    description: 'The status for a body or parameter that can be read but is not valid.',
    clause: 'S no 422',
    default: '400',
    values: { '400': 'Bad Request.', '422': 'Unprocessable Content.' },
  },
  'not-ready-status': {
    description: 'The status for creating a sending while the mailing has no approved version.',
    clause: 'S 409',
    default: '409',
    values: { '409': 'Conflict.', '400': 'Bad Request.', '422': 'Unprocessable Content.' },
  },
  'list-not-permitted-status': {
    description: 'The status for a synchronization to a list that the configuration leaves out.',
    clause: 'S 403',
    default: '403',
    values: {
      '403': 'Forbidden.',
      '404': 'Not Found: what may not be used is not seen either.',
      '400': 'Bad Request.',
    },
  },
  'created-synchronization-status': {
    description: 'The status when a mailing synchronization was created.',
    clause: 'S create synchronization status',
    default: '201',
    values: { '201': 'Created, with its Location.', '200': 'OK, without a Location.' },
  },
  'location-form': {
    description: 'How a Location header names what was created.',
    clause: 'S Location',
    default: 'absolute',
    values: {
      absolute: 'With scheme and host.',
      path: 'By its path, to be resolved against the address of the request.',
    },
  },
  'links-form': {
    description: 'How links to other resources of the service are written.',
    clause: 'S links',
    default: 'absolute',
    values: {
      absolute: 'With scheme and host.',
      path: 'By their path, to be resolved against the address of the request.',
    },
  },
  'draft-preview-link': {
    description: 'Whether a synchronization links to the preview of a draft that does not exist.',
    clause: 'S draft preview link',
    default: 'left-out',
    values: {
      'left-out': 'The link is there only while the mailing has a draft.',
      always: 'The link is always there; following it may end in a 404.',
    },
  },
  'approved-preview-link': {
    description: 'Whether a synchronization links to the preview of an approved version that does not exist.',
    clause: 'S approved preview link',
    default: 'left-out',
    values: {
      'left-out': 'The link is there only while the mailing has an approved version.',
      always: 'The link is always there; following it may end in a 404.',
    },
  },
  'success-media-type': {
    description: 'The parameters of the media type of success.',
    clause: 'S success media type',
    default: 'charset',
    values: {
      charset: 'application/hal+json;charset=UTF-8',
      bare: 'application/hal+json',
      spaced: 'application/hal+json; charset=utf-8',
    },
  },
  curies: {
    description: 'Which resources carry curies.',
    clause: 'S no curies',
    default: 'as-in-examples',
    values: {
      'as-in-examples': 'Collections, single resources with relations of the service, and mailing-uploads.',
      'where-used': 'Collections, and single resources with relations of the service.',
      everywhere: 'All resources, those without relations of the service too.',
    },
  },
  'mailing-uploads-link': {
    description: 'Whether a synchronization without a mailing-upload links to the latest one.',
    clause: 'S mailing-uploads before upload',
    default: 'always',
    values: {
      always: 'It does; following the link is 404 until there is one.',
      'after-upload': 'The link is there once there is one.',
    },
  },
  'approved-name-of-draft': {
    description: 'The name of the approved version of a mailing that has none.',
    clause: 'S unapproved name',
    default: 'null',
    values: { null: 'null.', absent: 'It is left out.', empty: 'An empty text.' },
  },
  'synchronization-modified-by': {
    description: 'What moves the modificationDate of a synchronization.',
    clause: 'S synchronization modificationDate',
    default: 'mailing',
    values: {
      mailing: 'Its own creation and changes of its mailing.',
      own: 'Its own creation only.',
      everything: 'Sendings and mailing-uploads as well.',
    },
  },
  'incremental-rounds': {
    description: 'What brings a synchronization into the next incremental round.',
    clause: 'S incremental rounds',
    default: 'mailing',
    values: {
      mailing: 'Its own creation and changes of its mailing.',
      everything: 'Sendings and mailing-uploads as well.',
    },
  },
  'single-mailing': {
    description: 'What a single mailing shows besides its ID and links.',
    clause: '2.1 single',
    default: 'id-only',
    values: { 'id-only': 'Nothing.', 'as-listed': 'All fields that it has in the collection.' },
  },
  'target-of-unsent': {
    description: 'The target of a sending for which nothing exists on the platform, as while it is PENDING.',
    clause: 'S target of unsent',
    default: 'object-of-nulls',
    values: {
      'object-of-nulls': 'An object, in which mailingId and sendingId are null.',
      null: 'null, without an object.',
    },
  },
  'target-of-indeterminate': {
    description:
      'What a sending shows of the platform, such as its target and its statistics, until it is CREATED or FAILED. By default it does not show whether an INDETERMINATE_FAILURE was sent.',
    clause: 'S target of indeterminate',
    default: 'nulls',
    values: {
      nulls: 'Nothing: as if nothing existed on the platform, in both cases alike.',
      'as-is': 'What exists on the platform, which gives the outcome away.',
    },
  },
  'created-without-id-status': {
    description: 'The status when a sending was created by a request without a transaction ID.',
    clause: 'S created without transactionId',
    default: '201',
    values: { '201': 'Created, with its Location.', '200': 'OK, without a Location.' },
  },
  'repeat-validation': {
    description: 'Whether the other members of a request are checked when its transaction ID is known.',
    clause: 'S repeat validation',
    default: 'ignored',
    values: {
      ignored: 'They are not: whatever differs from the first request is ignored.',
      checked: 'They are; what is wrong is refused, except for a scheduleDate in the past.',
    },
  },
  'date-time-in': {
    description: 'Whether date-times in requests need a fraction of a second.',
    clause: 'S date-time in',
    default: 'lenient',
    values: {
      lenient: 'With and without a fraction, of any length.',
      'fraction-required': 'Three digits of it; everything else is refused.',
    },
  },
  'empty-text': {
    description: 'What becomes of a name or a subject of a sending that is empty or blank.',
    clause: 'S empty text',
    default: 'taken',
    values: { taken: 'It is used as it is.', refused: 'It is refused as invalid input.' },
  },
  'transaction-id-letters': {
    description: 'Which letters and digits a transaction ID may have.',
    clause: 'S transactionId letters',
    default: 'ascii',
    values: { ascii: 'Those of ASCII.', unicode: 'Those of every script.' },
  },
  'international-addresses': {
    description: 'Whether test sendings go to addresses with letters outside of ASCII.',
    clause: 'S international addresses',
    default: 'refused',
    values: { refused: 'They are refused as invalid input.', taken: 'They are taken.' },
  },
  'repeated-upload': {
    description: 'What a second mailing-upload of a synchronization makes.',
    clause: 'S repeated upload',
    default: 'new',
    values: {
      new: 'Another mailing-upload, with a platform mailing of its own.',
      updates: 'It brings the first one and its platform mailing up to date.',
    },
  },
  'unknown-permitted-list': {
    description: 'What becomes of a list ID in permittedLists that the customer does not have.',
    clause: 'S unknown permitted list',
    default: 'refused',
    values: {
      refused: 'The request is refused as invalid input.',
      kept: 'It is kept and shown.',
      dropped: 'It is left out.',
    },
  },
  'repeated-permitted-list': {
    description: 'What becomes of a list ID that permittedLists holds more than once.',
    clause: 'S repeated permitted list',
    default: 'dropped',
    values: {
      dropped: 'It is shown once.',
      kept: 'It is shown as often as it was sent.',
      refused: 'The request is refused as invalid input.',
    },
  },
  'bare-flags': {
    description: 'What a Boolean query parameter without a value means, as in ?showAllLists.',
    clause: 'S bare flags',
    default: 'refused',
    values: { refused: 'It is refused as invalid input.', true: 'true.' },
  },
  'boolean-letters': {
    description: 'How true and false are written in a query.',
    clause: 'S Boolean letters',
    default: 'exact',
    values: { exact: 'In lower case; anything else is refused.', 'any-case': 'In upper or lower case.' },
  },
  'repeated-parameters': {
    description: 'Which value counts when a query parameter stands in the address more than once.',
    clause: 'S repeated parameters',
    default: 'first',
    values: { first: 'The first.', last: 'The last.', refused: 'None: the request is refused.' },
  },
  'blanks-in-lists': {
    description: 'Whether blanks around the commas of a list in a query belong to its entries.',
    clause: 'S blanks in lists',
    default: 'kept',
    values: { kept: 'They do, so that the entry names nothing.', trimmed: 'They are removed.' },
  },
  'date-header': {
    description: 'Which clock the Date header of responses follows.',
    clause: 'S Date header',
    default: 'real-time',
    values: { 'real-time': 'That of the machine.', 'space-clock': "The space's clock." },
  },
  'location-on-200': {
    description:
      'Whether creating a sending names its address when it is answered 200: repeated, or not CREATED.',
    clause: 'S Location of a 200',
    default: 'absent',
    values: { absent: 'Only a 201 has a Location.', present: 'A 200 has one as well.' },
  },
  'created-sending-mailing-id': {
    description:
      'Whether the response to creating a sending names the editor mailing: the fields say so, the example does not.',
    clause: '2.3 mailingId',
    default: 'present',
    values: {
      present: 'mailingId is there.',
      absent: 'It is not, as in the example.',
      'only-201': 'It is in a 201. A 200 has the regular body of a sending, without it.',
      'only-200': 'It is in a 200. A 201 is as in the example, without it.',
    },
  },
  'statistics-rates': {
    description: 'The unit of the rates in statistics.',
    clause: 'S statistics rates',
    default: 'quotients',
    values: { quotients: 'From 0 to 1.', percentages: 'From 0 to 100.' },
  },
  'statistics-before-start': {
    description: 'What the statistics of a sending show if it has not started, or never will.',
    clause: 'S statistics before start',
    default: 'zeros',
    values: { zeros: 'All zero, without dates.', 'not-found': '404 until it has started.' },
  },
  'transaction-expiry': {
    description: "How long a transaction ID is remembered, on the space's clock.",
    clause: 'S transactionId expiry',
    default: 'never',
    values: {
      never: 'For ever.',
      '72h': '72 hours from the creation of its sending. A repeat after that sends again.',
      '24h': '24 hours from the creation of its sending. A repeat after that sends again.',
    },
  },
  'rejected-transaction': {
    description: 'Whether a transaction ID is taken by a request that was refused with a 4xx.',
    clause: 'S transactionId rejected',
    default: 'free',
    values: {
      free: 'It is not, and a corrected request may carry it.',
      bound: 'It is, and every later request that carries it is refused as the first was.',
    },
  },
  'repeat-after-500-status': {
    description:
      'The status of a repeat that is processed after the first request got a 500 and nothing was done.',
    clause: 'S transactionId after 500',
    default: '201',
    values: {
      '201': 'Created, since nothing existed before.',
      '200': 'OK, since the transaction ID was seen before.',
    },
  },
  'rate-limit': {
    description: 'How many requests a minute a space may make; the setting --rate-limit takes precedence.',
    clause: 'S rate limit',
    default: 'off',
    values: {
      off: 'Any number, and no response speaks of a limit.',
      '600': '600, told in X-RateLimit headers; more are 429.',
      '60': '60, told in X-RateLimit headers; more are 429.',
    },
  },
} as const satisfies Record<string, Dial>

export type DialName = keyof typeof dials

/** A value for every dial: what a space does where the document leaves a choice. A new object whenever a dial is set. */
export type DialValues = { readonly [Name in DialName]: `${keyof (typeof dials)[Name]['values'] & string}` }

export const dialNames = Object.keys(dials) as DialName[]

export const defaultDials: DialValues = valuesOf(name => dials[name].default)

/** The defaults with some dials set; one value where none is, so that what is made for it is made once. */
export const withDials = (turned: Partial<DialValues>): DialValues =>
  Object.keys(turned).length === 0 ? defaultDials : Object.freeze({ ...defaultDials, ...turned })

/** Named sets of dials. A dial that is set beside a profile has precedence. */
export const profiles = {
  documented: {
    description: 'What the public documentation of such a service says, where the mock is milder by default.',
    dials: {
      'date-time-in': 'fraction-required',
      'empty-collection': 'no-embedded',
      'rate-limit': '600',
    },
  },
  strict: {
    description:
      'The worst that the document and the public documentation allow: what they do not promise is not there, and what they do not forbid is refused.',
    dials: {
      'date-time-in': 'fraction-required',
      'empty-collection': 'no-embedded',
      'rate-limit': '60',
      'permitted-lists-order': 'shuffled',
      'page-size-limit': '100',
      'cursor-expiry': '1m',
      'sync-token-expiry': '24h',
      'unknown-members': 'present',
      'unknown-request-members': 'refused',
      'null-in-requests': 'refused',
      'error-body': 'text',
      'location-form': 'path',
      'links-form': 'path',
      'mailing-uploads-link': 'always',
      'approved-name-of-draft': 'absent',
      'target-of-unsent': 'null',
      'created-without-id-status': '200',
      'created-sending-mailing-id': 'absent',
      'repeat-validation': 'checked',
      'empty-text': 'refused',
      'statistics-before-start': 'not-found',
      'repeated-parameters': 'refused',
      'repeated-permitted-list': 'refused',
      'rejected-transaction': 'bound',
    },
  },
} as const satisfies Readonly<
  Record<string, { readonly description: string; readonly dials: Partial<DialValues> }>
>

export type ProfileName = keyof typeof profiles
export const profileNames = Object.keys(profiles) as ProfileName[]

/** Unknown names or values of dials. The message lists the possible ones. */
export class DialError extends UserError {
  override readonly name = 'DialError'
}

/** Checks dials as they were given. @throws DialError for an unknown dial or value */
export function readDials(given: Readonly<Record<string, string>>): Partial<DialValues> {
  const turned = Object.entries(given).map(([name, value]) => {
    if (!isDial(name)) {
      const near = findNearest(name, dialNames)
      const rest = near ? `Did you mean ${near}? docs/dials.md lists all` : `Dials: ${dialNames.join(', ')}`
      throw new DialError(`There is no dial ${JSON.stringify(name)}. ${rest}`)
    }
    const { values } = dials[name]
    if (!Object.hasOwn(values, value))
      throw new DialError(
        `Dial ${name} cannot be ${JSON.stringify(value)}; possible: ${Object.keys(values).join(', ')}`,
      )
    return [name, value]
  })
  return Object.freeze(Object.fromEntries(turned))
}

/** A value for each dial, chosen from a seed. @param fraction 0 up to 1; always the same for the same purpose */
export const seededDials = (fraction: (...purpose: string[]) => number): DialValues =>
  valuesOf(name => {
    const values = Object.keys(dials[name].values)
    return values[Math.floor(fraction('dial', name) * values.length)]!
  })

function valuesOf(value: (name: DialName) => string): DialValues {
  return Object.freeze(Object.fromEntries(dialNames.map(name => [name, value(name)]))) as DialValues
}

const isDial = (name: string): name is DialName => Object.hasOwn(dials, name)

/** The Content-Type of success, to the letter. */
export const successMediaTypes = dials['success-media-type'].values

const unitLengths = { m: 60_000, h: 3_600_000, d: 86_400_000 }
type Lifetime = `${number}${keyof typeof unitLengths}`

/** Milliseconds of a value such as `10m`; `never` is without end. */
export const millisecondsOf = (value: Lifetime | 'never'): number =>
  value === 'never'
    ? Number.POSITIVE_INFINITY
    : Number.parseInt(value, 10) * unitLengths[value.at(-1) as keyof typeof unitLengths]
