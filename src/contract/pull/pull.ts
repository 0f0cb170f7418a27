import { checkFixture, FixtureError } from '../../store/fixtures.ts'
import type { Fixture } from '../../store/rows.ts'
import { readServiceAddress } from '../verify/probe.ts'
import { type ServiceAccess, waitMilliseconds } from '../verify/target.ts'
import { anonymiseFixture } from './anonymise.ts'
import { assembleFixture } from './assemble-fixture.ts'
import { type CrawlProgress, crawl, Notes } from './crawl.ts'
import { CannotPull, PullSource } from './pull-source.ts'

export interface PullOptions extends ServiceAccess {
  /** Name of the fixture's space and user; default `demo`. */
  readonly space?: string
  /** Whether personal or business texts are replaced by invented ones. */
  readonly anonymise?: boolean
  /** Seed of the invented texts; default 1. */
  readonly seed?: number | undefined
  /** Maximum requests per second; default 5. */
  readonly rate?: number
  /** Milliseconds for each answer; default 30 seconds. */
  readonly timeout?: number
  readonly now?: () => number
  readonly onProgress?: (progress: CrawlProgress) => void
  /** Called before waits that the service asks for or that follow a failure. */
  readonly onWait?: (seconds: number, why: string) => void
}

export type PullResult = Awaited<ReturnType<typeof pull>>

/**
 * Reads a service through its links, with GET only, into a fixture that starts the mock with the same content.
 * @throws CannotPull or CannotVerify with a sentence; the reason with which the signal aborts
 */
export async function pull(options: PullOptions) {
  const { base, platformSegment } = readServiceAddress(options)
  const { anonymise = false, seed = 1, rate = 5 } = options
  const notes = new Notes()
  const source = new PullSource({
    fetch,
    timeout: 30_000,
    signal: new AbortController().signal,
    now: () => performance.now(),
    wait: waitMilliseconds,
    ...options,
    base,
    perSecond: rate,
  })
  const findings = await crawl({ source, platformSegment, notes, onProgress: options.onProgress })
  const whole = assembleFixture(findings, {
    space: options.space ?? 'demo',
    description: anonymise ? 'Pulled from a service, and anonymised.' : `Pulled from ${base}.`,
    hidesIds: anonymise,
    notes,
  })
  const fixture = await checkAssembled(anonymise ? await anonymiseFixture(whole, seed) : whole)
  return {
    fixture,
    /** What differs from the original, a sentence for each kind of difference. */
    notes: notes.lines(),
    isComplete: notes.isComplete,
    relationPrefix: findings.prefix,
    /** Whether the service lists synchronizations, sendings and customers from the newest to the oldest. */
    isNewestFirst: findings.isNewestFirst,
    platformSegment,
    /** Number of requests that the service answered. */
    answered: source.answered,
  }
}

/** Reports content that no fixture can contain now rather than at the start of the mock. */
async function checkAssembled(fixture: Fixture): Promise<Fixture> {
  try {
    return await checkFixture(fixture, 'what the service tells')
  } catch (error) {
    if (error instanceof FixtureError) throw new CannotPull(`a fixture cannot hold this: ${error.message}`)
    throw error
  }
}
