import { answerStates } from './answers.ts'
import { customerStates } from './customers.ts'
import { mailingStates } from './mailings.ts'
import type { ProviderState } from './provider-state.ts'
import { sendingStates } from './sendings.ts'
import { synchronizationStates } from './synchronizations.ts'

/** Every state that a pact may name. The control API, docs/pact.md and the tests read this list. */
export const providerStates: readonly ProviderState[] = [
  ...answerStates,
  ...mailingStates,
  ...synchronizationStates,
  ...sendingStates,
  ...customerStates,
]
