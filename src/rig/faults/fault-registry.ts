import { cutFaults, noAnswerFaults } from './cut.ts'
import type { Fault } from './fault.ts'
import { slowFaults } from './slow.ts'
import { sendingFaults, wrongFaults } from './wrong.ts'

/** All faults by their names in scenarios, in the order of the documentation. */
export const faults: ReadonlyMap<string, Fault> = new Map(
  [...noAnswerFaults, ...cutFaults, ...slowFaults, ...wrongFaults, ...sendingFaults].map(it => [it.name, it]),
)
