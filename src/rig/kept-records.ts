import { isUtf8 } from 'node:buffer'
import { formatLine } from '../store/log.ts'
import type { ToldResponse } from './faults/fault.ts'
import type { RecordedResponse } from './recorded-response.ts'
import { hideSecrets, redactHeaders, redactTarget, secretsIn } from './redaction.ts'
import { digestOf } from './request-facts.ts'
import type { RequestRecord } from './request-record.ts'
import type { Decision, Scenario } from './scenarios/scenario.ts'

/* The lines of a journal on disk. Nothing secret is in them: what redaction hides from readers is hidden before it is written. */

/** Format of the lines. Another version's journal is not read. */
export const keptFormat = 1

/** The first line of a file. */
export interface KeptHead {
  readonly $journal: number
  readonly $space: string
  /** See `SpaceData.origin`: a journal from before the last reset is not that of the space. */
  readonly origin: number
  /** See `SpaceData.age`, as of the first request on record. */
  readonly age: number
  /** See `SpaceRig.continues`. */
  readonly continues: boolean
  /** When the journal began, or was last cleared; milliseconds since 1970. */
  readonly since: number
  /** Number of the last request that was removed by a `clear`; 0 for none. */
  readonly clearedUpTo: number
  /** Number of requests when the file was begun. */
  readonly count: number
}

/** A scenario that applied to records, once in each file. */
export interface KeptScenario extends Pick<Scenario, 'name' | 'source' | 'definition'> {
  readonly scenario: number
}

/** Members of a record that have changed. */
export interface KeptChange {
  /** Number of the record. */
  readonly n: number
  /** How many lines of this record came before. */
  readonly i: number
  readonly of: Readonly<Record<string, unknown>>
}

/** Bytes as text where they are text. */
export type KeptBytes = { readonly utf8: string } | { readonly base64: string }

export interface KeptResponse extends Omit<RecordedResponse, 'body'> {
  readonly body: string | KeptBytes
}

/** A decision with the name of its fault. */
export interface KeptDecision extends Omit<Decision, 'step'> {
  readonly step: Omit<Decision['step'], 'answer'> & {
    readonly answer?: Decision['step']['answer'] | { readonly fault: string; readonly settings: unknown }
  }
}

export const formatKept = (value: KeptHead | KeptScenario | KeptChange): string => formatLine(value, 0).line

/** A record as far as it is written. */
interface WrittenRecord {
  readonly secrets: readonly string[]
  lines: number
  members: Partial<RequestRecord>
}

/** Makes the lines of one file. */
export class KeptLines {
  #written = new WeakMap<RequestRecord, WrittenRecord>()
  #scenarios = new Map<Scenario, number>()

  /** Another file begins, which has to say of a scenario again what it is. */
  beginFile(): void {
    this.#scenarios = new Map()
  }

  /** The lines for what has changed in a record since the last time; empty for nothing. */
  of(record: RequestRecord): string {
    const before = this.#written.get(record)
    const written = before ?? { secrets: secretsIn(record), lines: 0, members: {} }
    let scenario = ''
    const members: Record<string, unknown> = {}
    for (const key in record) {
      const name = key as keyof RequestRecord
      if (name === 'chargedBytes' || record[name] === written.members[name]) continue
      if (name === 'applicableScenario') scenario = this.#scenarioLine(record.applicableScenario?.scenario)
      members[name] = this.#keep(name, record, written.secrets)
    }
    // The digest of a body in which a secret is hidden does not follow from what is left.
    if ('body' in members && isHiddenIn(record, written.secrets))
      members.digest = hideIn(digestOf(record.body!), written.secrets)
    if (Object.keys(members).length === 0) return ''
    written.members = { ...record }
    if (!before) this.#written.set(record, written)
    return scenario + formatKept({ n: record.number, i: written.lines++, of: members })
  }

  #scenarioLine(scenario: Scenario | undefined): string {
    if (!scenario || this.#scenarios.has(scenario)) return ''
    const key = this.#scenarios.size
    this.#scenarios.set(scenario, key)
    const { name, source, definition } = scenario
    return formatKept({ scenario: key, name, source, definition })
  }

  #keep(name: keyof RequestRecord, record: RequestRecord, secrets: readonly string[]): unknown {
    switch (name) {
      case 'target':
        return redactTarget(record.target)
      case 'headers':
        return redactHeaders(record.headers)
      case 'body':
        return record.body && keepBytes(record.body, secrets)
      case 'applicableScenario': {
        const { applicableScenario: selected } = record
        return selected && { by: selected.by, scenario: this.#scenarios.get(selected.scenario) }
      }
      case 'decision':
        return record.decision && keepDecision(record.decision)
      case 'truth':
        return record.truth && keepResponse(record.truth, secrets)
      case 'response':
        if (record.response === record.truth) return 'truth'
        return record.response && keepResponse(record.response, secrets)
      case 'digest':
      case 'hints':
        return hideIn(record[name], secrets)
      default:
        return record[name]
    }
  }
}

function isHiddenIn({ body, digest }: RequestRecord, secrets: readonly string[]): boolean {
  if (!body || digest) return false
  const text = Buffer.from(body).toString(isUtf8(body) ? 'utf8' : 'latin1')
  return hideSecrets(text, secrets) !== text
}

function keepBytes(body: Uint8Array, secrets: readonly string[]): KeptBytes {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  if (isUtf8(bytes)) return { utf8: hideSecrets(bytes.toString(), secrets) }
  return { base64: Buffer.from(hideSecrets(bytes.toString('latin1'), secrets), 'latin1').toString('base64') }
}

function keepResponse(response: RecordedResponse, secrets: readonly string[]): KeptResponse {
  const { body, problem, ...others } = response
  const rest = hideIn(others, secrets)
  return {
    ...rest,
    headers: redactHeaders(rest.headers) as ToldResponse['headers'],
    body: typeof body === 'string' ? hideSecrets(body, secrets) : keepBytes(body, secrets),
    // A problem is an error, whose stack and headers nobody reads.
    problem: problem && hideIn(pickRefusal(problem), secrets),
    informational: rest.informational?.map(it => ({
      ...it,
      headers: redactHeaders(it.headers) as ToldResponse['headers'],
    })),
  }
}

const pickRefusal = ({
  name,
  detail,
  generalErrors,
  invalidFields,
  hint,
}: NonNullable<ToldResponse['problem']>) => ({ name, detail, generalErrors, invalidFields, hint })

function keepDecision({ step, ...decision }: Decision): KeptDecision {
  const { answer } = step
  if (!answer || !('fault' in answer)) return { ...decision, step }
  return { ...decision, step: { ...step, answer: { fault: answer.fault.name, settings: answer.settings } } }
}

/** The value with no secret in any of its texts. */
function hideIn<Value>(value: Value, secrets: readonly string[]): Value {
  const hide = (inner: unknown): unknown => {
    if (typeof inner === 'string') return hideSecrets(inner, secrets)
    if (Array.isArray(inner)) return inner.map(hide)
    if (typeof inner !== 'object' || inner === null) return inner
    return Object.fromEntries(Object.entries(inner).map(([name, it]) => [name, hide(it)]))
  }
  return secrets.length === 0 ? value : (hide(value) as Value)
}
