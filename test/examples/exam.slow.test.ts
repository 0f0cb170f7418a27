import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runExam } from '../../src/lib/run-exam.ts'
import { carefulClients, ready } from './commands.ts'

/** One of each kind, and all that a time limit has to end. */
const cases = [
  'happy-path',
  'truncated-eof',
  'truncated-gzip',
  'early-hints',
  'reset-after',
  'pending-then-created',
  'failed-once',
  'redirect-307-elsewhere',
  'connection-reset-at-accept',
  'date-passes-unbound',
  'restart-when-sent',
  'two-mailings',
  'stalled-body',
  'drip',
  'drip-headers',
]

describe.each(carefulClients)('$name', ({ command: asGiven, isHere, speed }) => {
  let command = asGiven
  let clean = () => {}
  beforeAll(() => {
    if (isHere) ({ command, clean } = ready(asGiven))
  })
  afterAll(() => clean())

  test.runIf(isHere)('passes an exam', async () => {
    const result = await runExam({ client: command, only: cases, speed: Math.min(speed, 30) })
    const failures = result.cases.filter(({ status }) => status !== 'passed')
    expect(failures.map(({ name, findings, reason }) => ({ name, findings, reason }))).toEqual([])
    expect(result.passed).toBe(cases.length)
  })
})
