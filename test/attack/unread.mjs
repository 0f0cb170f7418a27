import { connect } from 'node:net'
import { ids } from '../../dist/contract/examples/fixture-ids.js'
import { attackProgram, mostMemory, send } from './program.mjs'

const sendings = `/integrations/mailing-platform/mailing-synchronizations/${ids.ready}/sendings`
const authorization = `Authorization: Basic ${Buffer.from('demo:demo').toString('base64')}`

/** A connection on which something is said and nothing is read. */
const say = (url, text) =>
  new Promise(resolve => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(text, () => resolve(socket)),
    )
    socket.pause().on('error', resolve)
  })
const get = (path, ...headers) => [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, '', ''].join('\r\n')
const post = (path, body, ...headers) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    authorization,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
const name = 'x'.repeat(1_000_000)

/** Each does something that is kept until somebody reads, releases or removes it. @type {Record<string, (url: string, n: number) => Promise<unknown>>} */
const kept = {
  'sendings with long names': (url, n) =>
    send(url + sendings, 'POST', JSON.stringify({ name, transactionId: `a${n}` })),
  'snapshots that nobody reads': url => say(url, get('/_mock/spaces/demo/snapshot')),
  'lists of requests that nobody reads': url => say(url, get('/_mock/spaces/demo/requests?limit=1000')),
  'collections that nobody reads': (url, n) =>
    say(url, get(`/mailings?pageSize=${1 + (n % 900)}`, authorization)),
  'requests that hang': (url, n) =>
    say(url, post(sendings, JSON.stringify({ name, transactionId: `h${n}` }), 'X-Mock-Scenario: hang-after')),
  'one-shot faults': (url, n) => {
    const steps = Array(12).fill({
      phase: 'before',
      answer: { status: 503, body: { text: 'x'.repeat(65_000) } },
    })
    return send(
      `${url}/_mock/spaces/demo%2B${n % 5}/faults`,
      'POST',
      JSON.stringify({ on: 'createSending', steps }),
    )
  },
  'beginnings with a scenario': (url, n) => {
    const steps = Array(12).fill({
      phase: 'before',
      answer: { status: 503, body: { text: 'x'.repeat(65_000) } },
    })
    const scenario = { rules: [{ on: 'createSending', steps }] }
    return send(`${url}/_mock/spaces/demo%2Bs${n}`, 'PUT', JSON.stringify({ scenario }))
  },
}

/** What a container of 256 MB gives a mock: a quarter of it to fill, and a heap that ends before it does. */
const smallContainer = { heapMebibytes: 160, flags: ['--in-memory', '--memory-limit', '64'] }

/** What is kept for somebody who never comes, in the memory of a small container. */
export default async function run() {
  return {
    attack:
      'answers that nobody reads, requests that hang, faults and beginnings of 800 KB, 150 of each, in the memory of a container of 256 MB',
    ...(await attackProgram(smallContainer, async (url, child) => {
      for (const act of Object.values(kept)) for (let n = 0; n < 150; n++) await act(url, n)
      const memory = await (await fetch(`${url}/_mock/memory`)).json()
      const reached = mostMemory(child.pid)
      if (reached > 256) throw new Error(`the process took ${reached} MB`)
      return `the process took ${reached} MB at most; ${Math.round(memory.usedBytes / 2 ** 20)} of ${memory.limitBytes / 2 ** 20} MiB counted`
    })),
  }
}
