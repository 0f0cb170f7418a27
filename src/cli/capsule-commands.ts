import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { forTerminal, quoteForShell } from '../judge/exam/report-text.ts'
import { rulesAccepted } from '../judge/known/known-findings.ts'
import { forCommandLine } from '../judge/verdict-text.ts'
import { type Capsule, maxCapsuleBytes, readCapsule } from '../lib/capsule/capsule-file.ts'
import { describeDifference } from '../lib/capsule/difference.ts'
import { judgeCapsule, judgementJunit } from '../lib/capsule/judge-capsule.ts'
import { openCapsule, serveCapsule } from '../lib/capsule/open-capsule.ts'
import { findRequest, replayCapsule } from '../lib/capsule/replay.ts'
import { readKnownFile } from '../lib/known-file.ts'
import { explainListenError } from '../lib/settings.ts'
import { reason } from '../store/disk.ts'
import { UserError } from '../store/user-error.ts'
import type { FlagsOf } from './command-flags.ts'
import { jsonReport } from './report-files.ts'
import { onInterruption } from './terminal.ts'

/** @throws UserError */
function readFile(file: string): Capsule {
  let bytes: Buffer
  try {
    const { size } = statSync(file)
    if (size > maxCapsuleBytes)
      throw new UserError(
        `${file} is no capsule: it has ${size} bytes, and at most ${maxCapsuleBytes} are read`,
      )
    bytes = readFileSync(file)
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(`cannot read ${file}: ${reason(error)}`)
  }
  return readCapsule(bytes, file)
}

const say = (text: string) => process.stderr.write(`${forTerminal(text)}\n`)

/** Prints the verdict on the space of a capsule. @returns 1 when a test with it fails, 2 when it came out differently @throws UserError */
export async function judgeCommand(flags: FlagsOf<'judge'>): Promise<number> {
  const { file, believes, expected, workers, known, at, format } = flags
  const accepted = known === undefined ? undefined : rulesAccepted(readKnownFile(known))
  const judgement = await judgeCapsule(readFile(file), { believes, expected, workers, at }, accepted)
  const { verdict, difference } = judgement
  const text = forCommandLine(judgement.text)
  const shown = {
    text: () => text,
    json: () => jsonReport(verdict),
    junit: () => judgementJunit({ ...judgement, text }),
  }[format]()
  process.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`)
  if (difference !== undefined) {
    say(`mailing-sync-mock: ${difference} The verdict is the one that the capsule was taken with.`)
    return 2
  }
  return verdict.failure === null ? 0 : 1
}

/** Serves the pages of a capsule, or a space that goes on from a moment of it, until the process is told to stop. @throws UserError */
export async function openCommand(flags: FlagsOf<'open'>): Promise<number> {
  const { file, port, host, fork } = flags
  const capsule = readFile(file)
  if (flags.at !== undefined) findRequest(capsule.requests, flags.at)
  using stopped = onInterruption(1)
  if (fork !== undefined) await forkCapsule(capsule, flags, stopped.signal)
  else {
    await using opened = await openCapsule(capsule, basename(file))
    const { url, close } = await serveCapsule(opened, { port, host }).catch(error => {
      throw explainListenError(error, '--port')
    })
    const { difference } = opened.whole
    if (difference)
      say(`mailing-sync-mock: ${describeDifference(difference, capsule)} The pages show how far it came.`)
    const { lost } = capsule.history
    if (lost !== null)
      say(`mailing-sync-mock: the capsule has no history, only the state at its end: ${lost}`)
    const at = flags.at === undefined ? '' : `?at=${encodeURIComponent(flags.at)}`
    process.stdout.write(
      `${url}/_mock/spaces/${encodeURIComponent(capsule.space)}/verdict${at}\n${readyLine(url)}`,
    )
    await untilAborted(stopped.signal)
    await close()
  }
  return 0
}

async function forkCapsule(capsule: Capsule, { port, host, fork }: FlagsOf<'open'>, signal: AbortSignal) {
  await using space = await replayCapsule(capsule, { before: fork })
  if (space.difference) throw new UserError(describeDifference(space.difference, capsule))
  space.goLive()
  const { url } = await space.mock.listen({ port, host }).catch(error => {
    throw explainListenError(error, '--port')
  })
  const { name } = space.rig.space
  const suffix = name.slice(name.indexOf('+') < 0 ? name.length : name.indexOf('+'))
  const users = capsule.beginning.fixture.users.map(
    it => `  ${quoteForShell(it.name + suffix)} with the password ${quoteForShell(it.password)}`,
  )
  process.stdout.write(
    forTerminal(
      [
        `Space ${name} as it was before ${fork}, on ${url}`,
        ...users,
        `${url}/_mock/spaces/${encodeURIComponent(name)}`,
        readyLine(url),
      ].join('\n'),
    ),
  )
  await untilAborted(signal)
}

/** What a mock says when it is started, too. */
const readyLine = (url: string) => `mailing-sync-mock ready on ${url}\n`

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
