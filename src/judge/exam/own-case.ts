import type { Course, ExamCase } from './exam-case.ts'

/** A case that no scenario of the catalogue makes: its scenario as a file would have it, and what else is special. */
export interface OwnCase
  extends Partial<Pick<ExamCase, 'isScheduled' | 'clockAhead' | 'scheduleIn' | 'datePasses' | 'door'>> {
  readonly description: string
  /** Where they lead to another host: what they are, given its name and port. */
  readonly rules: readonly object[] | ((host: string) => readonly object[])
  readonly expect: NonNullable<ExamCase['expect']>
  readonly tags: readonly string[]
  readonly course: Course
}

/** By name. */
export type OwnCases = Readonly<Record<string, OwnCase>>

export const minute = 60_000

/** What most of them expect. */
export const sent = { sent: 1, belief: 'sent' } as const

export const once: Course = { kind: 'once' }

/** A rule about attempts to create a sending. */
export const onCreate = (...steps: object[]) => ({ on: 'createSending', steps })
