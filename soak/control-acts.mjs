/** What testers do: turn the clock, take snapshots, read verdicts and pages, watch, and let spaces come and go. */
import { must, mustBeWell } from './space.mjs'

const page = { Accept: 'text/html' }
let madeSpaces = 0
/** A fixture without content. */
const nothing = {
  $format: 1,
  customers: [],
  lists: [],
  accessibleLists: [],
  mailings: [],
  synchronizations: [],
  mailingUploads: [],
  sendings: [],
  platformMailings: [],
  platformSendings: [],
}

export const controlActs = {
  'turn the clock': {
    weight: 3,
    async do(space) {
      await space.control('POST', '/clock', { advance: '5m' })
      await space.control('POST', '/clock', { freeze: true })
      await space.read()
      await space.control('POST', '/clock', { resume: true })
    },
  },
  'begin anew': {
    weight: 2,
    lasting: true,
    do: space => space.reset(),
  },
  'go back to a snapshot': {
    weight: 1,
    lasting: true,
    async do(space) {
      const snapshot = await space.control('GET', '/snapshot')
      await space.control('PUT', '/snapshot', snapshot)
      await space.read()
    },
  },
  'ask for a verdict': {
    weight: 2,
    async do(space) {
      await space.control('GET', '/verdict?expected=0')
      await space.control('GET', '/requests?limit=20')
      await space.control('GET', '/platform')
    },
  },
  'look at pages': {
    weight: 1,
    async do(space) {
      for (const rest of ['/requests', '/verdict', '/sendings'])
        must(await space.client.ask({ path: space.controlPath + rest, headers: page }), 200)
    },
  },
  'watch events and leave': {
    weight: 3,
    async do(space) {
      await space.watch()
      await space.read()
      space.leaveStreams()
    },
  },
  'watch events and stay': {
    weight: 1,
    do: space => space.watch(),
  },
  'wait for requests and leave': {
    weight: 2,
    async do(space) {
      const path = `${space.controlPath}/requests/wait?count=100000&timeout=20s`
      await space.client.ask({ path, leaveAfter: 10 })
    },
  },
  'arm a scenario and dials': {
    weight: 2,
    async do(space) {
      await space.control('PUT', '/scenario', { name: 'error-500-before' })
      await space.control('PUT', '/dials', { 'error-body': 'minimal' })
      await space.control('DELETE', '/scenario', undefined)
      await space.control('PUT', '/dials', {})
      await space.read()
    },
  },
  'take part in an exam': {
    weight: 1,
    async do({ client }) {
      const told = await client.ask({
        method: 'POST',
        path: '/_mock/exams',
        body: { only: ['reset-after', 'hang-before'] },
      })
      mustBeWell(told)
      mustBeWell(await client.ask({ method: 'DELETE', path: `/_mock/exams/${JSON.parse(told.text).id}` }))
    },
  },
  'make a space of its own': {
    weight: 1,
    async do({ client }) {
      const name = `made-${++madeSpaces}`
      const path = `/_mock/spaces/${name}`
      const fixture = {
        ...nothing,
        space: name,
        users: [{ name, password: 'demo', rights: ['read', 'write'] }],
      }
      mustBeWell(await client.ask({ method: 'PUT', path, body: { fixture } }))
      must(await client.ask({ path: '/mailings', user: name }), 200)
      must(await client.ask({ path: '/mailings', user: `${name}+copy` }), 200)
      must(await client.ask({ method: 'DELETE', path }), 204)
    },
  },
}
