import { careful, clientWith } from '../reference/send.mjs'
import { identityMutants } from './identity.mjs'
import { payloadMutants } from './payload.mjs'
import { stateMutants } from './states.mjs'
import { timingMutants } from './timing.mjs'

/** @import { Send } from '../client.d.ts' */
/** @import { Mutant } from './mutant.d.ts' */

/**
 * All mutants, numbered from M1 on.
 * @type {readonly Mutant[]}
 */
export const mutants = [...identityMutants, ...payloadMutants, ...stateMutants, ...timingMutants].sort(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
)

/**
 * The client that has the fault.
 * @param {Mutant} mutant
 * @returns {Send}
 */
export const clientOf = mutant => clientWith({ ...careful, ...mutant.policy })
