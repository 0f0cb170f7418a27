import type { Belief } from '../rig/scenarios/terms.ts'

/** Words of verdicts, and what is said of a client, for the judge and for all who read what it says. */

/** The gravest first. */
export const severities = ['error', 'warning', 'information'] as const
export type Severity = (typeof severities)[number]

/**
 * How certain it is that a client received an answer. `proved`: it used the connection again, or used an ID that stood
 * only in this answer. `handed`: it left completely. `unknown`: it left completely, but perhaps just as the client gave
 * up, or the client reset the connection then. `none`: it did not leave completely.
 */
export const receipts = ['proved', 'handed', 'unknown', 'none'] as const
export type Receipt = (typeof receipts)[number]

/**
 * Why attempts count as those for one mailing. `declared`: they are known to mean one. `inferred`: they probably do. `single`: there is
 * one transaction.
 */
export const bases = ['single', 'declared', 'inferred'] as const
export type Basis = (typeof bases)[number]

/** A disturbance that was armed and never fired. A rule counts from 1; null is the whole scenario. */
export interface Unfired {
  readonly what: 'scenario' | 'rule' | 'fault'
  readonly name: string
  readonly rule: number | null
}

/**
 * What only the person or program that ran the client knows: that it ended, and what it believes. Without it, questions
 * about the end stay open, and so does everything that depends on which requests mean the same mailing.
 */
export interface ClientEnd {
  readonly believes: Belief
  /** Mailings that it had to send in this space, 0 for none; 1 by default, unknown where requests are missing on the record. */
  readonly expected?: number | undefined
  readonly task?: AssignedTask
  /** Workers that ran at the same time; 1 by default. An answer to one of them may be unknown to another. */
  readonly workers?: number | undefined
  /** When it was killed and started again, in milliseconds of real time, as in the journal. */
  readonly restarts?: readonly number[]
  /** Whether it was stopped instead of ending by itself: then it did not give up. */
  readonly stopped?: boolean
  /** Hosts other than the service's to which it sent the credentials. */
  readonly leakedTo?: readonly string[]
}

/** What is known of a client. Nothing is taken for granted while its end is not, which `believes` tells. */
export type KnownClient = {
  readonly [Name in 'believes' | 'expected' | 'workers']?: ClientEnd[Name] | undefined
}

/** What a client was told to send. Other synchronizations and other times were not intended. */
export interface AssignedTask {
  readonly synchronizationId: string
  /** A date-time; undefined when the client could choose. */
  readonly scheduleDate: string | undefined
}

/** Of a rule of conduct. */
export type RuleId = `R${number}`
