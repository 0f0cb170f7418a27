import { realTime } from '../../rig/clock.ts'
import type { SpaceHost } from '../../rig/rigs.ts'
import type { Scenarios } from '../../rig/scenarios/library.ts'
import type { Belief } from '../../rig/scenarios/terms.ts'
import type { MemoryShare } from '../../store/memory-budget.ts'
import { caseOfPlan, singlePlans } from '../explore/plans.ts'
import { maximum } from '../grouping.ts'
import { ClientTraces, drawPortrait } from '../portrait/portrait.ts'
import type { Portrait } from '../portrait/portrait-shape.ts'
import { traceOf } from '../portrait/trace.ts'
import { NoUserWithWriteAccess, type PreparedCase, prepareCase } from './case-host.ts'
import { evaluateCase } from './case-result.ts'
import {
  allCases,
  chooseCases,
  type ExamCase,
  isSlow,
  NothingToSend,
  needsRunner,
  readySynchronization,
} from './cases.ts'
import {
  type CaseResult,
  ExamRefusal,
  type OfferedCase,
  type OpenCase,
  type OpenExam,
  type SessionOptions,
} from './exam-result.ts'

/** Maximum number of open cases, enough for a few test suites; at it, finished or abandoned exams are removed. */
const usualMaxCases = 1_000
/** Bytes of a case with its result, without its space; roughly. */
const caseBytes = 64 << 10
/** Milliseconds without use after which an unfinished exam may be removed. Its spaces may be gone by then. */
const abandonedAfter = 60 * 60_000
/** Maximum number of removed exams whose reason is remembered. */
const maxRemembered = 1_000

/** A case whose client is run by the caller. */
interface SessionCase extends OpenCase {
  readonly prepared: PreparedCase
  isEnding: boolean
  result: CaseResult | undefined
}

const toSessionCase = (prepared: PreparedCase): SessionCase => ({
  ...prepared.exam,
  ...prepared.call,
  space: prepared.rig.space.name,
  prepared,
  isEnding: false,
  result: undefined,
})

interface ExamSession extends OpenExam {
  readonly cases: readonly SessionCase[]
  /** In milliseconds of real time. */
  usedAt: number
}

const needsRunnerMessage =
  'in these cases the client has to be killed, started twice or led to other ports: for that, run the command exam'
const listHint = 'GET /_mock/exam-cases lists all that there are'

type Removal = 'removal' | 'making room'

/**
 * The exams that callers of the control API run themselves: hands out cases and collects beliefs. One instance per mock;
 * exams end with the process.
 */
export class ExamSessions {
  readonly #tools: SpaceHost & { readonly scenarios: Scenarios }
  readonly #now: () => number
  readonly #maxCases: number
  readonly #accept: (result: CaseResult, kind: 'case' | 'plan') => CaseResult
  readonly #exams = new Map<string, ExamSession>()
  readonly #memory: MemoryShare
  readonly #removed = new Map<string, Removal>()
  #count = 0
  /** Reserved places for cases of exams that are being prepared. */
  #reserved = 0

  /** @param accept the result without what is known */
  constructor(
    tools: SpaceHost & { readonly scenarios: Scenarios },
    {
      now = realTime,
      maxCases = usualMaxCases,
      accept = (result: CaseResult, _kind: 'case' | 'plan'): CaseResult => result,
    } = {},
  ) {
    this.#tools = tools
    this.#accept = accept
    this.#memory = tools.rigs.budget.share('exams')
    this.#now = now
    this.#maxCases = maxCases
  }

  async cases(): Promise<OfferedCase[]> {
    return (await this.#allCases(1))
      .filter(it => !needsRunner(it))
      .map(it => ({
        ...{ name: it.name, description: it.description, tags: [...it.tags] },
        ...{ isSlow: isSlow(it), isPlan: it.isPlan },
      }))
  }

  /** @throws ChoiceError when no case matches; ExamRefusal when a case needs the command, or too many exams are in progress */
  async open(wish: SessionOptions): Promise<OpenExam> {
    const home = this.#home()
    const { seed, speed, depth } = wish
    let places = 0
    try {
      const isOffered = (it: ExamCase) => !needsRunner(it)
      const all = await this.#allCases(depth)
      const chosenCases = chooseCases(all, wish, listHint, isOffered).filter(isOffered)
      if (chosenCases.length === 0) throw new ExamRefusal(needsRunnerMessage)
      this.#tools.rigs.budget.demand(chosenCases.length * caseBytes)
      const leaving = this.#makeRoom(chosenCases.length)
      places = chosenCases.length
      // Refusals use no number up.
      const id = `exam-${++this.#count}`
      for (const it of leaving) await this.#clear(it, 'making room')
      const cases: SessionCase[] = []
      // The route knows the service's address.
      const host = { tools: this.#tools, url: '', home }
      for (const exam of chosenCases)
        cases.push(toSessionCase(await prepareCase(exam, `${id}.${tagOf(exam)}`, host, { seed, speed })))
      const began = this.#now()
      const exam = { id, began, options: wish, cases, usedAt: began }
      this.#exams.set(id, exam)
      this.#memory.add(cases.length * caseBytes)
      return exam
    } catch (error) {
      const isRefusal = error instanceof NothingToSend || error instanceof NoUserWithWriteAccess
      throw isRefusal ? new ExamRefusal(error.message) : error
    } finally {
      this.#reserved -= places
    }
  }

  /** The latest last. */
  all(): readonly OpenExam[] {
    return [...this.#exams.values()]
  }

  find(id: string): OpenExam | undefined {
    const exam = this.#exams.get(id)
    if (exam) exam.usedAt = this.#now()
    return exam
  }

  /** Undefined if it never existed. */
  removalReason(id: string): Removal | undefined {
    return this.#removed.get(id)
  }

  /** What the cases that have ended show of the client; null for nothing. Of a case whose space is gone nothing is known. */
  portrait({ id, options }: OpenExam): Portrait | null {
    const traces = new ClientTraces()
    for (const { result, prepared } of this.#exams.get(id)?.cases ?? []) {
      const { exam, rig } = prepared
      if (!result || rig.journal.hasEnded) continue
      const times = rig.journal.entries().map(it => (it.ended ?? it.arrived).clock)
      const run = { at: times[0] ?? 0, until: maximum(times), end: result.reached.belief, requests: 0 }
      traces.add(exam, { result, trace: traceOf(prepared, [run]), doubt: undefined })
    }
    return drawPortrait(traces, { client: id, seed: options.seed, reproduce: () => null })
  }

  /** Records that a client has ended. @throws ExamRefusal when it had ended before, or its space no longer exists */
  async end(exam: OpenExam, name: string, believes: Belief, output: string): Promise<CaseResult> {
    const sessionCase = this.#exams.get(exam.id)?.cases.find(it => it.name === name)
    if (!sessionCase) throw new ExamRefusal(`exam "${exam.id}" was removed`)
    if (sessionCase.isEnding) throw new ExamRefusal(`case "${name}" has ended before; its result stands`)
    const { rig } = sessionCase.prepared
    if (rig.journal.hasEnded)
      throw new ExamRefusal(
        `the space of case "${name}" was removed or has started again; begin another exam`,
      )
    sessionCase.isEnding = true
    const first = rig.journal.entries()[0]?.arrived.real ?? realTime()
    const verdict = await evaluateCase(sessionCase.prepared, {
      endings: [{ believes, output }],
      limit: 0,
      realSeconds: Math.round(realTime() - first) / 1000,
    })
    sessionCase.result = this.#accept(verdict, sessionCase.prepared.exam.isPlan ? 'plan' : 'case')
    return sessionCase.result
  }

  async remove({ id }: OpenExam): Promise<void> {
    const exam = this.#exams.get(id)
    if (exam) await this.#clear(exam, 'removal')
  }

  async #clear({ id, cases }: ExamSession, why: Removal): Promise<void> {
    this.#exams.delete(id)
    this.#memory.add(-cases.length * caseBytes)
    this.#removed.set(id, why)
    const [first] = this.#removed.keys()
    if (first && this.#removed.size > maxRemembered) this.#removed.delete(first)
    for (const { prepared, space } of cases)
      if (!prepared.rig.journal.hasEnded) await this.#tools.spaces.remove(space)
  }

  /**
   * Reserves places for this many cases.
   * @returns exams that must be removed
   * @throws ExamRefusal when all exams are in progress
   */
  #makeRoom(count: number): ExamSession[] {
    const all = [...this.#exams.values()]
    const isOver = ({ cases }: ExamSession) => cases.every(({ result }) => result !== undefined)
    const isAbandoned = ({ usedAt }: ExamSession) => this.#now() - usedAt > abandonedAfter
    const dispensable = [...all.filter(isOver), ...all.filter(it => !isOver(it) && isAbandoned(it))]
    const leaving: ExamSession[] = []
    let occupied = this.#reserved + all.reduce((sum, { cases }) => sum + cases.length, 0)
    while (occupied > 0 && occupied + count > this.#maxCases) {
      const next = dispensable.shift()
      if (!next)
        throw new ExamRefusal(
          `${occupied} cases of exams that are under way leave no room for ${count} more: end the cases of ${listIds(all)}, or DELETE an exam that is no longer used`,
        )
      leaving.push(next)
      occupied -= next.cases.length
    }
    for (const { id } of leaving) this.#exams.delete(id)
    this.#reserved += count
    return leaving
  }

  async #allCases(depth: number): Promise<ExamCase[]> {
    const { spaces, scenarios } = this.#tools
    const content = spaces.directory.contentOf(this.#home())!
    const cases = await allCases({ scenarios, content })
    if (depth === 0) return cases
    const names = new Set(cases.map(({ name }) => name))
    const synchronizationId = readySynchronization(content)
    const plans = singlePlans().map(plan => caseOfPlan(plan, synchronizationId))
    return [...cases, ...plans.filter(({ name }) => !names.has(name))]
  }

  #home(): string {
    return this.#tools.spaces.directory.names()[0] ?? ''
  }
}

/** A name of a user has no colon. */
const tagOf = ({ name }: ExamCase) => name.replace(':', '---')

const listIds = (exams: readonly ExamSession[]): string => {
  const ids = exams.map(({ id }) => id)
  return ids.length > 5 ? `${ids.slice(0, 5).join(', ')} and others` : ids.join(', ')
}
