import type { Interview } from '../exchanges.ts'
import { type Scene, synchronizations } from './scene.ts'

/** What every operation can be refused with. */
export async function beRefused(it: Interview, { ready }: Scene): Promise<void> {
  const at = '/mailings'
  const send = { method: 'POST', at: synchronizations(it, `/${ready}/sendings`), body: {} } as const
  await it.ask({ name: 'missing', summary: 'No credentials', at, user: '', shows: 'unauthorized' })
  await it.ask({
    name: 'wrong',
    summary: 'Wrong credentials',
    at,
    user: 'nobody',
    shows: 'unauthorized',
  })
  await it.ask({
    ...send,
    name: 'readOnly',
    summary: 'A user who may only read',
    user: 'demo-viewer',
    shows: 'missing-right',
  })
  await it.ask({
    name: 'html',
    summary: 'HTML only',
    at,
    headers: { Accept: 'text/html' },
    shows: 'not-acceptable',
  })
  await it.ask({
    ...send,
    name: 'text',
    summary: 'Plain text',
    headers: { 'Content-Type': 'text/plain' },
    shows: 'unsupported-media-type',
  })
  await it.ask({
    ...send,
    name: 'large',
    summary: 'More than 1 MiB',
    body: ' '.repeat((1 << 20) + 1),
    shows: 'body-too-large',
  })
  await it.ask({
    ...send,
    name: 'lost',
    summary: 'Nothing was done',
    headers: { 'X-Mock-Scenario': 'error-500-before' },
    shows: 'not-processed',
  })
  await it.ask({
    name: 'host',
    summary: 'A host that is not allowed',
    at,
    headers: { Host: 'mailings.example.com' },
    shows: 'misdirected-request',
  })
  await it.ask({ name: 'path', summary: 'No such path', at: '/mailing', shows: 'not-found' })
  await it.ask({ name: 'method', summary: 'DELETE', method: 'DELETE', at, shows: 'method-not-allowed' })
  await askTooOften(it)
}

async function askTooOften(it: Interview): Promise<void> {
  const dials = { method: 'PUT', at: '/_mock/spaces/demo/dials' } as const
  await it.look({ ...dials, body: { 'rate-limit': '60' } })
  for (let n = 0; n < 60; n++) await it.look({ at: '/mailings?pageSize=1' })
  await it.ask({ name: 'limit', summary: 'The 61st', at: '/mailings', shows: 'too-many-requests' })
  await it.look({ ...dials, body: {} })
}
