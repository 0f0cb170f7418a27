import { expect } from 'vitest'
import { routes } from '../../../src/control/call-table.ts'
import { type Json, jsonOf, type TestMock } from '../../mock.ts'

/** Reads the journal and the ledger of a space as a tester does. */
export interface JournalCalls {
  /** `GET …/requests`. */
  list(query?: Record<string, string | number>): Promise<Json>
  /** `GET …/requests/{id}`; that of the latest request unless told. */
  get(id?: string): Promise<Json>
  /** `GET …/requests/wait`. */
  wait(query?: Record<string, string | number>, signal?: AbortSignal): Promise<Json>
  /** `GET …/platform`. */
  platform(query?: Record<string, string | number>): Promise<Json>
  call(method: string, path: string, signal?: AbortSignal): Promise<Response>
}

/** Every answer is held against what its route states. */
export function journalCalls(mock: TestMock, space = 'demo'): JournalCalls {
  const base = `http://localhost/_mock/spaces/${encodeURIComponent(space)}`
  const call = (method: string, path: string, signal?: AbortSignal) =>
    mock.fetch(
      new Request(`${base}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(signal && { signal }),
      }),
    )
  const read = async (
    route: string,
    path: string,
    query: Record<string, string | number> = {},
    signal?: AbortSignal,
  ): Promise<Json> => {
    const given = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const response = await call('GET', `${path}?${given}`, signal)
    const json = await jsonOf(response)
    expect([response.status, json.invalidFields ?? json.detail]).toEqual([200, undefined])
    const { answer } = routes.find(({ id }) => id === route)!
    expect(answer!.safeParse(json).error?.issues ?? [], path).toEqual([])
    return json
  }
  return {
    call,
    list: query => read('listRequests', '/requests', query),
    get: (id = mock.rig(space).journal.entries().at(-1)!.id) => read('getRequest', `/requests/${id}`),
    wait: (query, signal) => read('awaitRequests', '/requests/wait', query, signal),
    platform: query => read('getPlatform', '/platform', query),
  }
}

/** IDs of the requests in an answer, in its order. */
export const idsIn = (json: Json): string[] => json._embedded.requests.map(({ id }: { id: string }) => id)
