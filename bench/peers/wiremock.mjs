/** WireMock from its npm package, without its journal, which costs it half. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { documents, faultyPath, halType, readPath, sendingsPath } from './documents.mjs'

const basicAuth = { username: 'demo', password: 'demo' }
const headers = { 'Content-Type': halType }

/** @returns {import('./peers.mjs').Peer} */
export const wiremock = jar => ({
  title: 'WireMock 3.13, warm',
  async prepare({ directory, port, mailings }) {
    const { synchronization, collection, filtered, sending } = documents(port, mailings)
    const asked = (method, urlPath, more) => ({ method, urlPath, basicAuth, ...more })
    const told = (body, status = 200) => ({ status, headers, body: JSON.stringify(body) })
    const template = {
      ...told(sending("{{randomValue type='UUID'}}", "{{jsonPath request.body '$.transactionId'}}"), 201),
      transformers: ['response-template'],
    }
    const step = (before, after, response) => ({
      scenarioName: 'fault',
      requiredScenarioState: before,
      newScenarioState: after,
      request: asked('POST', faultyPath),
      response,
    })
    const mappings = [
      { request: asked('GET', readPath), response: told(synchronization) },
      { request: asked('GET', '/mailings'), response: told(collection), priority: 5 },
      {
        request: asked('GET', '/mailings', { queryParameters: { hasDraft: { equalTo: 'false' } } }),
        response: told(filtered),
        priority: 1,
      },
      { request: asked('POST', sendingsPath), response: template },
      step('Started', 'once', told({}, 503)),
      step('once', 'twice', told({}, 503)),
      step('twice', 'Started', template),
    ]
    await mkdir(join(directory, 'mappings'))
    await writeFile(join(directory, 'mappings', 'bench.json'), JSON.stringify({ mappings }))
    return {
      command: 'java',
      args: [
        ...['-jar', jar(), '--port', String(port), '--bind-address', '127.0.0.1', '--root-dir', directory],
        ...['--no-request-journal', '--disable-request-logging', '--disable-banner', '--disable-gzip'],
      ],
    }
  },
  warmUp: 40,
  items: { fault: { path: faultyPath } },
  reset: { method: 'POST', path: '/__admin/scenarios/reset' },
  cannot: { repeat: 'it remembers nothing' },
  differs: {
    collection: 'bytes that it was given',
    filtered: 'bytes that it was given',
    create: 'a template is filled in, and nothing is remembered',
    fault: 'counts requests, whatever is in them, and answers some of many at once 404',
  },
})
