import type { Tools } from '../../rig/control/route.ts'
import {
  type Belief,
  type CaseOffered,
  type ExamDesk,
  ExamRefusal,
  type ExamWish,
  type OpenCase,
  type OpenExam,
} from '../../rig/exam-desk.ts'
import type { CaseResult } from '../../rig/exam-shape.ts'
import { realTime } from '../../rig/journal.ts'
import { allCases, NothingToSend } from './cases.ts'
import { ChoiceError, chosen } from './choice.ts'
import { type ExamCase, isSlow, needsRunner } from './exam-case.ts'
import { examined } from './examined.ts'
import { NobodyMaySend, type Staged, staged } from './stage.ts'

/** As many as a few test suites take that run at the same time. */
const mostCases = 1_000
/** Milliseconds after which nobody goes on with an exam that is not over: by then its spaces may be gone as well. */
const abandonedAfter = 60 * 60_000
/** Of so many exams that are gone it is still known why. */
const mostGone = 1_000

/** A case whose client somebody else runs. */
class DeskCase implements OpenCase {
  readonly staged: Staged
  readonly space: string
  isEnding = false
  result: CaseResult | undefined

  constructor(staged: Staged) {
    this.staged = staged
    this.space = staged.rig.space.name
  }

  get name(): string {
    return this.staged.exam.name
  }
  get description(): string {
    return this.staged.exam.description
  }
  get tags(): readonly string[] {
    return this.staged.exam.tags
  }
  get user(): string {
    return this.staged.call.user
  }
  get password(): string {
    return this.staged.call.password
  }
  get synchronizationId(): string {
    return this.staged.call.synchronizationId
  }
  get scheduleDate(): string | undefined {
    return this.staged.call.scheduleDate
  }
}

interface DeskExam extends OpenExam {
  readonly cases: readonly DeskCase[]
  /** When somebody last did something with it, in milliseconds of the machine's time. */
  usedAt: number
}

const cannotBeHandedOut =
  'in these cases the client has to be killed, started twice or led to other ports: for that, run the command exam'
const listed = 'GET /_mock/exam-cases lists all that there are'

export interface DeskOptions {
  /** Gives milliseconds of the machine's time. */
  readonly now: () => number
  /** Beyond so many cases in all, exams make room that are over, or that nobody goes on with. */
  readonly mostCases: number
}

/** The desk of a mock. */
export class Desk implements ExamDesk {
  readonly #tools: Pick<Tools, 'spaces' | 'rigs' | 'scenarios'>
  readonly #options: DeskOptions
  readonly #exams = new Map<string, DeskExam>()
  readonly #gone = new Map<string, 'removal' | 'making room'>()
  #count = 0
  /** Cases of exams that are about to begin. */
  #beginning = 0

  constructor(tools: Pick<Tools, 'spaces' | 'rigs' | 'scenarios'>, options: Partial<DeskOptions> = {}) {
    this.#tools = tools
    this.#options = { now: realTime, mostCases, ...options }
  }

  async cases(): Promise<CaseOffered[]> {
    return (await this.#allCases())
      .filter(it => !needsRunner(it))
      .map(it => ({ name: it.name, description: it.description, tags: it.tags, isSlow: isSlow(it) }))
  }

  async open(wish: ExamWish): Promise<OpenExam> {
    const [home = ''] = this.#tools.spaces.homes()
    const id = `exam-${++this.#count}`
    const { seed, speed } = wish
    let places = 0
    try {
      const wanted = chosen(await this.#allCases(), wish, listed).filter(it => !needsRunner(it))
      if (wanted.length === 0) throw new ChoiceError(cannotBeHandedOut)
      const leaving = this.#makeRoom(wanted.length)
      places = wanted.length
      for (const it of leaving) await this.#clear(it, 'making room')
      const cases: DeskCase[] = []
      // The service's address is that of the call; see the route.
      const stage = { tools: this.#tools, url: '', home }
      for (const exam of wanted)
        cases.push(new DeskCase(await staged(exam, `${id}.${exam.name}`, stage, { seed, speed })))
      const exam = { id, wish, cases, usedAt: this.#options.now() }
      this.#exams.set(id, exam)
      return exam
    } catch (error) {
      const isRefusal =
        error instanceof ChoiceError || error instanceof NothingToSend || error instanceof NobodyMaySend
      throw isRefusal ? new ExamRefusal(error.message) : error
    } finally {
      this.#beginning -= places
    }
  }

  all(): readonly OpenExam[] {
    return [...this.#exams.values()]
  }

  find(id: string): OpenExam | undefined {
    const found = this.#exams.get(id)
    if (found) found.usedAt = this.#options.now()
    return found
  }

  goneBy(id: string): 'removal' | 'making room' | undefined {
    return this.#gone.get(id)
  }

  async end(exam: OpenExam, name: string, believes: Belief, output: string): Promise<CaseResult> {
    const found = this.#exams.get(exam.id)?.cases.find(it => it.name === name)
    if (!found) throw new ExamRefusal(`exam "${exam.id}" is no more`)
    if (found.isEnding) throw new ExamRefusal(`case "${name}" has ended before; its result stands`)
    const { rig } = found.staged
    if (rig.journal.hasEnded)
      throw new ExamRefusal(`the space of case "${name}" is no more, or has begun anew; begin another exam`)
    found.isEnding = true
    const first = rig.journal.entries()[0]?.arrived.real ?? realTime()
    found.result = await examined(found.staged, {
      endings: [{ believes, exitCode: undefined, signal: undefined, error: undefined, output }],
      restarts: [],
      unlike: undefined,
      stopped: undefined,
      standstill: { waiting: [], waitingConnections: 0, sinceRequest: undefined },
      limit: 0,
      realSeconds: Math.round(realTime() - first) / 1000,
      reproduce: undefined,
    })
    return found.result
  }

  async remove({ id }: OpenExam): Promise<void> {
    const exam = this.#exams.get(id)
    if (exam) await this.#clear(exam, 'removal')
  }

  async #clear({ id, cases }: DeskExam, why: 'removal' | 'making room'): Promise<void> {
    this.#exams.delete(id)
    this.#gone.set(id, why)
    const [first] = this.#gone.keys()
    if (first && this.#gone.size > mostGone) this.#gone.delete(first)
    for (const { staged, space } of cases)
      if (!staged.rig.journal.hasEnded) await this.#tools.spaces.remove(space)
  }

  /**
   * Takes so many places, before anybody else can.
   * @returns exams that have to leave
   * @throws ChoiceError when all are under way
   */
  #makeRoom(count: number): DeskExam[] {
    const all = [...this.#exams.values()]
    const isOver = ({ cases }: DeskExam) => cases.every(({ result }) => result !== undefined)
    const isAbandoned = ({ usedAt }: DeskExam) => this.#options.now() - usedAt > abandonedAfter
    const dispensable = [...all.filter(isOver), ...all.filter(it => !isOver(it) && isAbandoned(it))]
    const leaving: DeskExam[] = []
    let taken = this.#beginning + all.reduce((sum, { cases }) => sum + cases.length, 0)
    while (taken > 0 && taken + count > this.#options.mostCases) {
      const next = dispensable.shift()
      if (!next)
        throw new ChoiceError(
          `${taken} cases of exams that are under way leave no room for ${count} more: end the cases of ${named(all)}, or DELETE what nobody goes on with`,
        )
      leaving.push(next)
      taken -= next.cases.length
    }
    for (const { id } of leaving) this.#exams.delete(id)
    this.#beginning += count
    return leaving
  }

  #allCases(): Promise<ExamCase[]> {
    const { spaces, scenarios } = this.#tools
    const [home = ''] = spaces.homes()
    return allCases({ scenarios, content: spaces.beginning(home)! })
  }
}

const named = (exams: readonly DeskExam[]): string =>
  exams.length > 5
    ? `${exams
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')} and others`
    : exams.map(({ id }) => id).join(', ')
