/** A project without modules of the new kind: Node gives them to `require` as well. */
const assert = require('node:assert/strict')
const { createMock } = require('mailing-sync-mock')
const { connect } = require('mailing-sync-mock/control')
const { matchers } = require('mailing-sync-mock/matchers')

async function main() {
  const mock = await createMock()
  const { url } = await mock.listen()
  assert.equal((await connect({ url }).space('demo').state()).name, 'demo')
  assert.equal(typeof matchers.toHaveSent, 'function')
  await mock.close()
  console.log(`fine on ${process.version}`)
}

void main()
