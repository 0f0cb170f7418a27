import type { CaseResult } from './exam-shape.ts'

/** Which exam somebody wants who runs the client himself. */
export interface ExamWish {
  /** Names of cases, in which `*` stands for any characters. */
  readonly only?: readonly string[] | undefined
  readonly tags?: readonly string[] | undefined
  readonly slow: boolean
  readonly seed: number
  readonly speed: number
}

/** A case that somebody who runs the client himself can take. */
export interface CaseOffered {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  /** Whether a client has to wait for minutes in it, so that it has to be asked for. */
  readonly isSlow: boolean
}

/** An exam without a child process: whoever runs the client takes its cases one by one and tells how each ended. */
export interface OpenExam {
  readonly id: string
  readonly wish: ExamWish
  readonly cases: readonly OpenCase[]
}

export interface OpenCase {
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
  readonly space: string
  readonly user: string
  readonly password: string
  readonly synchronizationId: string
  readonly scheduleDate: string | undefined
  /** Undefined until its client has ended. */
  readonly result: CaseResult | undefined
}

export type Belief = CaseResult['reached']['belief']

/** Something that the desk does not do. The message is one sentence for whoever asked. */
export class ExamRefusal extends Error {
  override readonly name = 'ExamRefusal'
}

/** Hands out cases and collects beliefs. Made once for a mock; exams end with the process. */
export interface ExamDesk {
  /** Every case that can be handed out. */
  cases(): Promise<readonly CaseOffered[]>
  /** @throws ExamRefusal when no case fits, or too many exams are under way */
  open(wish: ExamWish): Promise<OpenExam>
  /** The latest last. */
  all(): readonly OpenExam[]
  find(id: string): OpenExam | undefined
  /** What became of an exam that is no longer here; undefined for one that never was. */
  goneBy(id: string): 'removal' | 'making room' | undefined
  /**
   * The client of a case has ended.
   * @throws ExamRefusal when it had ended before, or its space is no more
   */
  end(exam: OpenExam, name: string, believes: Belief, output: string): Promise<CaseResult>
  /** With the spaces of its cases. */
  remove(exam: OpenExam): Promise<void>
}
