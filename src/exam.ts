import { availableParallelism } from 'node:os'
import { create } from './create.ts'
import { allCases } from './judge/exam/cases.ts'
import type { Choice } from './judge/exam/choice.ts'
import { type Client, type ClientFunction, functionClient } from './judge/exam/client.ts'
import { commandClient, Running } from './judge/exam/command.ts'
import type { ExamCase } from './judge/exam/exam-case.ts'
import { type Progress, playExam } from './judge/exam/run-exam.ts'
import type { ExamResult } from './rig/exam-shape.ts'

/** An exam as a test suite asks for it. */
export interface ExamOptions extends Choice {
  /**
   * Sends one mailing to where the call says, and gives what it believes; or a command that does, with its arguments.
   * Cases in which the client is killed and started again are played to commands only.
   */
  readonly client: ClientFunction | readonly string[]
  /** Where IDs, figures and chances come from; 1 unless given. */
  readonly seed?: number
  /** So many times as fast as real time the service's clock runs; 1 unless given. */
  readonly speed?: number
  /** Cases at a time; by the number of processors unless given. */
  readonly jobs?: number
  /** Milliseconds that the client may take for a case. */
  readonly timeout?: number
  /** A folder with scenarios of one's own, which become cases beside the others. */
  readonly scenarios?: string
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/** More of an exam than a test suite has to say. */
export interface ExamRun extends Omit<ExamOptions, 'client'> {
  readonly client: Client
  readonly reproduce?: (exam: ExamCase) => string
}

/**
 * Clients mostly wait, so more of them than processors keep those busy. The faster the clock the less they wait, and the
 * more a busy machine looks like a slow service to them.
 */
const jobsFor = (speed: number) => availableParallelism() * Math.max(1, Math.round(6 / speed))
/** More requests than any case lets come. */
const journal = 2_000

/**
 * Runs a client through an exam, on a mock of its own that is gone afterwards.
 * @throws TypeError for a client that is none, ChoiceError for names and tags that no case has, CommandError for a command that is not there, ScenarioError
 */
export async function runExam({ client, ...options }: ExamOptions): Promise<ExamResult> {
  if (!isClient(client))
    throw new TypeError(
      "client: expected a function, or a program and its arguments, such as ['node', 'my-client.mjs']",
    )
  if (typeof client === 'function') return examineClient({ ...options, client: functionClient(client) })
  const running = new Running()
  try {
    return await examineClient({ ...options, client: commandClient(client, process.env, running) })
  } finally {
    running.killAll()
  }
}

/** Whoever calls it may have no types. */
const isClient = (client: unknown): boolean =>
  typeof client === 'function' ||
  (Array.isArray(client) && client.length > 0 && client.every(word => typeof word === 'string'))

/** @throws as `runExam` does */
export async function examineClient(run: ExamRun): Promise<ExamResult> {
  const { seed = 1, speed = 1, jobs = jobsFor(speed) } = run
  const mock = await create(
    // Answers show nothing of the mock: a client must pass without hints.
    { seed, hints: false, journal, logLevel: 'error', ...scenariosIn(run.scenarios) },
    false,
  )
  try {
    const [content] = mock.contents
    const cases = await allCases({ scenarios: mock.scenarios, content: content! })
    const { port, openSidePort } = await mock.listen()
    // The address itself: names lead some clients to another one first.
    const stage = { tools: mock, url: `http://127.0.0.1:${port}`, home: content!.fixture.space, openSidePort }
    return await playExam(cases, stage, {
      ...run,
      seed,
      speed,
      jobs,
      limit: run.timeout,
      signal: run.signal ?? new AbortController().signal,
    })
  } finally {
    await mock.close()
  }
}

/** Every case there is. @throws ScenarioError */
export async function examCases(scenarios: string | undefined): Promise<ExamCase[]> {
  const mock = await create({ logLevel: 'error', ...scenariosIn(scenarios) }, false)
  try {
    return await allCases({ scenarios: mock.scenarios, content: mock.contents[0]! })
  } finally {
    await mock.close()
  }
}

const scenariosIn = (scenarios: string | undefined) => (scenarios === undefined ? {} : { scenarios })
