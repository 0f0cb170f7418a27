import { join } from 'node:path'
import { z } from 'zod'
import { duration } from '../../rig/duration.ts'
import { creationIds } from '../../rig/request-meaning.ts'
import { packagedScenarios, readText, type Scenarios } from '../../rig/scenarios/library.ts'
import { scenarioFrom } from '../../rig/scenarios/read.ts'
import type { Rule, Scenario, Step, WrittenForm } from '../../rig/scenarios/scenario.ts'
import { isTlsFault, isUnfitTls, tlsFaults } from '../../rig/side-ports.ts'
import type { Content } from '../../store/content.ts'
import { matchesGlob } from '../../store/glob.ts'
import { getOrMake } from '../../store/maps.ts'
import { UserError } from '../../store/user-error.ts'
import { findNearest, shorten } from '../../store/validation-messages.ts'
import { readYaml, type YamlText } from '../../store/yaml-text.ts'

/** The fixture has nothing that could be sent. */
export class NothingToSend extends UserError {
  override readonly name = 'NothingToSend'
}

/** What an undisturbed client achieves, and one that most cases disturb. */
export const undisturbedExpectation = { sent: 1, belief: 'sent' } as const

const connections = z.int().positive()

/**
 * How often and when the client is started. `once`: a single time. `restarted`: it is killed after its first attempt, or
 * after each attempt that meets one of these steps of the scenario, and started again with its stored state; `asked` when
 * the attempt has been processed, `told` when it has been answered.
 * `two-mailings`: one after the other, each with its own state, to send another mailing. `two-workers`: two at a time with one state.
 */
const runPlan = z.union([
  z.strictObject({ kind: z.enum(['once', 'two-mailings', 'two-workers']) }),
  z.strictObject({
    kind: z.literal('restarted'),
    killedWhen: z.enum(['asked', 'told']),
    steps: z.array(z.int()).readonly().optional(),
  }),
])

/** What happens in a case besides its scenario. Durations are milliseconds. */
const caseSettings = z.strictObject({
  runPlan: runPlan.default({ kind: 'once' }),
  /** By how much the space's clock is ahead of the client's. */
  clockAhead: duration.default(0),
  /** By how much it is behind. */
  clockBehind: duration.default(0),
  /** From the client's present to the date that it gets. */
  scheduleIn: duration.prefault('1d'),
  /** Whether the service's clock passes that date as soon as the first attempt is answered or lost. */
  datePasses: z.boolean().default(false),
  /** What happens to the first connections, at a port of the case's own; undefined if they reach the service. */
  listenerFaults: z
    .array(
      z.union([
        z.strictObject({
          mode: z.enum(['reset-at-accept', 'reset-at-data', 'silent', ...tlsFaults]),
          connections,
        }),
        z.strictObject({ mode: z.literal('refuse'), for: duration }),
      ]),
    )
    .optional(),
})

type CaseSettings = Readonly<z.output<typeof caseSettings>>
/**
 * What happens to a client's connections for a while, before a request can be sent over them. Refused connections are
 * not reported by the system, so that mode has a duration; `for` is in milliseconds of the service's clock.
 */
export type ConnectionTrouble = NonNullable<CaseSettings['listenerFaults']>[number]

type ExtraCase = WrittenForm & { readonly exam?: z.input<typeof caseSettings> }

/** Read once for each text, since every exam reads them. */
const parsedCases = new Map<string, Readonly<Record<string, ExtraCase>>>()

/** The cases that need more than a scenario, by name, as their file has them. */
export async function readExtraCases(): Promise<Readonly<Record<string, ExtraCase>>> {
  const text = await readText(join(packagedScenarios, 'exam/cases.yaml'))
  return getOrMake(
    parsedCases,
    text,
    () => (readYaml(text, 'list of cases') as YamlText).value as Record<string, ExtraCase>,
  )
}

/**
 * All cases: the scenarios, each on its test synchronization if the fixture has one, and the cases that need more than a
 * scenario. Plans of troubles, which an exam plays beside them, take the place of the loss matrix.
 * @param content initial content of their spaces
 * @param tls whether clients reach the service over HTTPS; without it cases of TLS are left out
 * @throws NothingToSend, ScenarioError
 */
export async function allCases({
  scenarios,
  content,
  tls = false,
}: {
  readonly scenarios: Pick<Scenarios, 'names' | 'get'>
  readonly content: Content
  readonly tls?: boolean
}): Promise<ExamCase[]> {
  const { testSynchronizations = [] } = content.fixture
  const bound = new Map(testSynchronizations.map(({ id, scenario }) => [scenario, id]))
  const ready = readySynchronization(content)
  const read = (names: readonly string[]) => Promise.all(names.map(async name => scenarios.get(name)))
  const catalogue = (await read(scenarios.names())).map((scenario): ExamCase => {
    const synchronizationId = bound.get(scenario.name)
    const isBound = synchronizationId !== undefined
    return {
      ...caseOfScenario(scenario, synchronizationId ?? ready),
      ...(isBound && { scenario: undefined }),
    }
  })
  const others = Object.entries(await readExtraCases())
    .map(([name, own]) => caseOfExtra(name, own, ready))
    .filter(({ listenerFaults = [] }) => tls || !listenerFaults.some(({ mode }) => isTlsFault(mode)))
  const otherNames = new Set(others.map(({ name }) => name))
  return [...catalogue.filter(({ name }) => !otherNames.has(name)), ...others]
}

const usualSettings = caseSettings.parse({})

export function caseOfScenario(scenario: Scenario, synchronizationId: string, settings = usualSettings) {
  const { name, description, tags, expect } = scenario
  return {
    ...settings,
    /** Lower-case letters, digits and hyphens; unique among cases. */
    name,
    /** Whether it is a plan of troubles, named after them, and no case made by hand. */
    isPlan: false,
    description,
    tags,
    scenario,
    synchronizationId,
    isUndisturbed: scenario.rules.length === 0,
    /** Whether a correct client may never meet its disturbance. */
    isAvoidable: isAvoidable(scenario),
    /** Whether every transaction fails, so that a correct client may go on for fifteen minutes (spec 8). */
    failsForEver: failsForEver(scenario),
    /** What a client that follows the document achieves. Without it only conduct is judged. */
    expect,
    /** Whether the client gets a date to send at. */
    isScheduled: tags.includes('scheduled'),
  }
}

function caseOfExtra(name: string, { exam = {}, ...own }: ExtraCase, synchronizationId: string): ExamCase {
  const text = JSON.stringify({ rules: [], expect: undisturbedExpectation, ...own })
  const leadingTo = (host: string) =>
    scenarioFrom(JSON.parse(text.replaceAll('{host}', host)), name, 'the exam')
  const settings = caseSettings.parse(exam)
  const extra = caseOfScenario(leadingTo('elsewhere'), synchronizationId, settings)
  if (settings.listenerFaults) {
    // A client that has met a certificate that does not fit may go on or end.
    const mayEnd = settings.listenerFaults.some(({ mode }) => isUnfitTls(mode))
    return { ...extra, isUndisturbed: false, expect: mayEnd ? undefined : extra.expect }
  }
  return text.includes('{host}') ? { ...extra, scenario: leadingTo } : extra
}

/**
 * Whether a client may send without meeting any of the rules: they are for other operations, for some or a share of the
 * requests, or for reused connections.
 */
function isAvoidable({ rules }: Scenario): boolean {
  const meetsAll = ({ on, when, chance = 1, steps }: Rule) =>
    (on === '*' || creationIds.some(id => on.includes(id))) &&
    when.length === 0 &&
    chance === 1 &&
    !needsReusedConnection(steps[0]!)
  return rules.length > 0 && !rules.some(meetsAll)
}

const failsForEver = ({ rules }: Scenario): boolean =>
  rules.some(({ steps }) => {
    const { state, times, for: lasts } = steps.at(-1)!
    return state === 'FAILED' && (times ?? lasts ?? Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY
  })

const needsReusedConnection = ({ answer }: Step) =>
  answer !== undefined && 'fault' in answer && answer.fault.applies === 'on reused connection'

/** A synchronization that can be sent and is not bound to a scenario. @throws NothingToSend */
export function readySynchronization({ fixture }: Content): string {
  const approved = new Set(fixture.mailings.filter(({ approved }) => approved).map(({ id }) => id))
  const bound = new Set((fixture.testSynchronizations ?? []).map(({ id }) => id))
  const synchronization = fixture.synchronizations.find(
    ({ id, mailingId }) => approved.has(mailingId) && !bound.has(id),
  )
  if (!synchronization)
    throw new NothingToSend(
      `space "${fixture.space}" has no synchronization whose mailing is approved, so no client could send one`,
    )
  return synchronization.id
}

/** One situation for a client, in a space of its own. */
export interface ExamCase extends Readonly<Omit<ReturnType<typeof caseOfScenario>, 'scenario'>> {
  /**
   * In force in the space of the case; undefined if the synchronization is bound to it.
   * A function if it redirects to another host, whose name and port it takes.
   */
  readonly scenario: Scenario | ((host: string) => Scenario) | undefined
}

/** Tags of cases in which a client has to wait for minutes, or of which there are many. */
export const slowTags: readonly string[] = ['slow', 'five-minutes', 'fifteen-minutes']

export const isSlow = ({ tags }: ExamCase): boolean => tags.some(tag => slowTags.includes(tag))

/** Whether its client must be a process that can be killed and started again. */
export const needsProcess = ({ runPlan }: ExamCase): boolean => runPlan.kind === 'restarted'

/** Whether it needs more than a client that is started once and talks to the mock directly. */
export const needsRunner = (exam: ExamCase): boolean =>
  exam.runPlan.kind !== 'once' || exam.listenerFaults !== undefined || typeof exam.scenario === 'function'

export interface CaseChoice {
  /** Names; `*` matches any characters, `?` exactly one. */
  readonly only?: readonly string[] | undefined
  /** A case needs at least one of them. */
  readonly tags?: readonly string[] | undefined
  /** Also cases in which a client has to wait for minutes. Names and slow tags include them as well. */
  readonly slow?: boolean | undefined
}

/** An unknown case or tag, or a choice that no case fits. The message lists what exists. */
export class ChoiceError extends UserError {
  override readonly name = 'ChoiceError'
}

/** How to list all cases without a running mock. */
const listHint = 'exam --list --slow shows all that there are'

/**
 * @param where how to list all cases, for messages @param isOffered whether a case may be suggested for a misspelt name
 * @throws ChoiceError for a name or tag that matches no case: an exam without cases would always be passed
 */
export function chooseCases(
  cases: readonly ExamCase[],
  choice: CaseChoice,
  where: string = listHint,
  isOffered: (it: ExamCase) => boolean = () => true,
): ExamCase[] {
  const { only, tags, slow = false } = choice
  // Callers may not use types, and a text is a list of letters.
  for (const [name, value] of Object.entries({ only, tags }))
    if (typeof value === 'string')
      throw new ChoiceError(`${name}: expected a list of texts, such as ['${shorten(value)}']`)
  for (const glob of only ?? [])
    if (!cases.some(({ name }) => matchesGlob(glob, name)))
      throw new ChoiceError(
        `no case has the name "${shorten(glob, 80)}"; ${hintsFor(glob, cases.filter(isOffered))}${where}`,
      )
  const allTags = new Set(cases.flatMap(it => it.tags))
  for (const tag of tags ?? [])
    if (!allTags.has(tag))
      throw new ChoiceError(
        `no case has the tag "${shorten(tag, 80)}"; there are ${[...allTags].sort().join(', ')}`,
      )
  const fits = (it: ExamCase) =>
    (only === undefined || only.some(glob => matchesGlob(glob, it.name))) &&
    (tags === undefined || tags.some(tag => it.tags.includes(tag)))
  const withSlow = slow || only !== undefined || (tags ?? []).some(tag => slowTags.includes(tag))
  const fitting = cases.filter(fits)
  const chosenCases = fitting.filter(it => withSlow || !isSlow(it))
  if (chosenCases.length === 0 && fitting.length > 0)
    throw new ChoiceError('every case that fits is one of those that are played with --slow only')
  if (chosenCases.length === 0) throw new ChoiceError(`no case fits all that was asked for; ${where}`)
  return chosenCases
}

function hintsFor(glob: string, cases: readonly ExamCase[]): string {
  const near = findNearest(
    glob,
    cases.map(({ name }) => name),
  )
  const question = near === undefined ? '' : `did you mean "${near}"? `
  return question + (glob.startsWith('tls-') ? 'cases of TLS need --tls; ' : '')
}
