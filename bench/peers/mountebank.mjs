/** mountebank with a script of ours for what must be remembered. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { authorization } from '../world.mjs'
import { documents, faultyPath, halType, readPath, sendingsPath } from './documents.mjs'

const headers = { 'Content-Type': halType }

/** Runs inside of mountebank, for each request. */
const remember = template => `config => {
  const { transactionId } = JSON.parse(config.request.body)
  const known = config.state[transactionId]
  if (known) return { statusCode: 200, headers: ${JSON.stringify(headers)}, body: known }
  const id = require('crypto').randomUUID()
  const body = ${JSON.stringify(template)}.replaceAll('MADE', id).replace('GIVEN', transactionId)
  config.state[transactionId] = body
  return { statusCode: 201, headers: ${JSON.stringify(headers)}, body }
}`

/** @returns {import('./peers.mjs').Peer} */
export const mountebank = program => ({
  title: 'mountebank 2.9',
  async prepare({ directory, port, mailings, freePort }) {
    const { synchronization, collection, filtered, sending } = documents(port, mailings)
    const template = JSON.stringify(sending('MADE', 'GIVEN'))
    const asked = (method, path, query) => [
      { equals: { method, path, headers: { Authorization: authorization }, ...(query && { query }) } },
    ]
    const is = (body, status = 200) => ({ is: { statusCode: status, headers, body: JSON.stringify(body) } })
    const imposter = {
      port,
      host: '127.0.0.1',
      protocol: 'http',
      recordRequests: false,
      defaultResponse: { statusCode: 401 },
      stubs: [
        { predicates: asked('GET', readPath), responses: [is(synchronization)] },
        { predicates: asked('GET', '/mailings', { hasDraft: 'false' }), responses: [is(filtered)] },
        { predicates: asked('GET', '/mailings'), responses: [is(collection)] },
        { predicates: asked('POST', sendingsPath), responses: [{ inject: remember(template) }] },
        {
          predicates: asked('POST', faultyPath),
          responses: [{ ...is({}, 503), repeat: 2 }, { inject: remember(template) }],
        },
      ],
    }
    const file = join(directory, 'imposters.json')
    await writeFile(file, JSON.stringify({ imposters: [imposter] }))
    const own = await freePort()
    return {
      args: [
        ...[program, 'start', '--port', String(own), '--host', '127.0.0.1'],
        ...['--configfile', file, '--noParse', '--allowInjection', '--nologfile', '--loglevel', 'error'],
        ...['--pidfile', join(directory, 'mb.pid')],
      ],
    }
  },
  items: { fault: { path: faultyPath } },
  differs: {
    collection: 'a text that it was given',
    filtered: 'a text that it was given',
    fault: 'counts requests, whatever is in them',
  },
})
