import { afterEach, expect, it } from 'vitest'
import { startTester, type Tester } from './tester.ts'

let tester: Tester | undefined
afterEach(() => tester?.close())

/** What has no text: its own member stands where the language looks for one. */
const oddValues: readonly unknown[] = [{ toString: 1 }, { valueOf: 1, toString: 1 }, [{ toString: 1 }]]

const calls: readonly [string, 'put' | 'post', (odd: unknown) => unknown][] = [
  ['/spaces/demo/dials', 'put', odd => ({ curies: odd })],
  ['/spaces/demo/faults', 'post', odd => ({ on: odd, steps: [{ fault: 'reset' }] })],
  ['/spaces/demo/faults', 'post', odd => ({ on: 'createSending', steps: [{ answer: { fault: odd } }] })],
  ['/spaces/demo/side-port', 'put', odd => ({ mode: odd })],
  [
    '/spaces/demo/scenario',
    'put',
    odd => ({ rules: [{ on: 'createSending', steps: [{ phase: odd, answer: { status: 500 } }] }] }),
  ],
  ['/scenarios/check', 'post', odd => ({ rules: [{ on: odd, steps: [{ delay: '1s' }] }] })],
  ['/exams', 'post', odd => ({ tags: odd })],
  [
    '/spaces/demo/pact/provider-states',
    'post',
    odd => ({ state: 'the service answers 503', action: 'setup', params: { status: odd } }),
  ],
]

it.each(calls)(
  '%s %s with an object where a word is expected is refused with 400',
  async (path, method, bodyOf) => {
    tester = await startTester()
    for (const odd of oddValues) {
      const { status, json } = await tester[method](path, bodyOf(odd))
      expect([status, json.title]).toEqual([400, 'Validation failed'])
    }
  },
)
