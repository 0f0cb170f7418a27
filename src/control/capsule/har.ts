import type { Capsule, CapsuleRequest } from './capsule-file.ts'

type Headers = CapsuleRequest['headers']

const listOf = (headers: Headers | undefined) =>
  Object.entries(headers ?? {}).flatMap(([name, value]) => [value].flat().map(one => ({ name, value: one })))

const headerOf = (headers: Headers | undefined, name: string): string =>
  String(Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1] ?? '')

function queryOf(target: string) {
  const at = target.indexOf('?')
  return at < 0 ? [] : [...new URLSearchParams(target.slice(at))].map(([name, value]) => ({ name, value }))
}

/** The requests of a capsule as an HTTP Archive, version 1.2. A response that did not leave whole has the status 0, as in browsers. */
export const toHar = ({ madeBy, requests }: Pick<Capsule, 'madeBy' | 'requests'>) => ({
  log: {
    version: '1.2',
    creator: { name: 'mailing-sync-mock', version: madeBy },
    entries: requests.map(toEntry),
  },
})

function toEntry(request: CapsuleRequest) {
  const { method, target, headers, body, told, moments, base, delivered, connection } = request
  const [began] = moments.arrived
  const [ended] = moments.ended ?? moments.arrived
  const isWhole = delivered === 'handed'
  const wait = Math.max(0, ended - began)
  return {
    startedDateTime: new Date(began).toISOString(),
    time: wait,
    request: {
      method,
      url: new URL(base).origin + target,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: listOf(headers),
      queryString: queryOf(target),
      headersSize: -1,
      bodySize: body?.bytes ?? 0,
      ...(body && {
        postData: { mimeType: headerOf(headers, 'content-type'), text: body.text, ...encodingOf(body) },
      }),
    },
    response: {
      status: isWhole ? (told?.status ?? 0) : 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: listOf(told?.headers),
      content: {
        size: told?.body?.bytes ?? 0,
        mimeType: headerOf(told?.headers, 'content-type') || 'x-unknown',
        ...(told?.body && { text: told.body.text, ...encodingOf(told.body) }),
      },
      redirectURL: headerOf(told?.headers, 'location'),
      headersSize: -1,
      bodySize: told?.body?.bytes ?? 0,
      ...(!isWhole && { _error: `delivered: ${delivered}` }),
    },
    cache: {},
    timings: { send: 0, wait, receive: 0 },
    ...(connection && { connection: String(connection.number) }),
    _mockRequestId: request.id,
  }
}

const encodingOf = ({ encoding }: { readonly encoding: string }) =>
  encoding === 'base64' ? { encoding: 'base64' } : {}
