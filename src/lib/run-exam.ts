import { writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { allCases, type CaseChoice, type ExamCase } from '../judge/exam/cases.ts'
import { type ClientFunction, functionClient } from '../judge/exam/client.ts'
import { commandClient, RunningProcesses } from '../judge/exam/command-client.ts'
import type { ExamResult } from '../judge/exam/exam-result.ts'
import { type ExamProgress, type ExamSettings, playExam } from '../judge/exam/run-exam.ts'
import { makeTemporaryFolder } from '../judge/exam/temporary-folder.ts'
import { assembleMock } from './assemble-mock.ts'

/** Options of an exam for a test suite. */
export interface ExamOptions extends CaseChoice {
  /**
   * Sends one mailing as the call says and returns its belief; or a command that does so, with its arguments. Cases in
   * which the client is killed and started again run only for commands.
   */
  readonly client: ClientFunction | readonly string[]
  /** Seed of IDs, figures and chances; 1 by default. */
  readonly seed?: number
  /** Speed of the service's clock; 1 by default, which is real time. */
  readonly speed?: number
  /** Cases at a time; by default it depends on the number of processors. */
  readonly jobs?: number | undefined
  /** Milliseconds that the client may take for a case. */
  readonly timeout?: number | undefined
  /** Over HTTPS; `caFile` of the call, or the environment of the command, names the authority to trust. */
  readonly tls?: boolean
  /** A folder with your own scenarios, which become additional cases. */
  readonly scenarios?: string | undefined
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: ExamProgress) => void
}

/** Options of an exam beyond those of a test suite. */
interface ExamRun
  extends Omit<ExamOptions, 'client'>,
    Pick<ExamSettings, 'client' | 'reproduce' | 'startDelayMeter'> {}

/** Clients mostly wait; less on a faster clock, and then a busy machine looks like a slow service to them. */
const defaultJobs = (speed: number) => availableParallelism() * Math.max(1, Math.round(6 / speed))
/** More requests than any case allows. */
const journalLimit = 2_000

/** Runs a client through an exam, on its own mock. @throws TypeError, ChoiceError, CommandError, ScenarioError */
export async function runExam({ client, ...options }: ExamOptions): Promise<ExamResult> {
  if (!isClientOption(client))
    throw new TypeError(
      "client: expected a function, or a program and its arguments, such as ['node', 'my-client.mjs']",
    )
  if (typeof client === 'function') return examineClient({ ...options, client: functionClient(client) })
  const running = new RunningProcesses()
  try {
    return await examineClient({ ...options, client: commandClient(client, process.env, running) })
  } finally {
    running.killAll()
  }
}

/** Callers may not use types. */
const isClientOption = (client: unknown): boolean =>
  typeof client === 'function' ||
  (Array.isArray(client) && client.length > 0 && client.every(word => typeof word === 'string'))

/** @throws as `runExam` does */
export async function examineClient(run: ExamRun): Promise<ExamResult> {
  const { seed = 1, speed = 1, jobs = defaultJobs(speed), tls = false } = run
  await using mock = await assembleMock(
    // Answers show nothing of the mock: a client must pass without hints.
    { seed, tls, hints: false, journal: journalLimit, logLevel: 'error', scenarios: run.scenarios },
    false,
  )
  const [content] = mock.contents
  const cases = await allCases({ scenarios: mock.scenarios, content: content!, tls })
  const { port, ca, openSidePort } = await mock.listen()
  await using caFolder =
    ca === undefined ? undefined : await makeTemporaryFolder(tmpdir(), 'mailing-sync-ca-')
  const caFile = caFolder && join(caFolder.path, 'ca.pem')
  if (caFile) writeFileSync(caFile, ca!)
  // The address itself: names lead some clients to another one first.
  const url = `http${tls ? 's' : ''}://127.0.0.1:${port}`
  const host = { tools: mock, url, caFile, home: content!.fixture.space, openSidePort }
  return await playExam(cases, host, {
    ...run,
    seed,
    speed,
    jobs,
    limit: run.timeout,
    signal: run.signal ?? new AbortController().signal,
  })
}

/** All cases. @throws ScenarioError */
export async function examCases(scenarios: string | undefined, tls = false): Promise<ExamCase[]> {
  await using mock = await assembleMock({ logLevel: 'error', scenarios }, false)
  return await allCases({ scenarios: mock.scenarios, content: mock.contents[0]!, tls })
}
