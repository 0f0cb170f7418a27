import type { Scenarios } from '../../rig/control/route.ts'
import { faults } from '../../rig/faults/registry.ts'
import { lossNames } from '../../rig/scenarios/loss-matrix.ts'
import { scenarioFrom } from '../../rig/scenarios/read.ts'
import type { Rule, Scenario, Step } from '../../rig/scenarios/scenario.ts'
import type { Content } from '../../store/content.ts'
import type { ExamCase } from './exam-case.ts'
import type { OwnCase } from './own-case.ts'
import { ownCases } from './own-cases.ts'

/** What cases are made from. */
export interface CaseSources {
  readonly scenarios: Pick<Scenarios, 'names' | 'get'>
  /** What the spaces of the cases begin with. */
  readonly content: Content
}

/** A fixture in which nobody could send anything. */
export class NothingToSend extends Error {
  override readonly name = 'NothingToSend'
}

const hour = 3_600_000
const day = 24 * hour
const usual = {
  course: { kind: 'once' },
  leadingTo: undefined,
  isAvoidable: false,
  isScheduled: false,
  clockAhead: 0,
  scheduleIn: day,
  datePasses: false,
  door: undefined,
} as const

/**
 * Every case there is: the scenarios, each on its test synchronization where the fixture has one; the loss matrix; and
 * those that need more than a scenario.
 * @throws NothingToSend, ScenarioError
 */
export async function allCases({ scenarios, content }: CaseSources): Promise<ExamCase[]> {
  const { testSynchronizations = [] } = content.fixture
  const bound = new Map(testSynchronizations.map(({ id, scenario }) => [scenario, id]))
  const ready = readySynchronization(content)
  const read = (names: readonly string[]) => Promise.all(names.map(async name => scenarios.get(name)))
  const catalogue = (await read(scenarios.names())).map((scenario): ExamCase => {
    const own = bound.get(scenario.name)
    return { ...ofScenario(scenario, own ?? ready), ...(own !== undefined && { scenario: undefined }) }
  })
  const matrix = (await read(lossNames)).map(scenario => ofScenario(scenario, ready, matrixTags(scenario)))
  const others = Object.entries(ownCases).map(([name, own]) => ofOwn(name, own, ready))
  const taken = new Set(others.map(({ name }) => name))
  return [...catalogue.filter(({ name }) => !taken.has(name)), ...others, ...matrix]
}

function ofScenario(scenario: Scenario, synchronizationId: string, tags = scenario.tags): ExamCase {
  const { name, description, expect } = scenario
  return {
    ...usual,
    name,
    description,
    tags,
    scenario,
    synchronizationId,
    isUndisturbed: scenario.rules.length === 0,
    isAvoidable: isAvoidable(scenario),
    expect,
    isScheduled: tags.includes('scheduled'),
  }
}

/** Most of what the matrix shows it shows on the first attempt; the rest is many, and each takes its pauses. */
const matrixTags = ({ name, tags }: Scenario) =>
  name.endsWith('-1') || tags.includes('slow') ? tags : [...tags, 'slow']

function ofOwn(name: string, own: OwnCase, synchronizationId: string): ExamCase {
  const { rules, ...rest } = own
  const { description, expect, tags, door } = own
  const withRules = (rules: readonly object[]) =>
    scenarioFrom({ description, rules, expect, tags }, name, 'the exam')
  const made =
    typeof rules === 'function'
      ? { scenario: undefined, leadingTo: (host: string) => withRules(rules(host)), isUndisturbed: false }
      : { scenario: withRules(rules), isUndisturbed: rules.length === 0 && door === undefined }
  return { ...usual, ...rest, name, synchronizationId, ...made }
}

/**
 * Whether a client that sends may never meet any of its rules: they are about other operations, about some requests
 * only, about a share of them, or about connections that are used again.
 */
function isAvoidable({ rules }: Scenario): boolean {
  const meetsAll = ({ on, when, chance = 1, steps }: Rule) =>
    (on === '*' || on.includes('createSending')) &&
    when.length === 0 &&
    chance === 1 &&
    !isOfReused(steps[0]!)
  return rules.length > 0 && !rules.some(meetsAll)
}

const isOfReused = ({ answer }: Step) =>
  answer !== undefined && 'fault' in answer && faults.get(answer.fault)?.onlyReused === true

/** A synchronization that can be sent, and that no scenario stands behind. @throws NothingToSend */
function readySynchronization({ fixture }: Content): string {
  const approved = new Set(fixture.mailings.filter(({ approved }) => approved).map(({ id }) => id))
  const bound = new Set((fixture.testSynchronizations ?? []).map(({ id }) => id))
  const found = fixture.synchronizations.find(
    ({ id, mailingId }) => approved.has(mailingId) && !bound.has(id),
  )
  if (!found)
    throw new NothingToSend(
      `space "${fixture.space}" has no synchronization whose mailing is approved, so no client could send one`,
    )
  return found.id
}
