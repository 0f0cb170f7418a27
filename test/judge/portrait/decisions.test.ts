import { describe, expect, it } from 'vitest'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { decisionsOf } from '../../../src/judge/portrait/decisions.ts'
import type { TraceStart, TraceStep } from '../../../src/judge/portrait/trace.ts'
import { runExam } from '../../../src/lib/run-exam.ts'
import { explored } from '../explore/clients.ts'

/** One request each second, over at once. */
const stepsOf = (...requests: readonly Pick<TraceStep, 'id' | 'got'>[]): TraceStep[] =>
  requests.map((it, nth) => ({ ...it, at: nth * 1_000, until: nth * 1_000 }))

const startOf = (steps: readonly TraceStep[], end: TraceStart['end']): TraceStart => ({
  at: steps[0]!.at,
  until: steps.at(-1)!.at,
  ...{ steps, end },
})

const actionsIn = (...starts: readonly TraceStart[]) =>
  decisionsOf({ wish: '', starts, isTwoMailings: false }, 0).map(
    ({ situation, action }) => `${situation}: ${action}`,
  )

const lost = { id: null, got: 'broken connection' }

describe('decisions about exchanges that are not known whole', () => {
  it('of a first request without its body nothing is said of the ID, nor of that of its repeat', () => {
    const steps = stepsOf(lost, { id: 1, got: '201 CREATED' })
    expect(actionsIn(startOf(steps, 'sent'))).toEqual(['CREATED: end: sent'])
  })

  it('a repeat without its body leaves out its own decision alone if the known ID comes again', () => {
    const steps = stepsOf({ id: 1, got: '500' }, lost, { id: 1, got: '201 CREATED' })
    expect(actionsIn(startOf(steps, 'sent'))).toEqual([
      'first attempt: new ID',
      'no response: same ID',
      'CREATED: end: sent',
    ])
  })

  it('the end after a request without its body is known', () => {
    expect(actionsIn(startOf(stepsOf(lost), 'unknown'))).toEqual(['no response: end: unknown'])
  })

  it('a client that starts again after a request without its body is not said to take a new ID', () => {
    const again = startOf(stepsOf({ id: 1, got: '201 CREATED' }), 'sent')
    expect(actionsIn(startOf(stepsOf(lost), 'killed'), again)).toEqual(['CREATED: end: sent'])
  })

  it('an ID that is new after a known one is a new ID again', () => {
    const steps = stepsOf(lost, { id: 1, got: '200 FAILED' }, { id: 2, got: '201 CREATED' })
    expect(actionsIn(startOf(steps, 'sent'))).toEqual(['FAILED: new ID', 'CREATED: end: sent'])
  })

  it('the request counts as an attempt with the ID that comes next', () => {
    const steps = stepsOf(lost, { id: 1, got: '500' }, { id: 1, got: '201 CREATED' })
    const [decision] = decisionsOf({ wish: '', starts: [startOf(steps, 'sent')], isTwoMailings: false }, 0)
    expect(decision!.features).toMatchObject({ attempts: 2, requests: 2, ids: 1 })
  })

  it('of an answer after an informational response nothing is said, since the client may have taken that for the answer', async () => {
    const { portrait } = await runExam({
      client: explored(reference),
      depth: 0,
      only: ['early-hints'],
    })
    expect(portrait!.situations.map(({ name }) => name)).toEqual(['first attempt'])
  })

  it('the reference client in the case reset-upload is not said to send without an ID', async () => {
    const { portrait } = await runExam({
      client: explored(reference),
      depth: 0,
      only: ['happy-path', 'reset-upload', 'error-500-before'],
    })
    const rows = portrait!.situations.flatMap(({ name, rows }) =>
      rows.map(({ action, objection }) => ({ name, action, objection })),
    )
    expect(portrait!.runs).toBe(3)
    expect(rows).toContainEqual({ name: 'first attempt', action: 'new ID', objection: null })
    expect(rows.filter(it => it.action === null || it.objection !== null)).toEqual([])
  })
})
