import type { Tools } from '../../rig/control/route.ts'
import {
  type Belief,
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
import { needsRunner } from './exam-case.ts'
import { examined } from './examined.ts'
import { NobodyMaySend, type Staged, staged } from './stage.ts'

/** Beyond so many exams the oldest makes room, with its spaces. */
const mostExams = 10

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
}

/** The desk of a mock. */
export class Desk implements ExamDesk {
  readonly #tools: Pick<Tools, 'spaces' | 'rigs' | 'scenarios'>
  readonly #exams = new Map<string, DeskExam>()
  #count = 0

  constructor(tools: Pick<Tools, 'spaces' | 'rigs' | 'scenarios'>) {
    this.#tools = tools
  }

  async open(wish: ExamWish): Promise<OpenExam> {
    const { spaces, scenarios } = this.#tools
    const [home = ''] = spaces.homes()
    const id = `exam-${++this.#count}`
    const { seed, speed } = wish
    try {
      const all = await allCases({ scenarios, content: spaces.beginning(home)! })
      const wanted = chosen(all, wish).filter(it => !needsRunner(it))
      if (wanted.length === 0)
        throw new ChoiceError(
          'in these cases the client has to be killed, started twice or led to other ports: for that, run the command exam',
        )
      const cases: DeskCase[] = []
      // The service's address is that of the call; see the route.
      const stage = { tools: this.#tools, url: '', home }
      for (const exam of wanted)
        cases.push(new DeskCase(await staged(exam, `${id}.${exam.name}`, stage, { seed, speed })))
      const exam = { id, wish, cases }
      this.#exams.set(id, exam)
      await this.#makeRoom()
      return exam
    } catch (error) {
      const isRefusal =
        error instanceof ChoiceError || error instanceof NothingToSend || error instanceof NobodyMaySend
      throw isRefusal ? new ExamRefusal(error.message) : error
    }
  }

  all(): readonly OpenExam[] {
    return [...this.#exams.values()]
  }

  find(id: string): OpenExam | undefined {
    return this.#exams.get(id)
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
    this.#exams.delete(id)
    for (const { staged, space } of exam?.cases ?? [])
      if (!staged.rig.journal.hasEnded) await this.#tools.spaces.remove(space)
  }

  async #makeRoom(): Promise<void> {
    const [oldest] = this.#exams.values()
    if (oldest && this.#exams.size > mostExams) await this.remove(oldest)
  }
}
