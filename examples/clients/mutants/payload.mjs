import { careful } from '../reference/send.mjs'

/** @import { Mutant } from './mutant.d.ts' */

/**
 * Faults in what an attempt sends.
 * @type {readonly Mutant[]}
 */
export const payloadMutants = [
  {
    id: 'M11',
    fault: 'Reckons the schedule date from the time of each attempt.',
    rules: ['R13'],
    scenario: 'schedule-passes-bound',
    policy: {
      body(intent, options) {
        const body = careful.body(intent, options)
        const { scheduleDate } = intent.payload
        if (scheduleDate === undefined) return body
        const shifted = Date.parse(scheduleDate) + options.now() - intent.since
        return { ...body, scheduleDate: new Date(shifted).toISOString() }
      },
    },
  },
  {
    id: 'M12',
    fault: 'Adds the number of the attempt to the payload.',
    rules: ['R12'],
    scenario: 'error-500-after',
    policy: { body: (intent, options) => ({ ...careful.body(intent, options), attempt: intent.attempts }) },
  },
]
