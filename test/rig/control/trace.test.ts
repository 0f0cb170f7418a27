import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { basic, ids, synchronizationPath } from '../../mock.ts'
import { startTester, type Tester } from './tester.ts'

let tester: Tester
beforeEach(async () => {
  tester = await startTester()
})
afterEach(() => tester.close())

const path = synchronizationPath(ids.ready)
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

/** A read of the service. */
const read = (headers: Record<string, string> = {}, from = tester) =>
  from.fetch(path, { headers: { authorization: basic('demo'), ...headers } })

describe('the header traceparent', () => {
  it('a traceparent is repeated in the response, is on record, and finds its requests', async () => {
    await read()
    const { headers } = await read({ traceparent })
    await read({ traceparent: traceparent.replace(traceId, 'a'.repeat(32)) })
    expect(headers.get('traceparent')).toBe(traceparent)
    const { json } = await tester.get(`/spaces/demo/requests?traceId=${traceId}`)
    expect(json.count).toBe(1)
    const [request] = json._embedded.requests
    expect(request.headers.traceparent).toBe(traceparent)
    expect(request.told.headers.traceparent).toBe(traceparent)
  })

  it.each(['', 'no trace', traceparent.toUpperCase(), `${traceparent}-more`])(
    'a traceparent that has not the form of W3C Trace Context is on record and not repeated: "%s"',
    async given => {
      const { headers } = await read({ traceparent: given })
      expect(headers.get('traceparent')).toBeNull()
      const { json } = await tester.get('/spaces/demo/requests')
      expect(json._embedded.requests[0].headers.traceparent).toBe(given)
    },
  )

  it('without hints a traceparent is not repeated', async () => {
    await using quiet = await startTester({ hints: false })
    expect((await read({ traceparent }, quiet)).headers.get('traceparent')).toBeNull()
  })

  it('an ID of a trace that is none is refused', async () => {
    expect((await tester.get('/spaces/demo/requests?traceId=12')).status).toBe(400)
  })
})
