/** One kind of growth, from the smallest size to the largest, in a process of its own: a line of JSON for each size. */
import { createMock } from '../dist/index.js'
import { fixture, integration, syncId } from './world.mjs'

const [kind, sizesText, directory] = process.argv.slice(2)
const sizes = sizesText.split(',').map(Number)
const base = 'http://localhost:4025'
const synchronization = `${base}${integration}/${syncId}`
const sendings = `${synchronization}/sendings`
const batches = 15
const inBatch = 150

const mock = await createMock({
  fixtures: fixture(30),
  ...(directory && { data: directory }),
  spaceLimit: 5_000,
})
let made = 0

const headersOf = user => ({
  Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`,
  'Content-Type': 'application/json',
})
const demo = headersOf('demo')

async function ask(url, headers, body) {
  const response = await mock.fetch(url, body ? { method: 'POST', headers, body } : { headers })
  const text = await response.text()
  if (response.status >= 300) throw new Error(`${url} was answered ${response.status} ${text}`)
  return text
}
const fresh = (headers = demo) => ask(sendings, headers, `{"transactionId":"t-${++made}"}`)
const repeated = (headers = demo) => ask(sendings, headers, `{"transactionId":"t-${made}"}`)
const read = (headers = demo) => ask(synchronization, headers)

/** Processor time for each, in microseconds: the least of some batches, since whatever disturbs one makes it dearer. */
async function cost(act) {
  const costs = []
  for (let batch = 0; batch < batches; batch++) {
    const before = process.cpuUsage()
    for (let at = 0; at < inBatch; at++) await act(at)
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / inBatch)
  }
  return Math.min(...costs)
}

async function costs(acts) {
  const micros = {}
  for (const [name, act] of Object.entries(acts)) micros[name] = await cost(act)
  return micros
}

const tell = (size, micros) => process.stdout.write(`${JSON.stringify({ size, micros })}\n`)

const ways = {
  async sendings() {
    let last
    for (const size of sizes) {
      // What was made to measure the size before counts as well.
      while (made < size) last = await fresh()
      const one = JSON.parse(last)._links.self.href
      const acts = {
        read: () => read(),
        'read a sending': () => ask(one, demo),
        'page of 10': () => ask(`${sendings}?pageSize=10`, demo),
        repeat: () => repeated(),
        create: () => fresh(),
      }
      tell(size, await costs(acts))
    }
  },

  async spaces() {
    const users = []
    const open = async () => {
      const headers = headersOf(`demo+${users.length}`)
      users.push(headers)
      await read(headers)
    }
    for (const size of sizes) {
      while (users.length < size) await open()
      const inTurn = act => at => act(users[at % size])
      const acts = { read: inTurn(read), create: inTurn(fresh) }
      const micros = await costs(acts)
      // Last, since these are more spaces; what is opened for it is removed again.
      micros['new space'] = await cost(open)
      for (const at of users.keys()) if (at >= size) await mock.control.space(`demo+${at}`).remove()
      users.length = size
      tell(size, micros)
    }
  },

  async requests() {
    let count = 0
    for (const size of sizes) {
      for (; count < size; count++) await read()
      tell(size, await costs({ read: () => read(), create: () => fresh() }))
    }
  },
}

/** Until the code is compiled, in a space that is gone afterwards. */
async function warmUp() {
  const headers = headersOf('demo+warm')
  for (let time = 0; time < 5_000; time++) {
    await read(headers)
    const sending = JSON.parse(await fresh(headers))
    await repeated(headers)
    await ask(sending._links.self.href, headers)
    await ask(`${sendings}?pageSize=10`, headers)
  }
  made = 0
}

await warmUp()
await mock.control.reset()
// A record that is still filling keeps everything alive, and is dearer than a full one: that is a row of its own.
if (kind !== 'requests') for (let time = 0; time < 3_000; time++) await read()
await ways[kind]()
process.exit(0)
