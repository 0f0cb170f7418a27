import { ids } from '../../dist/contract/examples/fixture-ids.js'
import { attackProgram, send } from './program.mjs'

const synchronization = `/integrations/mailing-platform/mailing-synchronizations/${ids.ready}`
const sendings = `${synchronization}/sendings`
const lists =
  '/integrations/mailing-platform/accessible-customers/harbour-group/configuration/accessible-lists'
const as = user => ({ authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` })
const long = (bytes, more = {}) => JSON.stringify({ name: 'x'.repeat(bytes), ...more })

/** Each does what fills one kind of memory. @type {Record<string, (url: string, n: number) => Promise<{ status: number }>>} */
const fillings = {
  'refusals with 50 fields in many spaces': (url, n) =>
    send(url + lists, 'PUT', `{"permittedLists":[${'"",'.repeat(4_000)}""]}`, as(`demo+a${n % 200}`)),
  'journals of many spaces': (url, n) =>
    send(url + sendings, 'POST', long(16_000, { scheduleDate: 'x' }), as(`demo+b${n % 400}`)),
  'private spaces': (url, n) => send(url + sendings, 'POST', '{}', as(`demo+c${n}`)),
  'sendings with a name of 1 MiB': (url, n) =>
    send(url + sendings, 'POST', long(1_000_000, { transactionId: `d${n}` }), as(`demo+d${n % 20}`)),
  'counts of scenarios': (url, n) =>
    send(
      url + sendings,
      'POST',
      JSON.stringify({ transactionId: `mock:unavailable:${n}${'y'.repeat(5_000)}` }),
      as('demo+e'),
    ),
  'collections under many hosts': (url, n) =>
    send(`${url}/mailings?pageSize=${(n % 900) + 1}`, 'GET', undefined, {
      ...as(`demo+f${n % 50}`),
      'x-mock-scenario': ['unspecified', 'unavailable', 'pending'][n % 3],
    }),
}

const atOnce = 20

/** Everything that a user can make the mock keep, with a heap of 300 MB, until each kind is used up; then all of it at once. */
export default async function run() {
  return {
    attack:
      'service requests that fill journals, rows, copies, counts, caches and held requests, with a heap of 300 MB',
    ...(await attackProgram({ flags: ['--in-memory', '--space-limit', '100000'] }, async url => {
      const statuses = {}
      const note = ({ status }) => {
        statuses[status] = (statuses[status] ?? 0) + 1
      }
      const round = async (act, count, offset) => {
        for (let n = 0; n < count; n += atOnce)
          await Promise.all(
            Array.from({ length: atOnce }, async (_, at) => note(await act(url, offset + n + at))),
          )
      }
      for (const act of Object.values(fillings)) await round(act, 2_000, 0)
      // Held requests whose clients leave: their bodies stay.
      await send(
        `${url}/_mock/spaces/demo%2Bg/scenario`,
        'PUT',
        '{"rules":[{"on":"createSending","steps":[{"hold":"gate","times":100000}]}]}',
      )
      for (let n = 0; n < 400; n += atOnce)
        await Promise.all(
          Array.from({ length: atOnce }, (_, at) =>
            leave(`${url}${sendings}`, long(1_000_000, { transactionId: `g${n + at}` })),
          ),
        )
      for (let n = 1; n <= 2; n++)
        for (const act of Object.values(fillings)) await round(act, 600, n * 10_000)
      const memory = await (await fetch(`${url}/_mock/memory`)).json()
      if (memory.usedBytes > memory.limitBytes * 1.1)
        throw new Error(`it uses ${memory.usedBytes} of ${memory.limitBytes}`)
      const told = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
      return `${told.join(', ')}; ${mebibytes(memory.usedBytes)} of ${mebibytes(memory.limitBytes)} MiB in use, room was made ${memory.madeRoom} times`
    })),
  }
}

const mebibytes = bytes => Math.round(bytes / 2 ** 20)

/** Sends a request and leaves before its answer. */
const leave = (url, body) =>
  fetch(url, {
    method: 'POST',
    body,
    headers: { ...as('demo+g'), 'content-type': 'application/json' },
    signal: AbortSignal.timeout(2_000),
  }).then(
    answer => answer.arrayBuffer(),
    () => {},
  )
