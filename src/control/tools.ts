import type { KnownFindings } from '../judge/known/known-findings.ts'
import type { RunReport } from '../judge/run/run-result.ts'
import type { KnownClient } from '../judge/terms.ts'
import type { AcceptedRules } from '../judge/verdict.ts'
import type { Rigs } from '../rig/rigs.ts'
import type { Scenarios } from '../rig/scenarios/library.ts'
import type { SidePorts } from '../rig/side-ports.ts'
import type { RigView } from '../rig/space-view.ts'
import type { DialValues } from '../service/dials.ts'
import type { ServiceNames } from '../service/links.ts'
import type { Spaces } from '../store/spaces.ts'
import { atOnce } from '../store/turns.ts'
import type { CapsuleEnvironment } from './capsule/capsule-file.ts'
import { EventStreams } from './event-streams.ts'
import { OutgoingAnswers } from './outgoing.ts'
import type { RunRecord } from './run-record.ts'
import type { MakeMock } from './service-description.ts'
import { VerdictCache } from './verdict-cache.ts'

/** A capsule whose pages are shown: nothing can be changed. */
export interface OpenedFile {
  readonly file: string
  /** IDs of its requests, at each of which it can be shown; none if it has only its end. */
  readonly ids: readonly string[]
  /** The request after which it is shown; undefined for the end. */
  readonly at: string | undefined
}

/** The parts of a mock that control calls and pages read and change. */
export interface MockParts {
  readonly spaces: Spaces
  readonly rigs: Rigs
  readonly names: ServiceNames
  readonly scenarios: Scenarios
  readonly sidePorts: SidePorts
  /**
   * Which part of the mock answers here. With a control port of its own, `service` keeps only those pages below `/_mock`
   * that the service's answers link to, and `control` is everything below `/_mock` and nothing else.
   */
  readonly part: 'all' | 'service' | 'control'
  /** Where the service is, if it is on another port. */
  readonly service: {
    readonly publicUrl: string | undefined
    /** Base of the links to editor, previews and report, if it is one of its own. */
    readonly pagesUrl: string | undefined
    /** Where it listens, as this machine reaches it; undefined while it does not. */
    readonly url: () => string | undefined
  }
  /** If given, required on every control call except health. */
  readonly token: string | undefined
  /** What is known of spaces that are gone, for a report. */
  readonly run: RunRecord
  /** What is accepted of clients for now, by the setting of this name. */
  readonly known?: KnownFindings | undefined
  /** Whether figures for Prometheus are answered. */
  readonly metrics: boolean
  /** A run report as one HTML file, with links below the address of the pages. It is handed in, since pages read the control API. */
  readonly reportHtml: (report: RunReport, root: string) => Promise<string>
  /** The certificate authority that clients have to trust, PEM; undefined if there is none. */
  readonly authority: string | undefined
  readonly makeMock: MakeMock
  /** How this mock was set up, for the capsules of its spaces. */
  readonly environment: CapsuleEnvironment
  /** The capsule that is shown; undefined for a mock that lives. */
  readonly opened?: OpenedFile | undefined
  /** Writes a line to the log that is for the person who runs the mock. */
  readonly warn: (sentence: string) => void
}

/** What control calls and pages work with. What not every mock needs is loaded on first use. */
export type ControlTools = ReturnType<typeof createControlTools>

export function createControlTools({ part, token, makeMock, ...parts }: MockParts) {
  const { spaces, rigs, scenarios, names } = parts
  const outgoing = new OutgoingAnswers(rigs.budget)
  const descriptions = lazy(async () => {
    const { serviceDescriptions } = await import('./service-description.ts')
    return serviceDescriptions(names, makeMock)
  })
  /** Rules that are accepted wherever they are broken. */
  let accepted: AcceptedRules | undefined
  async function verdict(rig: RigView, known: KnownClient = {}) {
    const { judgeSpace } = await import('../judge/verdict.ts')
    if (parts.known)
      accepted ??= (await import('../judge/known/known-findings.ts')).rulesAccepted(parts.known)
    // A page shows several verdicts, each of which reads all requests.
    if (rig.journal.entries().length > atOnce) await outgoing.turns.next()
    return judgeSpace(rig, known, rigs.rejectedLogins, accepted)
  }
  return {
    ...parts,
    outgoing,
    streams: new EventStreams(),
    /** Whether the service is on another port, so that the address of a control call is not its address. */
    isAlone: part === 'control',
    /** Whether control calls are answered here; otherwise only pages that the service's answers link to. */
    hasCalls: part !== 'service',
    /** Whether calls need a token. */
    isProtected: token !== undefined,
    /** The exams of this mock that callers run themselves. */
    exams: lazy(async () => {
      const { ExamSessions } = await import('../judge/exam/sessions.ts')
      const { known } = parts
      if (!known) return new ExamSessions({ spaces, rigs, scenarios })
      const { acceptInCase } = await import('../judge/known/exam-gate.ts')
      return new ExamSessions(
        { spaces, rigs, scenarios },
        { accept: (result, kind) => acceptInCase(result, known, kind) },
      )
    }),
    verdict,
    /** The latest verdict on each space, for what the last call for it said of the client. */
    verdicts: new VerdictCache(verdict, rig => parts.run.endOf(rig)),
    /** The OpenAPI document of the service as JSON. @param base of the service, without a slash at the end */
    serviceDescription: async (base: string, dials: DialValues): Promise<string> =>
      (await descriptions())(base, dials),
  }
}

/** Makes a promise on first use; after a failure, makes it again on the next use. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch(error => {
      made = undefined
      throw error
    })
    return made
  }
}
