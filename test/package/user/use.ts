import {
  createMock,
  type ExamOptions,
  type Finding,
  type Mock,
  type MockOptions,
  type RequestEntry,
  type ScenarioDefinition,
  type SpaceControl,
} from 'mailing-sync-mock'
import { ControlError, connect, type MockControl } from 'mailing-sync-mock/control'
import { matchers } from 'mailing-sync-mock/matchers'
import { mailingSyncTest, test } from 'mailing-sync-mock/vitest'
import { expect } from 'vitest'

declare module 'mailing-sync-mock' {
  interface OwnScenarios {
    'our-outage': true
  }
}

/** What a stranger writes: it need only be understood by the compiler, as it is meant. */

const options: MockOptions = { seed: 7, frozen: true, dials: { 'error-body': 'minimal' } }
const scenario: ScenarioDefinition = {
  rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '30s' }, { state: 'CREATED' }] }],
}

export async function inThisProcess(): Promise<readonly Finding[]> {
  await using mock: Mock = await createMock(options)
  const response: Response = await mock.fetch('http://mock/mailings')
  const { url }: { readonly url: string } = await mock.listen()
  const space: SpaceControl = mock.space('demo+x')
  await space.arm('pending-then-created')
  await space.arm(scenario)
  await space.faults.arm({ on: '*', answer: { fault: 'reset' } })
  const clock: { readonly now: string; readonly frozen: boolean } = await space.clock.advance('PT5M')
  const requests: RequestEntry[] = await space.requests({ operation: 'createSending', status: 201 })
  const recipients: number[] = (await space.sent()).map(it => it.recipients)
  for await (const { type, data } of await space.events()) {
    if (type === 'request') console.log(data.what, data.status)
    // @ts-expect-error a request is no clock
    if (type === 'request') console.log(data.rate)
  }
  // @ts-expect-error there is no such operation
  await space.requests({ operation: 'createSendings' })
  // @ts-expect-error a duration has its unit
  await space.clock.advance(5)
  // @ts-expect-error a step has no such member
  await space.arm({ rules: [{ on: 'createSending', steps: [{ sate: 'PENDING' }] }] })
  // @ts-expect-error there is no such scenario
  await space.arm('pending-then-creatd')
  await space.arm('our-outage')
  // @ts-expect-error there is no such fault
  await space.faults.arm({ on: '*', answer: { fault: 'rest' } })
  await space.faults.arm({ on: '*', answer: { fault: 'drip', every: '10ms' } })
  // @ts-expect-error an error body is no such one
  await space.turn({ 'error-body': 'minimum' })
  // @ts-expect-error there is no such dial
  await space.turn({ 'error-bodies': 'minimal' })
  // @ts-expect-error a mode is one of five
  await space.sidePort('broken')
  console.log(response.status, url, clock.now, requests[0]?.told?.status, recipients)
  const { findings } = await space.verdict({ believes: 'sent', expected: 1 })
  // @ts-expect-error there is no such rule
  if (findings[0]?.rule === 'R2') console.log('found')
  return findings
}

export const only: ExamOptions['only'] = ['happy-path', 'reset-*', 'our-outage']
// @ts-expect-error there is no such case
export const misspelt: ExamOptions['only'] = ['hapy-path']

export async function inAnotherProcess(): Promise<void> {
  const control: MockControl = connect({ url: 'http://localhost:4025', token: 'secret' })
  await using own = { [Symbol.asyncDispose]: () => control.reset() }
  const space = await control.privateSpace({ scenario, clock: { frozen: true } })
  await space.mailings.edit('some-id', { subject: 'Other' }).catch((error: unknown) => {
    if (error instanceof ControlError) console.log(error.status, error.invalidFields[0]?.field)
  })
  console.log(own, space.user)
}

export const tests = [
  test,
  mailingSyncTest({ mock: options, beginning: { scenario: 'failed-once' }, verdict: { believes: 'sent' } }),
]

expect.extend(matchers)
export const matched = (space: SpaceControl): Promise<void>[] => [
  expect(space).toHaveSentExactlyOnce('some-id'),
  expect(space).not.toHaveSent(2),
  expect(space).toHaveNoFindings({ believes: 'sent' }),
  // @ts-expect-error a count is a number
  expect(space).toHaveSent('two'),
]
