import { reason } from '../store/disk.ts'
import type { Files } from '../store/files.ts'
import { matchesChecksum, parseJson } from '../store/log.ts'
import { getOrMake } from '../store/maps.ts'
import type { SpaceData } from '../store/space-data.ts'
import type { FaultGroup } from './faults/fault.ts'
import { faults } from './faults/fault-registry.ts'
import { type KeptState, keptFiles } from './kept-journal.ts'
import {
  type KeptBytes,
  type KeptChange,
  type KeptDecision,
  type KeptHead,
  type KeptResponse,
  type KeptScenario,
  keptFormat,
} from './kept-records.ts'
import type { RecordedResponse } from './recorded-response.ts'
import type { Moment, RequestRecord } from './request-record.ts'
import { scenarioFrom } from './scenarios/read.ts'
import type { Decision, Scenario } from './scenarios/scenario.ts'

type Members = Record<string, unknown>

/** The lines of a record so far. */
interface KeptRecord {
  lines: number
  members: Members
  /** Whether a line of it is missing. */
  isBroken: boolean
}

/** Number of the last request since an age that has brought about something on the platform; 0 for none. */
function lastCause({ tables }: Pick<SpaceData, 'tables'>, age: number): number {
  let last = 0
  for (const { row } of [...tables.platformMailings.changes(), ...tables.platformSendings.changes()]) {
    const [, then, number] = /^r(\d+)-(\d+)$/.exec(row.cause) ?? []
    if (Number(then) >= age) last = Math.max(last, Number(number))
  }
  return last
}

/**
 * The journal that an earlier run has left of a space; undefined for none. It is evidence, so a record of which anything is damaged is
 * left out, with a warning. An unfinished last line is what a killed process leaves. Lines that a power failure took are noticed by
 * what their requests brought about.
 */
export function readKept(
  files: Files,
  data: Pick<SpaceData, 'name' | 'origin' | 'tables'>,
  warn: (sentence: string) => void,
): KeptState | undefined {
  const reading = new KeptReading(warn)
  const heads: KeptHead[] = []
  for (const name of keptFiles(files, data.name)) {
    const path = files.pathOf(name)
    const head = reading.file(files.read(name) ?? Buffer.alloc(0), path)
    if (head === undefined) continue
    if (head.$journal !== keptFormat)
      warn(`${path} is removed: its format is ${head.$journal}, this version reads ${keptFormat}`)
    // A process that ended during a reset has left the journal of the time before.
    else if (head.$space === data.name && head.origin === data.origin) heads.push(head)
  }
  const head = heads.at(-1)
  if (!head) return undefined
  const { age, continues, since, clearedUpTo } = head
  const count = Math.max(...heads.map(it => it.count), reading.lastNumber, lastCause(data, age))
  return { age, continues, since, clearedUpTo, count, records: reading.records(clearedUpTo) }
}

/** Reads the files of one journal, the oldest first. */
class KeptReading {
  readonly #warn: (sentence: string) => void
  readonly #warned = new Set<string>()
  readonly #kept = new Map<number, KeptRecord>()
  readonly #scenarios = new Map<string, Scenario | undefined>()
  #isDamaged = false

  constructor(warn: (sentence: string) => void) {
    this.#warn = warn
  }

  /** @returns its first line; undefined if that is not there */
  file(bytes: Buffer, path: string): KeptHead | undefined {
    let head: KeptHead | undefined
    let number = 0
    const scenarios = new Map<number, KeptScenario>()
    for (let start = 0, end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      const place = `${path}, line ${++number}`
      const value = this.#line(bytes.subarray(start, end), place)
      start = end + 1
      if (!value) continue
      if ('$journal' in value) head = value
      else if ('scenario' in value) scenarios.set(value.scenario, value)
      else this.#change(value, scenarios)
    }
    return head
  }

  #line(line: Buffer, place: string): KeptHead | KeptScenario | KeptChange | undefined {
    try {
      if (matchesChecksum(line, 0)) return parseJson(line, place) as unknown as KeptChange
    } catch {
      // As a line with another checksum.
    }
    this.#isDamaged = true
    this.#warn(`${place} is damaged: the request that it is about is left out of the journal`)
    return undefined
  }

  #change({ n, i, of }: KeptChange, scenarios: ReadonlyMap<number, KeptScenario>): void {
    const selected = of.applicableScenario as { readonly scenario: number } | undefined
    const scenario = selected && scenarios.get(selected.scenario)
    const members = selected ? { ...of, applicableScenario: { ...selected, scenario } } : of
    const record = this.#kept.get(n)
    if (i === 0) this.#kept.set(n, { lines: 1, members: { ...members }, isBroken: false })
    // The file with its beginning is gone: it was dropped.
    else if (!record) return
    else if (record.lines++ !== i) record.isBroken = true
    else Object.assign(record.members, members)
  }

  get lastNumber(): number {
    return [...this.#kept.keys()].reduce((last, number) => Math.max(last, number), 0)
  }

  records(clearedUpTo: number): RequestRecord[] {
    const kept = [...this.#kept]
      .filter(([n, { isBroken }]) => n > clearedUpTo && !isBroken)
      .sort(([one], [other]) => one - other)
      .map(([, { members }]) => members)
      // The damaged line may have been its end.
      .filter(({ ended }) => ended !== undefined || !this.#isDamaged)
    let last: Moment | undefined
    for (const { arrived, read, left, ended } of kept)
      for (const moment of [arrived, read, left, ended] as (Moment | undefined)[])
        if (moment && moment.real > (last?.real ?? 0)) last = moment
    return kept.map(members => this.#revive(members, last!))
  }

  /** @param last the last moment on record, after which the process ended */
  #revive(members: Members, last: Moment): RequestRecord {
    const { headers, applicableScenario, decision, body, truth: trueOne, response: given } = members
    const truth = trueOne ? reviveResponse(trueOne as KeptResponse) : undefined
    const record: RequestRecord = {
      ...(members as unknown as RequestRecord),
      headers: headers as RequestRecord['headers'],
      remotePort: members.remotePort as number | undefined,
      unfitTls: members.unfitTls as RequestRecord['unfitTls'],
      twinOf: members.twinOf as string | undefined,
      read: members.read as Moment | undefined,
      ended: members.ended as Moment | undefined,
      left: members.left as Moment | undefined,
      body: body ? reviveBytes(body as KeptBytes) : undefined,
      digest: members.digest as RequestRecord['digest'],
      applicableScenario: undefined,
      decision: undefined,
      truth,
      response: given === 'truth' ? truth : given ? reviveResponse(given as KeptResponse) : undefined,
      hints: members.hints as RequestRecord['hints'],
      chargedBytes: undefined,
    }
    try {
      if (applicableScenario)
        record.applicableScenario = this.#reviveSelected(applicableScenario as KeptSelected)
      if (decision) record.decision = reviveDecision(decision as KeptDecision)
    } catch (error) {
      const sentence = `the journal does not tell what disturbed some requests: ${reason(error)}`
      if (!this.#warned.has(sentence)) this.#warn(sentence)
      this.#warned.add(sentence)
    }
    return record.ended ? record : endedWithProcess(record, last)
  }

  #reviveSelected({ by, scenario }: KeptSelected): RequestRecord['applicableScenario'] {
    if (!scenario) throw new Error('the line with its scenario is damaged')
    const { name, source, definition } = scenario
    const key = JSON.stringify([name, source, definition])
    return { by, scenario: getOrMake(this.#scenarios, key, () => scenarioFrom(definition, name, source))! }
  }
}

interface KeptSelected extends Pick<NonNullable<RequestRecord['applicableScenario']>, 'by'> {
  readonly scenario: KeptScenario | undefined
}

/** Groups of faults with which no response leaves whole. */
const withholding: readonly FaultGroup[] = ['no answer', 'cut']

/**
 * A record that was open when the process was killed. A response is on record before it leaves, so without one nothing has left.
 * Any other may have left whole, unless a fault did not let it.
 */
function endedWithProcess(record: RequestRecord, last: Moment): RequestRecord {
  const { answer } = record.decision?.step ?? {}
  const isWithheld = answer !== undefined && 'fault' in answer && withholding.includes(answer.fault.group)
  const isUnread = record.response !== undefined && !isWithheld
  return { ...record, ended: last, delivered: 'server-stopped', isUnread }
}

const reviveBytes = (kept: KeptBytes): Buffer =>
  'utf8' in kept ? Buffer.from(kept.utf8) : Buffer.from(kept.base64, 'base64')

const reviveResponse = ({ body, ...response }: KeptResponse): RecordedResponse => ({
  ...response,
  body: typeof body === 'string' ? body : reviveBytes(body),
})

/** @throws Error for a fault that this version does not have, or not with such settings */
function reviveDecision({ step, ...decision }: KeptDecision): Decision {
  const { answer } = step
  if (!answer || !('fault' in answer) || typeof answer.fault !== 'string')
    return { ...decision, step: { ...step, answer } as Decision['step'] }
  const fault = faults.get(answer.fault)
  if (!fault) throw new Error(`this version has no fault "${answer.fault}"`)
  return { ...decision, step: { ...step, answer: { fault, settings: answer.settings } } as Decision['step'] }
}
