import { connect } from 'node:net'
import { ids } from '../../dist/contract/examples/fixture-ids.js'
import { attackProgram, send } from './program.mjs'

const sendings = `/integrations/mailing-platform/mailing-synchronizations/${ids.ready}/sendings`
const authorization = `Authorization: Basic ${Buffer.from('demo:demo').toString('base64')}`
const get = path => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`
const post = (path, body) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** A connection on which something is said, whose answers are read and dropped. */
const say = (url, text) =>
  new Promise(resolve => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () =>
      socket.write(text, () => resolve(socket)),
    )
    socket.on('error', resolve).resume()
  })
const repeat = async (count, act) => {
  for (let n = 0; n < count; n++) await act(n)
}

/** Each lets many things happen at one time. @type {Record<string, (url: string) => Promise<unknown>>} */
const crowds = {
  async 'waits that end together'(url) {
    const wait = `${url}/_mock/spaces/demo/requests/wait?count=1000&timeout=1s`
    await Promise.all(Array.from({ length: 200 }, () => send(wait, 'GET')))
  },
  async 'pages and lists of 1,000 requests with 990 members'(url) {
    const page = { accept: 'text/html' }
    await repeat(3, () => send(`${url}/_mock/spaces/demo/verdict`, 'GET', undefined, page))
    await repeat(3, () => send(`${url}/_mock/spaces/demo/requests?limit=1000`, 'GET'))
  },
  async 'streams of events'(url) {
    const streams = []
    await repeat(1_200, async () => streams.push(await say(url, get('/_mock/spaces/demo/events'))))
    await repeat(20, () => send(`${url}/mailings`, 'GET'))
    for (const stream of streams) stream.destroy()
  },
  async 'held requests that are released, and reset, together'(url) {
    const scenario = '{"rules":[{"on":"createSending","steps":[{"hold":"gate","times":100000}]}]}'
    await send(`${url}/_mock/spaces/demo/scenario`, 'PUT', scenario)
    const held = []
    await repeat(2_000, async n => held.push(await say(url, post(sendings, `{"transactionId":"held-${n}"}`))))
    await send(`${url}/_mock/spaces/demo/holds/gate/release`, 'POST', '{"count":1000}')
    await send(`${url}/_mock/spaces/demo/reset`, 'POST', '{}')
    for (const one of held) one.destroy()
  },
  async 'a pipeline of 3,000 requests'(url) {
    const socket = await say(url, get('/mailings/nothing').repeat(3_000))
    await send(`${url}/mailings`, 'GET')
    socket.destroy()
  },
}

/** What many clients do at one time. */
export default async function run() {
  return {
    attack: `${Object.keys(crowds).join('; ')}: all at one time each`,
    ...(await attackProgram({}, async url => {
      const wide = Object.fromEntries(Array.from({ length: 990 }, (_, n) => [`member${n}`, n]))
      await repeat(1_000, n =>
        send(url + sendings, 'POST', JSON.stringify({ ...wide, transactionId: `t${n}` })),
      )
      const took = []
      for (const [name, act] of Object.entries(crowds)) {
        const began = Date.now()
        await act(url)
        took.push(`${name} ${Math.round((Date.now() - began) / 100) / 10} s`)
      }
      return `all were answered or refused: ${took.join(', ')}`
    })),
  }
}
