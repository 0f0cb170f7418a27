import type { Send } from '../../examples/clients/client.d.ts'
import { clientOf, mutants } from '../../examples/clients/mutants/registry.mjs'
import { send as reference } from '../../examples/clients/reference/send.mjs'
import { testSynchronizations } from '../../scripts/default-fixture/test-synchronizations.ts'
import { collectEvidence, type Evidence } from '../../src/judge/evidence.ts'
import type { ClientEnd, RuleId, Severity } from '../../src/judge/terms.ts'
import { judge } from '../../src/judge/verdict.ts'
import { seededChance } from '../../src/rig/chance.ts'
import type { ScenarioLibrary } from '../../src/rig/scenarios/library.ts'
import { ids, packagedScenarios, startMock, type TestMock } from '../mock.ts'
import { NeverEnds, type Playing, play } from './virtual-time.ts'

/** A client that the judge is tested with. */
export interface Accused {
  /** `reference`, or such as `M1`. */
  readonly id: string
  /** What it does wrong; undefined for nothing. */
  readonly fault: string | undefined
  /** What it is to be convicted of. */
  readonly rules: readonly string[]
  /** Its client. */
  readonly send: Send
}

/** What the judge found a client guilty of. */
export interface Conviction {
  readonly rule: RuleId
  readonly severity: Severity
  /** The cases in which it did. */
  readonly cases: readonly string[]
}

/** A client with everything that the judge has against it. */
export interface Convicted {
  readonly id: string
  readonly fault: string | undefined
  readonly rules: readonly string[]
  /** In the order of their IDs. */
  readonly convictions: readonly Conviction[]
  /** Cases in which a mailing looks as if it was sent twice to a test that does not say how its client ended. */
  readonly suspectedIn: readonly string[]
}

/** All of them, the reference client first. */
export const accused: readonly Accused[] = [
  { id: 'reference', fault: undefined, rules: [], send: reference },
  ...mutants.map(it => ({ id: it.id, fault: it.fault, rules: it.rules, send: clientOf(it) })),
]

/** A situation that a client is put into, in a space of its own. */
interface Trial extends Omit<Playing, 'user' | 'scheduleDate'> {
  readonly name: string
  /** How many mailings it is to send, one after the other; 1 unless given. */
  readonly mailings?: number
  /** Milliseconds until the date to send at, below 0 for one that has passed. */
  readonly scheduleIn?: number
}

/**
 * Plays the catalogue to each client on virtual time, also restarts and other cases of an exam, and judges.
 * @param names the cases that are played, all of them unless given
 */
export async function convictions(
  clients: readonly Accused[] = accused,
  names?: readonly string[],
): Promise<readonly Convicted[]> {
  const library = await packagedScenarios
  await library.all()
  const chosen = (await trials(library)).filter(({ name }) => names?.includes(name) ?? true)
  const all: Convicted[] = []
  for (const client of clients) all.push(await convicted(client, chosen))
  return all
}

async function convicted({ send, ...client }: Accused, chosen: readonly Trial[]): Promise<Convicted> {
  const mock = await startMock()
  const found = new Findings()
  for (const trial of chosen) found.note(trial.name, ...(await evidenceOf(mock, send, trial)))
  return { ...client, convictions: found.convictions, suspectedIn: found.suspectedIn }
}

/** Without those that are drawn by chance: what they show differs from one transaction ID to another. */
async function trials(library: ScenarioLibrary): Promise<Trial[]> {
  const all = (await library.all()).filter(({ tags }) => !tags.includes('seeded'))
  return [
    ...all.map(({ name, tags }) => ({
      name,
      synchronizationId: idOf(name),
      ...(tags.includes('scheduled') && { scheduleIn: 20_000 }),
    })),
    { name: 'restart-when-sent', synchronizationId: idOf('reset-after'), killedAfter: 1 },
    { name: 'restart-when-pending', synchronizationId: idOf('pending-then-created'), killedAfter: 1 },
    { name: 'date-passed', synchronizationId: ids.ready, scheduleIn: -300_000 },
    { name: 'two-mailings', synchronizationId: ids.ready, mailings: 2 },
  ]
}

const idOf = (scenario: string) => testSynchronizations.find(it => it.scenario === scenario)!.id

async function evidenceOf(mock: TestMock, send: Send, trial: Trial): Promise<[Evidence, ClientEnd]> {
  const { name, mailings = 1, scheduleIn, ...playing } = trial
  const scheduleDate = scheduleIn === undefined ? {} : { scheduleDate: dateAfter(mock, scheduleIn) }
  const user = `demo+${name}`
  let drawn = 0
  const chance = seededChance(1, name)
  const random = () => chance.fraction('jitter', ++drawn)
  let end: ClientEnd = { believes: 'unknown' }
  for (let nth = 0; nth < mailings; nth++)
    try {
      const { belief, restarts } = await play(mock, send, { ...playing, ...scheduleDate, user, random })
      end = { believes: belief, restarts }
    } catch (error) {
      if (!(error instanceof NeverEnds)) throw error
      end = { believes: 'unknown', stopped: true }
    }
  return [await collectEvidence(mock.rig(user)), { ...end, expected: mailings }]
}

const dateAfter = ({ clock }: TestMock, milliseconds: number) =>
  new Date(clock.now() + milliseconds).toISOString()

/** What a client was found guilty of, case by case. */
export class Findings {
  readonly #byRule = new Map<RuleId, { severity: Severity; cases: string[] }>()

  readonly suspectedIn: string[] = []

  note(name: string, evidence: Evidence, end: ClientEnd): void {
    if (judge(evidence).suspicion !== null) this.suspectedIn.push(name)
    for (const { rule, severity, status } of judge(evidence, end).findings) {
      if (status !== 'guilty') continue
      const known = this.#byRule.get(rule) ?? { severity, cases: [] }
      const cases = known.cases.includes(name) ? known.cases : [...known.cases, name]
      this.#byRule.set(rule, { severity: graver(known.severity, severity), cases })
    }
  }

  get convictions(): readonly Conviction[] {
    return [...this.#byRule]
      .map(([rule, it]) => ({ rule, ...it }))
      .sort((one, other) => (one.rule < other.rule ? -1 : 1))
  }
}

const severities: readonly Severity[] = ['error', 'warning', 'information']
const graver = (one: Severity, other: Severity): Severity =>
  severities[Math.min(severities.indexOf(one), severities.indexOf(other))]!
