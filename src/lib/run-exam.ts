import { writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  allCases,
  type CaseChoice,
  chooseCases,
  type ExamCase,
  isSlow,
  needsProcess,
  readySynchronization,
} from '../judge/exam/cases.ts'
import { type Client, type ClientFunction, functionClient } from '../judge/exam/client.ts'
import { RunningProcesses } from '../judge/exam/client-processes.ts'
import { commandClient } from '../judge/exam/command-client.ts'
import { checkEdition, readEditions, scoreEdition } from '../judge/exam/editions.ts'
import type { CaseResult, ExamResult } from '../judge/exam/exam-result.ts'
import { casePlayer, type Player } from '../judge/exam/player.ts'
import {
  defaultLimit,
  type ExamProgress,
  type ExamSettings,
  type ExamTask,
  longestRun,
  playExam,
} from '../judge/exam/run-exam.ts'
import { makeTemporaryFolder } from '../judge/exam/temporary-folder.ts'
import { type DelayMeter, machineDelay } from '../judge/exam/timing.ts'
import { warmClient } from '../judge/exam/warm-client.ts'
import { caseOfPlan, fileOfPlan, findWrongTrouble, planOfName } from '../judge/explore/plans.ts'
import { isOrderPlanName, orderPlanOfName } from '../judge/orders/order-plans.ts'
import { adviseOn } from '../judge/portrait/advice.ts'
import { ClientTraces } from '../judge/portrait/portrait.ts'
import { UserError } from '../store/user-error.ts'
import { findNearest, shorten } from '../store/validation-messages.ts'
import { type AssembledMock, assembleMock } from './assemble-mock.ts'
import { capsuleFolder } from './capsule/capsule-folder.ts'
import type { WarmWorkerData } from './command-worker.ts'
import { readKnownFile } from './known-file.ts'
import { warmSpeed } from './settings.ts'
import { capsuleOf, inVirtualTime, usualPlace } from './virtual-exam.ts'

/** Options of an exam for a test suite. */
export interface ExamOptions extends ExamChoice {
  /**
   * Sends one mailing as the call says and returns its belief; the `URL` of a module whose default export does that; or a
   * command that does it, with its arguments. A module is played in virtual time, in threads of its own. So is a function if a
   * `depth` is given, in the calling thread: while it runs, timers, clocks, random numbers and `fetch` of that thread are those
   * of the exam. Without a depth a function is played over sockets in real time, and cases in which the client is killed are left out.
   */
  readonly client: ClientFunction | URL | readonly string[]
  /** Whether a command stays alive and takes one case after another from its standard input. */
  readonly warm?: boolean
}

interface ExamChoice extends CaseChoice {
  /**
   * Maximum number of troubles in a plan; 0 for the cases alone. The default is 1 where waits take no time or a speed is given,
   * unless cases are chosen, and 0 otherwise.
   */
  readonly depth?: number | undefined
  /** Names of the only plans that are played, as they are. Cases are then played only if they are chosen. */
  readonly plans?: readonly string[] | undefined
  /**
   * 2: every order of the steps of two workers with one store, in place of cases and plans. A `depth` of 0 leaves troubles out. For a
   * module, or a warm command that asks for its waits.
   */
  readonly workers?: number | undefined
  /** Names of plans that are played first, such as those of earlier findings. */
  readonly first?: readonly string[]
  /** Maximum number of plans that are played of each depth from 3 on; 1,000 by default. */
  readonly sample?: number
  /** Milliseconds of real time after which no more plans are begun. */
  readonly budget?: number | undefined
  /** Seed of IDs, figures and chances; 1 by default. */
  readonly seed?: number
  /** Speed of the service's clock; 1 by default, which is real time, and 60 for a warm command that asks for its waits. */
  readonly speed?: number | undefined
  /** Cases at a time; by default it depends on the number of processors. A function in virtual time is played one case at a time. */
  readonly jobs?: number | undefined
  /** Milliseconds that the client may take for a case. */
  readonly timeout?: number | undefined
  /** Over HTTPS; `caFile` of the call, or the environment of the command, names the authority to trust. */
  readonly tls?: boolean
  /** A folder with your own scenarios, which become additional cases. */
  readonly scenarios?: string | undefined
  /** Whether warnings count as failures. */
  readonly strict?: boolean
  /** Whether it ends when something has failed and 20 seconds are over. */
  readonly bail?: boolean
  /** A file that lists what is accepted for now, docs/known-findings.md: it does not fail, and fails once it no longer happens. */
  readonly known?: string | undefined
  /** The edition that is scored; newer cases are played, and do not count. The newest by default. */
  readonly edition?: number | undefined
  /** An earlier portrait, such as `result.portrait` of another exam, with which that of this client is compared. */
  readonly portraitOf?: ExamSettings['portraitOf']
  /** A folder for capsules: of each case that failed, and of the smallest plan of each mistake. */
  readonly capsules?: string | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ExamProgress) => void
}

/** Options of an exam beyond those of a test suite. */
export interface ExamRun extends ExamChoice {
  readonly client: ClientFunction | URL | Client
  readonly reproduce?: ExamSettings['reproduce']
  readonly onRun?: ExamSettings['onRun']
  readonly onOrders?: ExamSettings['onOrders']
  /** Makes the text of a known-file from what was found, before what is known is taken out. */
  readonly onFound?: (found: Parameters<Review>[0], names: readonly string[]) => void
  readonly startDelayMeter?: DelayMeter
  /** Whether the thread may be put into virtual time afterwards, for a second or two, to find out what would mend failed plans. */
  readonly isThreadFree?: boolean
}

/** Clients mostly wait; less on a faster clock, and then a busy machine looks like a slow service to them. */
const defaultJobs = (speed: number) => availableParallelism() * Math.max(1, Math.round(6 / speed))
/** More requests than any case allows. */
const journalLimit = 2_000

/** Runs a client through an exam, on its own mock. @throws TypeError, ChoiceError, CommandError, ScenarioError, UserError */
export async function runExam({ client, warm = false, ...options }: ExamOptions): Promise<ExamResult> {
  if (typeof client === 'function' || client instanceof URL) return examine({ ...options, client })
  if (!Array.isArray(client) || client.length === 0 || !client.every(word => typeof word === 'string'))
    throw new TypeError(
      "client: expected a function, the URL of a module, or a program and its arguments, such as ['node', 'my-client.mjs']",
    )
  const running = new RunningProcesses()
  try {
    const makeClient = warm ? warmClient : commandClient
    return await examine({ ...options, client: makeClient(client, process.env, running) })
  } finally {
    running.killAll()
  }
}

/** @throws as `runExam` does */
export async function examine({ client, ...run }: ExamRun): Promise<ExamResult> {
  checkPlans(run)
  if (run.workers === 2) return await playTogether(client, run)
  const traces = new ClientTraces()
  const result = await played(client, { ...run, traces })
  const isVirtual = typeof client === 'function' && run.depth !== undefined
  return (run.isThreadFree || isVirtual) && !run.signal?.aborted
    ? await withAdvice(result, traces, run.seed)
    : result
}

/** The result with the rows of the portrait that would mend failed plans, if there are any. */
async function withAdvice(result: ExamResult, traces: ClientTraces, seed = 1): Promise<ExamResult> {
  const { portrait } = result
  if (!portrait || !traces.runs.some(it => it.isPlan && it.severity)) return result
  let client: ClientFunction | undefined
  const advice = await inVirtualTime(
    async () => call => client!(call),
    { seed, scenarios: undefined, place: usualPlace() },
    (player, { contents: [content] }) =>
      adviseOn(portrait, traces, {
        player,
        synchronizationId: readySynchronization(content!),
        playAs: it => {
          client = it
        },
      }),
  )
  return { ...result, portrait: { ...portrait, advice } }
}

type TracedExam = Omit<ExamRun, 'client'> & { readonly traces?: ClientTraces }

async function played(client: ExamRun['client'], run: TracedExam): Promise<ExamResult> {
  const { depth, tls = false, scenarios, seed = 1, jobs = availableParallelism() } = run
  if (!(client instanceof URL) && !(typeof client === 'function' && depth !== undefined))
    return await overSockets(typeof client === 'function' ? functionClient(client) : client, run)
  if (tls) throw new UserError('tls does nothing in virtual time, which has no sockets')
  const keepsCapsules = run.capsules !== undefined
  const content = await examContent(scenarios)
  const task = chooseTask(content, run, true)
  const review = await openReview(content, run, true)
  // Everything may take long: it takes no time.
  const settings = { ...run, review, limitOf: () => longestRun({ isPlan: true }) }
  if (client instanceof URL) {
    const { modulePlayer } = await import('./module-players.ts')
    await using folder = await makeTemporaryFolder(usualPlace(), 'mailing-sync-module-')
    const name = relative('', fileURLToPath(client))
    const exam = examSettings({ ...settings, jobs }, name)
    await using player = modulePlayer(
      { module: client.href, seed, scenarios, place: folder.path, keepsCapsules },
      exam.signal,
    )
    return await playExam(player, task, exam)
  }
  const exam = examSettings({ ...settings, jobs: 1 }, functionClient(client).name)
  const options = { seed, scenarios, place: usualPlace(), keepsCapsules }
  return await inVirtualTime(
    async () => client,
    options,
    player => playExam(player, task, exam),
  )
}

/** Every order of two workers. @throws UserError */
async function playTogether(client: ExamRun['client'], run: Omit<ExamRun, 'client'>): Promise<ExamResult> {
  const { depth = 1, plans, scenarios, seed = 1 } = run
  const inVain = (['only', 'tags', 'tls', 'bail', 'capsules'] as const).find(name => run[name])
  if (inVain) throw new UserError(`--${inVain} does nothing with two workers: they play orders alone`)
  const worker = client instanceof URL ? { module: client.href } : await warmWorker(client, run)
  const isWarm = 'command' in worker
  // While one client waits for a response that never comes, others make use of the processor.
  const { jobs = availableParallelism() * (isWarm ? 3 : 1) } = run
  const review = await openReview({ cases: [], synchronizationId: '' }, run, true)
  const limitOf = () => longestRun({ isPlan: true })
  const name = client instanceof URL ? relative('', fileURLToPath(client)) : (client as Client).name
  const speed = isWarm ? worker.speed : 1
  const settings = examSettings({ ...run, speed, jobs, review, limitOf }, name)
  const { orderPlayer } = await import('./module-players.ts')
  const { playOrders } = await import('../judge/orders/play-orders.ts')
  await using folder = await makeTemporaryFolder(usualPlace(), 'mailing-sync-module-')
  await using player = orderPlayer({ client: worker, seed, scenarios, place: folder.path }, settings.signal)
  return await playOrders(player, { depth, plans }, settings)
}

/** What a warm client is started with as one of two workers, once it is known how it waits. @throws UserError */
async function warmWorker(
  client: ClientFunction | Client,
  run: Omit<ExamRun, 'client'>,
): Promise<WarmWorkerData> {
  if (typeof client === 'function' || !client.warmCommand)
    throw new UserError(
      'two workers need a client whose steps can be told apart: a module (--module), or a command that stays alive and asks for its waits (--warm)',
    )
  const { speed = warmSpeed } = run
  return await withSockets(client, run, async ({ synchronizationId }, playerOf) => {
    const player = playerOf(
      examSettings({ ...run, speed, jobs: 1, limitOf: defaultLimit, review: undefined }, client.name),
    )
    const play = async (name: string) =>
      (await player.play(caseOfPlan(planOfName(name)!, synchronizationId))).result
    const { attempts } = await play('500-nothing')
    if (!client.hasAskedForWait && attempts.filter(it => it.isCreation).length > 1)
      throw new UserError(
        'two workers need a client that asks for its waits, so that it can be chosen which one ends first: docs/warm-clients.md says how',
      )
    return { ...client.warmCommand!, speed, patience: patienceIn(await play('hang-nothing')) }
  })
}

/** Milliseconds after which a client has given up its first attempt, which got no answer. In real time it is a little late. */
function patienceIn({ attempts }: CaseResult): number | undefined {
  const { at = 0, until = null } = attempts.find(({ isCreation }) => isCreation) ?? {}
  if (until === null) return undefined
  const seconds = until - at
  const step = seconds >= 5 ? 5 : 1
  return Math.max(1, Math.floor(seconds / step) * step) * 1_000
}

/** Gives players of a client that talks to a mock of its own over sockets. */
async function withSockets<Result>(
  client: Client,
  { seed = 1, tls = false, scenarios, capsules, startDelayMeter = machineDelay }: TracedExam,
  work: (content: ExamContent, playerOf: (settings: ExamSettings) => Player) => Promise<Result>,
): Promise<Result> {
  await using mock = await assembleMock(
    // Answers show nothing of the mock: a client must pass without hints.
    { seed, tls, hints: false, journal: journalLimit, logLevel: 'error', scenarios },
    false,
    { hasReport: false },
  )
  const content = await contentOf(mock, tls)
  const { port, ca, openSidePort } = await mock.listen()
  await using folder = await makeTemporaryFolder(tmpdir(), 'mailing-sync-exam-')
  const caFile = ca === undefined ? undefined : join(folder.path, 'ca.pem')
  if (caFile) writeFileSync(caFile, ca!)
  // The address itself: names lead some clients to another one first.
  const url = `http${tls ? 's' : ''}://127.0.0.1:${port}`
  const host = {
    ...{ tools: mock, url, caFile, home: mock.contents[0]!.fixture.space, openSidePort },
    ...(capsules !== undefined && {
      capsuleOf: (space: string, end: Parameters<typeof capsuleOf>[2]) => capsuleOf(mock, space, end),
    }),
  }
  return await work(content, settings =>
    casePlayer({ ...settings, client, host, isExact: false, directory: folder.path, startDelayMeter }),
  )
}

/** In real time, or on a faster clock of the service. */
async function overSockets(client: Client, run: TracedExam): Promise<ExamResult> {
  const { timeout } = run
  // While one warm client waits for a response that never comes, others make use of the processor.
  const { jobs = client.isWarm ? availableParallelism() * 6 : defaultJobs(run.speed ?? 1) } = run
  return await withSockets(client, run, async (content, playerOf) => {
    const task = chooseTask(content, run, false)
    const limitOf: ExamSettings['limitOf'] = (exam, at) => timeout ?? defaultLimit(exam, at)
    const settingsAt = async (speed: number) => {
      const review = await openReview(content, run, client.hasAskedForWait ?? false)
      return examSettings({ ...run, speed, jobs, limitOf, review }, client.name)
    }
    const first = await settingsAt(run.speed ?? 1)
    if (!client.isWarm) return await playExam(playerOf(first), task, first)
    // In this plan every client has to wait: whether it asks for that decides what takes no time, and how fast its clock may be.
    await playerOf(first).play(caseOfPlan(planOfName('500-nothing')!, content.synchronizationId))
    if (!client.hasAskedForWait) return await playExam(playerOf(first), task, first)
    const settings = await settingsAt(run.speed ?? warmSpeed)
    return await playExam(playerOf(settings), chooseTask(content, run, true), settings)
  })
}

function examSettings(
  run: Omit<TracedExam, 'jobs'> &
    Pick<ExamSettings, 'jobs' | 'limitOf'> & {
      readonly review: Review | undefined
    },
  client: string,
): ExamSettings {
  return {
    ...(run.review && { review: run.review }),
    client,
    seed: run.seed ?? 1,
    speed: run.speed ?? 1,
    jobs: run.jobs,
    budget: run.budget,
    isStrict: run.strict ?? false,
    endsWithAdvice: run.bail ?? false,
    signal: run.signal ?? new AbortController().signal,
    limitOf: run.limitOf,
    reproduce: run.reproduce ?? (() => null),
    onProgress: run.onProgress ?? (() => {}),
    onRun: run.onRun,
    keepCapsule: run.capsules === undefined ? undefined : capsuleWriter(run.capsules),
    onOrders: run.onOrders,
    ...(run.traces && { traces: run.traces }),
    portraitOf: run.portraitOf,
  }
}

/** Writes capsules of cases and plans to a folder. @throws UserError */
function capsuleWriter(folder: string): NonNullable<ExamSettings['keepCapsule']> {
  const write = capsuleFolder(folder)
  return ({ name, isPlan }, text) => write(isPlan ? `plan-${fileOfPlan(planOfName(name)!)}` : name, text)
}

type Review = NonNullable<ExamSettings['review']>

/**
 * Takes out what the edition does not have, and what is known.
 * @param areWaitsFree whether slow cases are played as well, unless it is said otherwise
 * @throws UserError for a file that cannot be read, and for an edition that there is not
 */
async function openReview(
  { cases }: ExamContent,
  { known: file, edition, scenarios, slow, onFound }: ExamChoice & Pick<ExamRun, 'onFound'>,
  areWaitsFree: boolean,
): Promise<Review | undefined> {
  if (file === undefined && edition === undefined && !onFound) return undefined
  const { acceptKnown } = await import('../judge/known/exam-gate.ts')
  const editions = edition === undefined ? undefined : await readEditions()
  if (editions) checkEdition(editions, edition!)
  // Those of TLS count as well: one file serves exams with and without it.
  const known =
    file === undefined
      ? undefined
      : readKnownFile(file, { cases: (await examContent(scenarios, true)).cases.map(({ name }) => name) })
  return (found, isKillable) => {
    const scored = editions ? { ...found, ...scoreEdition(found, editions, edition!) } : found
    // Of what is not chosen nothing is said.
    const names = cases
      .filter(it => ((slow ?? areWaitsFree) || !isSlow(it)) && (isKillable || !needsProcess(it)))
      .map(({ name }) => name)
    onFound?.(scored, names)
    const { exploration: _, ...reviewed } = known
      ? { ...scored, ...acceptKnown(scored, known, names) }
      : scored
    return reviewed
  }
}

/** @throws TypeError for what is no list, UserError for a name of no plan */
function checkPlans({
  first = [],
  plans = [],
  workers,
}: Pick<ExamChoice, 'first' | 'plans' | 'workers'>): void {
  for (const [name, given] of Object.entries({ first, plans }))
    if (typeof given === 'string') throw new TypeError(`${name}: expected a list, such as ['${given}']`)
  const joint = [...plans].find(name => isOrderPlanName(name) !== (workers === 2))
  if (joint !== undefined && (workers === 2 || orderPlanOfName(joint)))
    throw new UserError(
      workers === 2
        ? `"${shorten(joint)}" is no plan of two workers; their names begin with two-workers:, as in two-workers:undisturbed`
        : `"${shorten(joint)}" is a plan of two workers, which --workers 2 plays`,
    )
  const wrongOrder = workers === 2 ? plans.find(name => !orderPlanOfName(name)) : undefined
  if (wrongOrder !== undefined)
    throw new UserError(
      `there is no plan "${shorten(wrongOrder)}"; after two-workers: stands undisturbed, killed or the name of a trouble, as in two-workers:told-failed`,
    )
  if (workers === 2) return
  const wrong = [...first, ...plans].find(name => !planOfName(name))
  const unknown = wrong === undefined ? undefined : findWrongTrouble(wrong)
  if (wrong === undefined || !unknown) return
  const near = findNearest(unknown.name, unknown.possible)
  const meant = near === undefined ? '' : `did you mean "${near}"? `
  throw new UserError(
    `there is no plan "${shorten(wrong)}"; ${meant}exam --list --depth 1 prints those of one trouble`,
  )
}

interface ExamContent {
  readonly cases: readonly ExamCase[]
  readonly synchronizationId: string
}

/** @param areWaitsFree whether a case in which a client has to wait for minutes takes no longer than another one */
function chooseTask(
  { cases, synchronizationId }: ExamContent,
  run: ExamChoice,
  areWaitsFree: boolean,
): ExamTask {
  const { only, tags, slow = areWaitsFree, plans, first = [], sample = 1_000, depth } = run
  const isChosen = only !== undefined || tags !== undefined
  return {
    cases: plans && !isChosen ? [] : chooseCases(cases, { only, tags, slow }),
    depth: depth ?? (plans || isChosen ? 0 : undefined),
    ...{ synchronizationId, first, plans, sample },
  }
}

const contentOf = async (
  { scenarios, contents: [content] }: AssembledMock,
  tls = false,
): Promise<ExamContent> => ({
  cases: await allCases({ scenarios, content: content!, tls }),
  synchronizationId: readySynchronization(content!),
})

/** All cases, and what plans send. @throws ScenarioError */
export async function examContent(scenarios: string | undefined, tls = false): Promise<ExamContent> {
  await using mock = await assembleMock({ logLevel: 'error', scenarios }, false)
  return await contentOf(mock, tls)
}
