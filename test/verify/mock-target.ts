import type { Fetch } from '../../src/contract/verify/target.ts'
import { type VerifyOptions, verify } from '../../src/contract/verify/verify.ts'
import type { DialValues } from '../../src/service/dials.ts'
import { startMock, type TestMock, type TestMockOptions } from '../mock.ts'
import { undisturbed } from '../pull/pulling.ts'
import { SharedTruth } from './answers.ts'

export const base = 'http://mock.test.localhost'

/** A list of the default fixture to which mailings may go out. */
export const sendTo = { customer: 'harbour-group', listId: 1001 }

/**
 * A mock whose clock goes on with every request, asked without a socket. Without the synchronizations on which scenarios
 * are in force, unless told otherwise: their list would be most of what is read.
 */
export async function mockTarget(options: TestMockOptions = {}): Promise<{ mock: TestMock; fetch: Fetch }> {
  const mock = await startMock({ fixture: undisturbed, ...options })
  const fetch: Fetch = (url, init) => {
    mock.clock.advance(1_000)
    return mock.fetch(new Request(url, init))
  }
  return { mock, fetch }
}

/** Many mocks alike whose clocks go on with writes alone, so that each is asked only what none was asked before. */
export const sharedTarget = () =>
  new SharedTruth(async () => {
    const { mock } = await mockTarget()
    return (url, init) => {
      if (init.method !== 'GET') mock.clock.advance(1_000)
      return mock.fetch(new Request(url, init))
    }
  })

export const usual = { url: base, user: 'demo', password: 'demo' }

/** Verifies what answers by `fetch`. */
export const verified = (fetch: Fetch, options: Partial<VerifyOptions> = {}) =>
  verify({ ...usual, fetch, wait: async () => {}, ...options })

export const withDials = (dials: Partial<DialValues>) => mockTarget({ dials })
