/* The words of scenarios that their schema, their engine, the journal and the judge share. */

/** How much of the work is done when the step's answer is given instead of the true one. */
export const phases = ['before', 'bound', 'partial', 'after'] as const
export type Phase = (typeof phases)[number]

/** What a client believes at its end: that its mailing was sent, that it was not, or that it does not know. */
export const beliefs = ['sent', 'not-sent', 'unknown'] as const
export type Belief = (typeof beliefs)[number]

/** Why a scenario applies to a request. */
export const selectionReasons = [
  'header',
  'transactionId',
  'test synchronization',
  'space',
  'one-shot fault',
] as const
export type SelectedBy = (typeof selectionReasons)[number]
