import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stringify } from 'yaml'
import { chooseCases } from '../judge/exam/cases.ts'
import { RunningProcesses } from '../judge/exam/client-processes.ts'
import { commandClient } from '../judge/exam/command-client.ts'
import type { ExamResult } from '../judge/exam/exam-result.ts'
import {
  compareReceipts,
  makeReceipt,
  type Receipt,
  readReceipt,
  settingsOf,
  TraceDigests,
} from '../judge/exam/receipt.ts'
import { forTerminal } from '../judge/exam/report-text.ts'
import { reproduceLine } from '../judge/exam/reproduce.ts'
import { examText, junitReport } from '../judge/exam/text-reports.ts'
import { warmClient } from '../judge/exam/warm-client.ts'
import {
  countPlans,
  fileOfPlan,
  planName,
  planOfFile,
  planOfName,
  planWords,
  singlePlans,
} from '../judge/explore/plans.ts'
import {
  fileOfOrderPlan,
  isOrderPlanName,
  jointTroubles,
  orderPlanName,
  orderPlanOfFile,
  troubleWords,
} from '../judge/orders/order-plans.ts'
import { type Portrait, portrait } from '../judge/portrait/portrait-shape.ts'
import { portraitLines, portraitMarkdown } from '../judge/portrait/portrait-text.ts'
import { readKnownFile } from '../lib/known-file.ts'
import { examContent, examine } from '../lib/run-exam.ts'
import { htmlReport } from '../pages/exam-report.tsx'
import { scenarioExtension, scenarioName } from '../rig/scenarios/library.ts'
import { countNoun } from '../rig/words.ts'
import { getOrMake } from '../store/maps.ts'
import { UserError } from '../store/user-error.ts'
import type { FlagsOf } from './command-flags.ts'
import { progressLine } from './progress-line.ts'
import { jsonReport, makeFolder, orUserError, prepareReports, writeFiles } from './report-files.ts'
import { hasColours, onInterruption, printProblems } from './terminal.ts'

type Flags = FlagsOf<'exam'>

/** The bytes as they came; several starts are told apart by a line before each. */
const joinOutputs = (starts: readonly Uint8Array[]) =>
  starts.length === 1
    ? starts[0]!
    : Buffer.concat(starts.flatMap((output, at) => [Buffer.from(`--- start ${at + 1} ---\n`), output]))

/**
 * Runs `exam`. @returns the exit code: 1 failed, unproved, interrupted, or not as the receipt says; 2 passed without a report
 * @throws UserError
 */
export async function examCommand(given: Flags, version: string): Promise<number> {
  if (given.list) return printCases(given)
  if (given.strayFlags.length > 0)
    printProblems([
      `the client gets ${given.strayFlags.join(', ')}, since it stands behind the client's command; flags of exam stand before it: exam ${given.strayFlags[0]} ... -- ${given.command[0]} ...`,
    ])
  const before = given.check === undefined ? undefined : receiptIn(given.check)
  const flags = before ? { ...given, ...flagsOf(before) } : given
  const { keepOutput: folder, corpus } = flags
  if (flags.workers !== undefined && folder !== undefined)
    throw new UserError('--keep-output does nothing with --workers')
  const portraitOf = flags.portraitOf === undefined ? undefined : portraitIn(flags.portraitOf)
  const traces = new TraceDigests()
  const receiptOf = (result: ExamResult) =>
    makeReceipt(result, {
      ...{ version, traces, files: filesOf(flags.command) },
      settings: { ...receiptSettings(flags), depth: result.depth, speed: result.speed },
    })
  const knownFile = await openKnownFile(flags)
  const writers = {
    html: htmlReport as (result: ExamResult) => string,
    junit: junitReport,
    json: jsonReport,
    receipt: (result: ExamResult) => jsonReport(receiptOf(result)),
    'write-known': knownFile.text,
    portrait: (result: ExamResult, file: string) =>
      result.portrait && file.endsWith('.md')
        ? portraitMarkdown(result.portrait, result)
        : jsonReport(result.portrait),
  }
  const reports = prepareReports({ ...flags, 'write-known': flags.writeKnown }, writers)
  if (folder !== undefined) {
    makeFolder(folder)
    orUserError(`cannot write to the folder ${folder}`, () =>
      accessSync(folder, constants.W_OK | constants.X_OK),
    )
  }
  const first = corpus === undefined ? [] : plansIn(corpus)
  const running = new RunningProcesses()
  const outputs = new Map<string, Uint8Array[]>()
  const keepOutput = (name: string, output: Uint8Array) =>
    folder !== undefined && getOrMake(outputs, name, () => []).push(output)
  using interrupted = onInterruption(1, () => running.killAll())
  process.on('exit', () => running.killAll())
  using line = progressLine(process.stderr, flags.verbose)
  try {
    const result = await examine({
      ...flags,
      tags: flags.tag,
      plans: plansOf(flags),
      slow: flags.slow || undefined,
      first,
      client: clientOf(flags, running, keepOutput),
      signal: interrupted.signal,
      onProgress: line.show,
      onRun: flags.receipt === undefined && !before ? undefined : (exam, it) => traces.add(exam, it),
      onOrders: ({ plan, digest }) => traces.addOrders(plan, digest),
      ...(flags.writeKnown !== undefined && { onFound: knownFile.onFound }),
      reproduce: (exam, speed) => reproduceLine(exam, { ...flags, speed }),
      portraitOf,
      // Up to 600 plays more, which take a multiple of the time of an exam that finds something.
      isThreadFree: (flags.portrait ?? flags.portraitOf) !== undefined,
    })
    line.end()
    process.stdout.write(examText(result, { colours: hasColours(), isVerbose: flags.verbose }))
    if (result.portrait && (flags.portrait ?? flags.portraitOf) !== undefined)
      process.stdout.write(`${portraitLines(result.portrait, result).join('\n')}\n\n`)
    for (const words of await leftOut(flags, result)) process.stdout.write(`${words}\n`)
    if (flags.receipt !== undefined && !result.isWhole)
      throw new UserError(
        `${flags.receipt} is not written: the exam ended early, so there is nothing to repeat`,
      )
    const differences = before ? compareReceipts(before, receiptOf(result)) : []
    if (before)
      process.stdout.write(
        differences.length === 0
          ? `${flags.check} is confirmed.\n`
          : `${flags.check} is not confirmed:\n${differences.map(it => `  ${forTerminal(it)}\n`).join('')}`,
      )
    const logs = folder === undefined ? [] : [...outputs]
    const hasWritten = flags.writeKnown !== undefined && result.isWhole
    const unwritten = writeFiles([
      ...reports(result).filter(({ form }) => form !== 'write-known' || hasWritten),
      ...(corpus === undefined ? [] : counterexamples(result, corpus)),
      ...logs.map(([name, starts]) => ({
        file: join(folder!, `${name}.log`),
        content: () => joinOutputs(starts),
        isInFolder: true as const,
      })),
    ])
    running.killAll()
    const left = running.leftBehind
    printProblems([
      ...unwritten,
      ...(flags.writeKnown === undefined || hasWritten
        ? []
        : [`not written, since the exam was not played to its end: ${flags.writeKnown}`]),
      ...(left > 0 ? [`the client left processes behind, which had to be ended: ${left}`] : []),
    ])
    if (before) return differences.length > 0 ? 1 : unwritten.length > 0 ? 2 : 0
    return !result.isPassed ? 1 : unwritten.length > 0 ? 2 : 0
  } finally {
    running.killAll()
  }
}

/** @throws UserError */
const receiptIn = (file: string) =>
  readReceipt(
    orUserError(`cannot read ${file}`, () => readFileSync(file, 'utf8')),
    file,
  )

/** @throws UserError */
function portraitIn(file: string): Portrait {
  const text = orUserError(`cannot read ${file}`, () => readFileSync(file, 'utf8'))
  const value = orUserError(`${file} is no JSON, as --portrait writes it`, () => JSON.parse(text))
  const { data, error } = portrait.safeParse(value)
  if (data) return data
  const [{ path, message } = { path: [], message: '' }] = error.issues
  throw new UserError(`${file} is no portrait of a client: ${path.join('.') || 'the whole'}: ${message}`)
}

const receiptSettings = (flags: Flags) => ({
  ...{ seed: flags.seed, tls: flags.tls, slow: flags.slow, sample: flags.sample },
  ...{ isModule: flags.module, isWarm: flags.warm },
  ...{ workers: flags.workers === 2 ? (2 as const) : null, edition: flags.edition ?? null },
  ...{ only: [...(flags.only ?? [])], tags: [...(flags.tag ?? [])], plans: [...(flags.plan ?? [])] },
})

/** The flags that decide what is played, as a receipt has them. */
function flagsOf(receipt: Receipt) {
  const { isModule, isWarm, workers, only, tags, plans, edition, ...rest } = settingsOf(receipt)
  const listed = (names: readonly string[]) => (names.length === 0 ? undefined : names)
  return {
    ...rest,
    edition: edition ?? undefined,
    workers: workers ?? undefined,
    module: isModule,
    warm: isWarm,
    only: listed(only),
    tag: listed(tags),
    plan: listed(plans),
  }
}

/** The words of a command that are files, with their content. */
const filesOf = (command: readonly string[]) =>
  command
    .filter(word => statSync(word, { throwIfNoEntry: false })?.isFile())
    .map(word => [basename(word), readFileSync(word)] as const)

/** What `--write-known` writes of what is found. A file that is there and cannot be read is refused at once. @throws UserError */
async function openKnownFile({ writeKnown: file }: Flags) {
  let text = ''
  if (file === undefined) return { text: () => text, onFound: () => {} }
  const { writeKnown } = await import('../judge/known/exam-gate.ts')
  const earlier = existsSync(file) ? readKnownFile(file, { isDraft: true }) : { source: file, entries: [] }
  const onFound: NonNullable<Parameters<typeof examine>[0]['onFound']> = (found, names) => {
    text = writeKnown(found, earlier, names)
  }
  return { text: () => text, onFound }
}

function clientOf(
  { module, warm, command }: Flags,
  running: RunningProcesses,
  keepOutput: (name: string, output: Uint8Array) => void,
) {
  const script = missingScript(command)
  if (script !== undefined)
    throw new UserError(`there is no file ${script}; the path is relative to the current folder`)
  if (!module)
    return warm
      ? warmClient(command, process.env, running)
      : commandClient(command, process.env, running, keepOutput)
  const [file = '', ...rest] = command
  if (rest.length > 0) throw new UserError('--module takes one file after --, and no arguments')
  if (!existsSync(file))
    throw new UserError(`--module: there is no file ${file}; the path is relative to the current folder`)
  return pathToFileURL(file)
}

/** The script that an interpreter is to run, if it is not there: the client would only crash in every case. */
function missingScript([program = '', script = '']: readonly string[]): string | undefined {
  const isScript = /^(?:node|bun|python[\d.]*|php[\d.]*|ruby|java|tsx|bash|sh)$/.test(basename(program))
  return isScript && /^[^-].*\.\w+$/.test(script) && !existsSync(script) ? script : undefined
}

/** Names of the plans that are kept in a folder, which is made if there is none. @throws UserError */
function plansIn(folder: string): string[] {
  makeFolder(folder)
  return orUserError(`cannot read the folder ${folder}`, () => readdirSync(folder))
    .filter(name => name.endsWith(scenarioExtension))
    .sort()
    .flatMap(name => planOfFile(scenarioName(name)) ?? [])
    .map(planName)
}

const planFileName = (name: string) =>
  isOrderPlanName(name) ? fileOfOrderPlan(name) : fileOfPlan(planOfName(name)!)

/** The plans that are meant, each by its name or by the file that --corpus has written. */
const plansOf = ({ plan }: Flags) =>
  plan?.map(given => {
    const name = basename(given, scenarioExtension)
    if (name === basename(given) || !existsSync(given)) return given
    const found = planOfFile(name)
    return (found ? planName(found) : orderPlanOfFile(name)) ?? given
  })

/** The smallest plan of each mistake as a scenario file. */
const counterexamples = ({ causes }: ExamResult, folder: string) =>
  causes.flatMap(({ severity, plan }) =>
    severity === 'information' || plan === null
      ? []
      : [
          {
            file: join(folder, `${planFileName(plan.name)}${scenarioExtension}`),
            content: () => stringify(plan.scenario, { lineWidth: 110 }),
            isInFolder: true as const,
          },
        ],
  )

/** What else could be played, where nothing was chosen, and how. */
async function leftOut(
  flags: Flags,
  { cases, notPlayed, exploration, ended }: ExamResult,
): Promise<string[]> {
  if (flags.only || flags.tag || flags.plan || flags.workers || ended !== null) return []
  const all = (await examContent(flags.scenarios, flags.tls)).cases.length
  const left = all - cases.length - notPlayed
  return [
    ...(left > 0 ? [`${countNoun(left, 'slow case')} left out; --slow --speed 60 plays them as well.`] : []),
    ...(exploration || flags.depth !== undefined
      ? []
      : [
          `--depth 1 adds ${countPlans(0) + countPlans(1)} plans, one for each kind of trouble. It needs a client that divides its pauses by MAILING_SYNC_SPEED (--speed 60), or a JavaScript module (--module).`,
        ]),
    '--workers 2 adds what happens when two workers take the same job, in every order. It needs a JavaScript module (--module), or a client that asks for its waits (--warm).',
  ]
}

async function printCases(flags: Flags): Promise<number> {
  if (flags.workers) {
    for (const trouble of flags.depth === 0 ? [undefined] : jointTroubles)
      process.stdout.write(`${orderPlanName({ trouble, turns: undefined })}\n    ${troubleWords(trouble)}\n`)
    return 0
  }
  const { cases } = await examContent(flags.scenarios, flags.tls)
  const chosen = chooseCases(cases, { ...flags, tags: flags.tag })
  const width = Math.max(...chosen.map(({ name }) => name.length))
  for (const { name, tags } of chosen)
    process.stdout.write(`${name.padEnd(width)}  ${forTerminal(tags.join(' '))}\n`)
  if (flags.depth)
    for (const plan of singlePlans()) process.stdout.write(`${planName(plan)}\n    ${planWords(plan)}\n`)
  return 0
}
