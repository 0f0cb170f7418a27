import { afterAll, afterEach, expect } from 'vitest'
import { onAnswer } from '../../src/rig/true-answers.ts'
import { takeUndescribed, tellUndescribed } from './found.ts'

/**
 * Holds every true answer that a service in this process gives in a test against its OpenAPI document, whoever asked and
 * however: as `fetch`, over a socket, in an exam. What a scenario tells instead of the truth is not looked at.
 */

// Read for each file. These ask for the same responses thousands of times; all of them are watched in other files.
const isWatched = !/[\\/]test[\\/](?:verify|judge|examples)[\\/]/.test(expect.getState().testPath ?? '')

if (isWatched) {
  const { descriptionOf } = await import('./description.ts')
  const stop = onAnswer(({ method, target, answer, names, dials }) => {
    // The mock protects itself; the service has no such response.
    if (answer.status === 503 && String(answer.body).includes('/problems/no-room')) return
    for (const what of descriptionOf({ names, dials }).undescribed(method, target, answer))
      tellUndescribed(`${method} ${target} ${answer.status}: ${what}`)
  })
  // The next file of this process listens for itself.
  afterAll(stop)
}

afterEach(() => {
  const sentences = takeUndescribed()
  if (sentences.length > 0)
    throw new Error(`the service answered what openapi.yaml does not describe:\n  ${sentences.join('\n  ')}`)
})
