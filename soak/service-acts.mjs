/** What clients of the service do, right and wrong. Each act is one worker's, in a space that is its alone meanwhile. */
import { must, sendings, synchronization, Unexpected } from './space.mjs'

/** Acts by name; `weight` is how often one is done, `lasting` that it makes what a space keeps. */
export const serviceActs = {
  'read a synchronization': {
    weight: 12,
    async do(space) {
      await space.read()
      await space.read()
    },
  },
  'read collections': {
    weight: 4,
    async do(space) {
      must(await space.ask({ path: '/mailings' }), 200)
      must(await space.ask({ path: '/mailings?isApproved=true' }), 200)
      must(await space.ask({ path: sendings }), 200)
    },
  },
  'create a sending': {
    weight: 8,
    lasting: true,
    do: space => space.create(),
  },
  'create and read figures': {
    weight: 3,
    lasting: true,
    async do(space) {
      space.made++
      const told = await space.send(space.freshTransaction())
      must(told, 201)
      const { id } = JSON.parse(told.text)
      must(await space.ask({ path: `${sendings}/${id}` }), 200)
      must(await space.ask({ path: `${sendings}/${id}/statistics` }), 200)
    },
  },
  'repeat a transaction ID, at once': {
    weight: 4,
    lasting: true,
    async do(space) {
      space.made++
      const id = space.freshTransaction()
      const told = await Promise.all([1, 2, 3, 4].map(() => space.send(id)))
      const statuses = told.map(({ status }) => status).sort()
      if (statuses.join() !== '200,200,200,201')
        throw new Unexpected(`four requests with one transaction ID were told ${statuses}`)
    },
  },
  'ask wrongly': {
    weight: 3,
    async do(space) {
      must(await space.ask({ path: synchronization, password: 'wrong' }), 401)
      must(await space.ask({ path: '/mailings?isApproved=maybe' }), 400)
      must(await space.ask({ method: 'POST', path: sendings, body: '{"transactionId":' }), 400)
      must(await space.ask({ path: `${sendings}/nothing-there` }), 404)
      must(await space.ask({ method: 'DELETE', path: synchronization }), 405)
    },
  },
  'leave in the middle of a request': {
    weight: 2,
    async do(space) {
      const { client, name } = space
      const head = client.headOf({ method: 'POST', path: sendings, user: name, length: 100 })
      await client.drop(head.slice(0, 60))
      await client.drop(head)
      await client.drop(`${head}{"transactionId":`)
      await client.drop('')
    },
  },
}
