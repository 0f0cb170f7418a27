/** The scenario of the bench: it is asked at every create, and fires those of the fault row. */
import { faultPrefix, refusals } from './world.mjs'

export const scenario = {
  description: 'Each transaction of the fault row is answered 503 before its sending is made.',
  rules: [
    {
      on: 'createSending',
      when: { transactionId: { prefix: faultPrefix } },
      steps: [{ phase: 'before', times: refusals, answer: { status: 503 } }, { state: 'CREATED' }],
    },
  ],
}
