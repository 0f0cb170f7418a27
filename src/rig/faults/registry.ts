import { cutFaults } from './cut.ts'
import type { Fault } from './fault.ts'
import { noAnswerFaults } from './no-answer.ts'
import { sendingFaults } from './sending.ts'
import { slowFaults } from './slow.ts'
import { wrongFaults } from './wrong.ts'

/** All faults by their names in scenarios, in the order of the documentation. */
export const faults: ReadonlyMap<string, Fault> = new Map(
  [...noAnswerFaults, ...cutFaults, ...slowFaults, ...wrongFaults, ...sendingFaults].map(fault => [
    fault.name,
    fault,
  ]),
)

export const faultNames: readonly string[] = [...faults.keys()]
