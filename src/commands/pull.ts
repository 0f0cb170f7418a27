import { existsSync } from 'node:fs'
import { ConfigError } from '../config-error.ts'
import { forTerminal } from '../judge/exam/reports/escaped.ts'
import { CannotPull } from '../pull/cannot-pull.ts'
import { Journal, type JournalOf } from '../pull/journal.ts'
import { appear, expectPlaceFor } from '../pull/out-file.ts'
import { type Pulled, placeOf, pull } from '../pull/pull.ts'
import { onInterruption } from './interruption.ts'
import type { PullFlags } from './pull-flags.ts'
import { PullProgress } from './pull-progress.ts'
import { targetOf } from './target-flags.ts'

/**
 * `mailing-sync-mock pull`: reads a service, shows how it goes, writes the fixture.
 * @returns the exit code: 0 when the fixture is there, 1 when it was interrupted
 * @throws CannotPull, CannotVerify, ConfigError: what whoever typed it can do something about
 */
export async function pullCommand(flags: PullFlags): Promise<number> {
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const target = targetOf('pull', flags)
  if (typeof target === 'string') throw new ConfigError(target)
  const { out, space, anonymise, seed = 1, rate, timeout } = flags
  const place = placeOf({ url: target.url, platformSegment: flags.platformSegment })
  expectPlaceFor(out, flags.force)
  const journal = journalFor(flags, { ...place, user: target.user })
  const isPlain = Boolean(process.env.NO_COLOR) || process.env.TERM === 'dumb'
  const progress = new PullProgress(process.stderr, isPlain)
  if (journal.size > 0)
    process.stderr.write(`Going on with ${journal.size} answers of an interrupted pull.\n`)
  const interrupted = onInterruption(1)
  try {
    const pulled = await pull({
      ...target,
      platformSegment: flags.platformSegment,
      space,
      anonymise,
      seed,
      rate,
      timeout,
      journal,
      signal: interrupted.signal,
      onProgress: it => progress.show(it),
      onWait: (seconds, why) => progress.wait(seconds, why),
    })
    appear(out, `${JSON.stringify(pulled.fixture, null, 2)}\n`)
    journal.remove()
    progress.end()
    process.stdout.write(forTerminal(summary(pulled, flags)))
    return 0
  } catch (error) {
    progress.end()
    const left = leftBehind(journal, anonymise)
    if (interrupted.signal.aborted) {
      process.stderr.write(`mailing-sync-mock: interrupted${left}\n`)
      return 1
    }
    const isKnown = ['CannotPull', 'CannotVerify'].includes((error as Error).name)
    throw isKnown ? new CannotPull(`${(error as Error).message}${left}`) : error
  } finally {
    interrupted.off()
  }
}

/** @throws CannotPull where one is there, and nobody said what to do with it */
function journalFor({ out, resume, force }: PullFlags, of: JournalOf): Journal {
  const file = `${out}.journal`
  if (resume) return Journal.resume(file, of)
  if (existsSync(file) && !force)
    throw new CannotPull(
      `an interrupted pull left ${file}; --resume goes on with what it has, --force begins anew`,
    )
  return Journal.begin(file, of)
}

/** What an end before the end leaves. A journal without an answer is of no use. */
function leftBehind(journal: Journal, isAnonymous: boolean): string {
  if (journal.size === 0) {
    journal.remove()
    return ''
  }
  const warning = isAnonymous ? ', as the service gave them and not anonymised' : ''
  return `; ${journal.file} keeps ${journal.size} answers${warning}: the same command with --resume goes on from there`
}

function summary(
  { fixture, notes, relationPrefix, platformSegment, answered }: Pulled,
  { out }: PullFlags,
): string {
  const counted = [
    count(fixture.mailings, 'mailing'),
    count(fixture.synchronizations, 'synchronization'),
    count(fixture.sendings, 'sending'),
    count(fixture.mailingUploads, 'mailing-upload'),
    count(fixture.customers, 'customer'),
    count(fixture.lists, 'list'),
  ]
  const start = [
    `mailing-sync-mock --fixtures ${quoted(out)}`,
    ...(platformSegment === 'mailing-platform' ? [] : [`--platform-segment ${quoted(platformSegment)}`]),
    ...(relationPrefix === 'svc' ? [] : [`--relation-prefix ${quoted(relationPrefix)}`]),
  ]
  const [user] = fixture.users
  return [
    `${out}: ${counted.join(', ')}, from ${answered} answers.`,
    ...(notes.length > 0 ? ['Not as it was there:', ...notes.map(it => `  - ${it}`)] : []),
    `Start it as user ${user!.name}, password ${user!.password}: ${start.join(' ')}`,
    '',
  ].join('\n')
}

const count = ({ length }: readonly unknown[], noun: string) => `${length} ${noun}${length === 1 ? '' : 's'}`

/** As a shell takes it for one word. */
const quoted = (text: string) => (/^[\w./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
