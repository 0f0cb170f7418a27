import { type Operation, type OperationId, operations } from '../../service/operations.ts'
import { type ProblemName, problemKinds } from '../../service/problem-kinds.ts'
import type { Kept } from '../entry.ts'

/** Where the document refuses such a thing, or that it leaves the choice to us; and what would be accepted. */
interface Refusal {
  readonly clause: string
  readonly accepted: string
}

/** Where the document has the operation, and says nothing of this refusal. */
const open = 'no section; how such a request is refused is our choice (section 7)'

const refusals: Partial<Record<ProblemName, Refusal>> = {
  'malformed-body': {
    clause: 'section 4: bodies are application/hal+json',
    accepted: 'send a JSON object in UTF-8; {} is the least',
  },
  'malformed-target': { clause: open, accepted: 'send a path as the request target' },
  'schedule-date-in-past': {
    clause: '4.1 and 7/2',
    accepted: "give a scheduleDate in the future of the space's clock, or leave it out to send at once",
  },
  unauthorized: {
    clause: '5/1',
    accepted: 'send Authorization: Basic and the base64 of USER:PASSWORD, as the fixture has them',
  },
  'missing-right': {
    clause: '5/3, which leaves rights open',
    accepted: 'use a user with this right; a user without "write" can only read',
  },
  'list-not-permitted': {
    clause: '4.15 and 4.16',
    accepted: 'permit the list with PUT …/configuration/accessible-lists, or choose one that is permitted',
  },
  'not-found': { clause: open, accepted: 'use what there is in this space' },
  'method-not-allowed': { clause: 'section 4', accepted: 'use a method that the Allow header lists' },
  'not-acceptable': {
    clause: 'the introduction: answers are application/hal+json',
    accepted: 'let Accept take application/hal+json, or leave it out',
  },
  'not-ready-for-sending': {
    clause: '3/3: the mailing must be approved before a sending is created',
    accepted: 'have the mailing approved, or use a synchronization whose readyForSending is true',
  },
  gone: { clause: open, accepted: 'start again without the cursor or the token' },
  'body-too-large': { clause: open, accepted: 'send no more than --body-limit allows' },
  'no-room': {
    clause: 'no section: it protects the mock',
    accepted: 'release what is held, or give a larger --hold-limit',
  },
  'unsupported-media-type': {
    clause: 'section 4: bodies are application/hal+json',
    accepted: 'send Content-Type: application/hal+json',
  },
  'too-many-requests': {
    clause: 'section 8, which names no rate limit: ours is turned on with --rate-limit',
    accepted: 'wait until the minute is over, as X-RateLimit-Reset tells',
  },
}

/** Sections that refuse a member or a parameter, by its name. */
const fields: Readonly<Record<string, Refusal>> = {
  transactionId: {
    clause: '7/3 and section 8',
    accepted: 'give 1 to 100 letters, digits, dots, colons, hyphens or underscores, or leave it out',
  },
  scheduleDate: {
    clause: '4.1',
    accepted: 'give an ISO 8601 date-time with its time zone, such as 2030-01-31T09:30:00Z',
  },
  id: { clause: 'section 8', accepted: 'give at most 50 IDs, with commas between them' },
  'X-Mock-Scenario': { clause: 'no section: it is ours', accepted: 'name a scenario that there is' },
}

/** What an answer with an error status says of its reason. */
export interface Refused extends Refusal {
  readonly title: string
  /** Empty where nothing is known but the status. */
  readonly detail: string
}

/** @param operation that was asked for */
export function refusalIn({ status, problem }: Kept, operation: OperationId | undefined): Refused {
  const { clause, accepted } = refusalOf(problem?.name, problem?.invalidFields[0]?.field, operation)
  const title = problem ? problemKinds[problem.name].title : `Status ${status}`
  return { title, detail: withoutCatalogue(problem?.detail ?? ''), clause, accepted }
}

/** The answer lists every scenario there is, which hides what an explanation has to say. */
const withoutCatalogue = (detail: string): string =>
  detail.replace(
    /(there is no scenario .*?;(?: did you mean "[^"]*"\?)?) [Tt]here are .*$/s,
    '$1 GET /_mock/scenarios lists all',
  )

function refusalOf(
  name: ProblemName | undefined,
  field: string | undefined,
  operation: OperationId | undefined,
): Refusal {
  const known = name && refusals[name]
  if (known) return known
  if (field !== undefined && Object.hasOwn(fields, field)) return fields[field]!
  if (operation === 'listMailings' && field === undefined)
    return { clause: '4.12 and 7/4', accepted: 'do not ask for both hasDraft=false and isApproved=false' }
  return {
    clause: sectionOf(operation),
    accepted: 'give what the refusal says is expected',
  }
}

/** The section of the document that an operation stands in. */
export function sectionOf(operation: OperationId | undefined): string {
  if (!operation) return 'section 4'
  const { section }: Operation = operations[operation]
  return section === 'S' ? 'no section: documented elsewhere only' : `section ${section}`
}
