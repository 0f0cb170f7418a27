/** Mockoon's command line. Its templates remember a transaction ID in a global variable. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { authorization } from '../world.mjs'
import { documents, faultyPath, halType, readPath, sendingsPath } from './documents.mjs'

/** Of its control calls. */
const token = 'bench-of-mocks-control-token-0123456789'

let made = 0
const uuid = () => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`

const allowed = { target: 'header', modifier: 'Authorization', value: authorization, operator: 'equals' }
const rule = parts => ({ invert: false, value: '', ...parts })
const remembered = "{{getGlobalVar (body 'transactionId')}}"
/** Makes the ID and remembers it. */
const madeId = `{{setGlobalVar (body 'transactionId') (faker 'string.uuid')}}${remembered}`
const isKnown = rule({ target: 'templating', modifier: remembered, operator: 'null', invert: true })

const response = ({ status = 200, body = '', rules = [], isDefault = false, isTemplate = false }) => ({
  uuid: uuid(),
  body,
  latency: 0,
  statusCode: status,
  label: '',
  headers: [{ key: 'Content-Type', value: halType }],
  bodyType: 'INLINE',
  filePath: '',
  databucketID: '',
  sendFileAsBody: false,
  rules,
  rulesOperator: 'AND',
  disableTemplating: !isTemplate,
  fallbackTo404: false,
  default: isDefault,
  crudKey: 'id',
  callbacks: [],
})
const refused = response({ status: 401, isDefault: true })

const route = (method, path, responses, responseMode = null) => ({
  uuid: uuid(),
  type: 'http',
  documentation: '',
  method,
  endpoint: path.slice(1),
  responses,
  responseMode,
  streamingMode: null,
  streamingInterval: 0,
})

/** @returns {import('./peers.mjs').Peer} */
export const mockoon = program => ({
  title: 'Mockoon CLI 9',
  async prepare({ directory, port, mailings }) {
    const { synchronization, collection, filtered, sending } = documents(port, mailings)
    const isFor = (body, rules = []) =>
      response({ body: JSON.stringify(body), rules: [rule(allowed), ...rules] })
    const asked = rule({ target: 'query', modifier: 'hasDraft', value: 'false', operator: 'equals' })
    const created = (id, status, rules) =>
      response({
        status,
        body: JSON.stringify(sending(id, "{{body 'transactionId'}}")),
        rules: [rule(allowed), ...rules],
        isTemplate: true,
      })
    const busy = response({ status: 503, body: '{}' })
    const routes = [
      route('get', readPath, [isFor(synchronization), refused]),
      route('get', '/mailings', [isFor(filtered, [asked]), isFor(collection), refused]),
      route('post', sendingsPath, [created(remembered, 200, [isKnown]), created(madeId, 201, []), refused]),
      route('post', faultyPath, [busy, busy, created(madeId, 201, [])], 'SEQUENTIAL'),
    ]
    const environment = {
      uuid: uuid(),
      lastMigration: 33,
      name: 'bench',
      endpointPrefix: '',
      latency: 0,
      port,
      hostname: '127.0.0.1',
      folders: [],
      routes,
      rootChildren: routes.map(({ uuid }) => ({ type: 'route', uuid })),
      proxyMode: false,
      proxyHost: '',
      proxyRemovePrefix: false,
      tlsOptions: {
        enabled: false,
        type: 'CERT',
        pfxPath: '',
        certPath: '',
        keyPath: '',
        caPath: '',
        passphrase: '',
      },
      cors: false,
      headers: [],
      proxyReqHeaders: [],
      proxyResHeaders: [],
      data: [],
      callbacks: [],
    }
    const file = join(directory, 'environment.json')
    await writeFile(file, JSON.stringify(environment))
    return { args: [program, 'start', '--data', file, '--disable-log-to-file', '--admin-api-token', token] }
  },
  reset: {
    method: 'POST',
    path: '/mockoon-admin/state/purge',
    headers: { Authorization: `Bearer ${token}` },
  },
  items: { fault: { path: faultyPath } },
  differs: {
    collection: 'bytes that it was given',
    filtered: 'bytes that it was given',
    fault: 'counts requests, whatever is in them',
  },
})
