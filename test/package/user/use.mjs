/** What a stranger runs: every entry point that needs no test runner. Ends with 0 when it all works. */
import assert from 'node:assert/strict'
import { ControlError, createMock } from 'mailing-sync-mock'
import { connect } from 'mailing-sync-mock/control'
import { matchers } from 'mailing-sync-mock/matchers'

const mock = await createMock()
const { url } = await mock.listen()
const ready = '22222222-0000-4000-8000-000000000001'
const path = `/integrations/mailing-platform/mailing-synchronizations/${ready}/sendings`

/**
 * @param {typeof globalThis.fetch} ask
 * @param {import('mailing-sync-mock').SpaceControl} space
 */
async function states(ask, { authorization }) {
  /** @type {string[]} */
  const seen = []
  const headers = { authorization, 'content-type': 'application/json' }
  for (let attempt = 0; attempt < 3; attempt++) {
    const response = await ask(url + path, { method: 'POST', headers, body: '{"transactionId":"a"}' })
    const { state } = /** @type {{ state: string }} */ (await response.json())
    seen.push(state)
  }
  return seen
}

for (const [fetched, control] of /** @type {const} */ ([
  [mock.fetch, mock.control],
  [fetch, connect({ url })],
])) {
  const space = await control.privateSpace({ scenario: 'pending-then-created' })
  assert.deepEqual(await states(/** @type {typeof fetch} */ (fetched), space), [
    'PENDING',
    'PENDING',
    'CREATED',
  ])
  assert.equal((await space.sent()).length, 1)
  assert.ok((await matchers.toHaveSentExactlyOnce.call({}, space, ready)).pass)
  assert.ok(!(await matchers.toHaveSent.call({}, space, 2)).pass)
  // @ts-expect-error: there is no such scenario
  await assert.rejects(space.arm('no-such-scenario'), /no-such-scenario/)
  await assert.rejects(space.clock.advance('soon'), { name: 'ControlError', status: 400 })
}
assert.equal(typeof ControlError, 'function')
await mock.close()
console.log(`fine on ${process.version}`)
