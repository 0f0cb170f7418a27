import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runExam } from '../../src/lib/run-exam.ts'
import { carefulClients, commands, ready } from '../examples/commands.ts'

const failures = ({ cases }: Awaited<ReturnType<typeof runExam>>) =>
  cases
    .filter(({ status }) => status !== 'passed')
    .map(({ name, findings, reason }) => ({ name, findings, reason }))

it('the reference client, which knows only the file of the authority, passes the whole exam over HTTPS', {
  timeout: 900_000,
}, async () => {
  const result = await runExam({ client: commands.reference, tls: true, speed: 60, depth: 0 })
  expect(failures(result)).toEqual([])
  expect(result.passed).toBeGreaterThan(60)
})

describe.each(carefulClients)('over HTTPS $name', ({ command: asGiven, isHere, speed }) => {
  let command = asGiven
  let clean = () => {}
  beforeAll(() => {
    if (isHere) ({ command, clean } = ready(asGiven))
  })
  afterAll(() => clean())

  it.runIf(isHere)('passes cases of each kind', async () => {
    const only = [
      'happy-path',
      'truncated-eof',
      'reset-after',
      'stalled-body',
      'connection-reset-at-data',
      'tls-expired',
      'tls-old-protocol',
      'tls-handshake-cut',
      'tls-cut-after-handshake',
      'drip',
    ]
    const result = await runExam({ client: command, only, tls: true, speed: Math.min(speed, 30) })
    expect(failures(result)).toEqual([])
    expect(result.passed).toBe(only.length)
  })
})
