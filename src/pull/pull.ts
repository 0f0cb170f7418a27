import { setTimeout as pause } from 'node:timers/promises'
import { checkFixture, FixtureError } from '../store/fixtures.ts'
import type { Fixture } from '../store/rows.ts'
import { entryOf } from '../verify/entry.ts'
import type { Fetch } from '../verify/target.ts'
import { anonymised } from './anonymise/anonymise.ts'
import { fixtureOf } from './assemble/fixture.ts'
import { CannotPull } from './cannot-pull.ts'
import { type CrawlProgress, crawl } from './crawl.ts'
import { Journal } from './journal.ts'
import { Notes } from './notes.ts'
import { Source } from './source.ts'

export interface PullOptions {
  /** Of the service, or of anything in it. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Where `url` does not name it; `mailing-platform` unless given. */
  readonly platformSegment?: string | undefined
  /** What the fixture's space and user are called; `demo` unless given. */
  readonly space?: string
  /** Whether what says something about somebody is replaced by invented texts. */
  readonly anonymise?: boolean
  /** Where invented texts come from; 1 unless given. */
  readonly seed?: number
  /** Requests a second at most; 5 unless given. */
  readonly rate?: number
  /** Milliseconds for each answer; 30 seconds unless given. */
  readonly timeout?: number
  /** What was answered before, and where to keep what is answered now; in memory alone unless given. */
  readonly journal?: Journal
  readonly fetch?: Fetch
  readonly now?: () => number
  readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CrawlProgress) => void
  /** Hears of waits that the service asks for, or that follow on a failure. */
  readonly onWait?: (seconds: number, why: string) => void
}

export interface Pulled {
  readonly fixture: Fixture
  /** What is not as it was there, a sentence for each kind of thing. */
  readonly notes: readonly string[]
  /** Of the service's relations. */
  readonly relationPrefix: string
  readonly platformSegment: string
  /** How many requests the service answered. */
  readonly answered: number
}

/** Where a pull begins, from the address that somebody has. @throws CannotVerify for what is no such address */
export function placeOf({ url, platformSegment }: Pick<PullOptions, 'url' | 'platformSegment'>): {
  base: string
  platformSegment: string
} {
  const entry = entryOf(url)
  return {
    base: entry.base,
    platformSegment: entry.platformSegment ?? platformSegment ?? 'mailing-platform',
  }
}

/**
 * Reads a service through its links, with GET alone, into a fixture that starts the mock with the same content.
 * @throws CannotPull or CannotVerify with a sentence; the reason with which the signal aborts
 */
export async function pull(options: PullOptions): Promise<Pulled> {
  const { base, platformSegment } = placeOf(options)
  const { anonymise = false, seed = 1, rate = 5, timeout = 30_000 } = options
  const notes = new Notes()
  const source = new Source({
    base,
    user: options.user,
    password: options.password,
    fetch: options.fetch ?? fetch,
    timeout,
    signal: options.signal ?? new AbortController().signal,
    journal: options.journal ?? Journal.inMemory(),
    perSecond: rate,
    now: options.now ?? (() => performance.now()),
    wait: options.wait ?? patiently,
    onWait: options.onWait,
  })
  const findings = await crawl({
    source,
    platformSegment,
    notes,
    onProgress: options.onProgress,
  })
  const whole = fixtureOf(findings, {
    space: options.space ?? 'demo',
    description: anonymise ? 'Pulled from a service, and anonymised.' : `Pulled from ${base}.`,
    hidesIds: anonymise,
    notes,
  })
  const fixture = await checked(anonymise ? await anonymised(whole, seed) : whole)
  return {
    fixture,
    notes: notes.lines(),
    relationPrefix: findings.prefix,
    platformSegment,
    answered: source.answered,
  }
}

/** What no fixture can hold is told here, and not to whoever starts the mock with it. */
async function checked(fixture: Fixture): Promise<Fixture> {
  try {
    return await checkFixture(fixture, 'what the service tells')
  } catch (error) {
    if (error instanceof FixtureError) throw new CannotPull(`a fixture cannot hold this: ${error.message}`)
    throw error
  }
}

const patiently = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  pause(milliseconds, undefined, { signal })
