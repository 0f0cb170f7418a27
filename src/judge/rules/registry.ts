import * as clientEnd from './client-end.ts'
import * as finalStates from './final-states.ts'
import * as limits from './limits.ts'
import * as pauses from './pauses.ts'
import * as payloadChanges from './payload-changes.ts'
import * as refusals from './refusals.ts'
import type { Rule } from './rule.ts'
import * as transactionIds from './transaction-ids.ts'

const themes = [clientEnd, finalStates, limits, pauses, payloadChanges, refusals, transactionIds]

/** A rule among what a theme exports. */
type RuleIn<Theme> = Theme extends unknown ? Extract<Theme[keyof Theme], Rule> : never

type RegisteredRule = RuleIn<(typeof themes)[number]>

/** ID of a rule that there is. */
export type KnownRule = RegisteredRule['id']

const isRule = (value: unknown): value is RegisteredRule =>
  typeof value === 'object' && value !== null && 'detection' in value

/** Every rule of conduct that the files of the themes export, by its ID. */
export const rules: readonly RegisteredRule[] = themes
  .flatMap(theme => Object.values<unknown>(theme).filter(isRule))
  .sort((one, other) => (one.id < other.id ? -1 : 1))
