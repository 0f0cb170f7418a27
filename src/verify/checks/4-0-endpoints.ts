import { type Entry, reading, writing } from '../check.ts'
import { isSuccess } from '../exchange.ts'
import { text } from '../hal.ts'
import { differs, holds } from '../outcome.ts'
import type { World } from '../world.ts'

/** Section 4: what holds for every operation. */
export const endpoints: readonly Entry[] = [
  reading('4 authentication', 'every address that can be read, without credentials', async world => {
    for (const address of await readable(world)) {
      const answer = await world.target.get(address, { as: 'nobody' })
      if (isSuccess(answer)) return differs('no answer without credentials', `${answer.status}`, answer)
    }
    return holds()
  }),
  writing('4 content type', 'a body as application/hal+json', async workshop => {
    const { exchange } = await workshop.ready()
    return isSuccess(exchange) ? holds() : differs('a success', `${exchange.status}`, exchange)
  }),
]

/** An address of every operation that reads, as far as there is something to read. */
async function readable(world: World): Promise<string[]> {
  const addresses = ['/mailings', world.synchronizationsPath(), world.customersPath()]
  const { items } = await world.mailings()
  const mailing = text(items[0], 'id')
  if (mailing !== undefined) addresses.push(`/mailings/${mailing}`)
  const [synchronization] = await world.chosen().catch(() => [])
  if (synchronization !== undefined)
    for (const rest of [
      '',
      '/sendings',
      '/preview',
      '/test-profiles',
      '/test-mail-groups',
      '/mailing-uploads/latest',
    ])
      addresses.push(world.synchronizationPath(synchronization, rest))
  const [sending] = world.sightings.of('sending').filter(it => it.synchronization !== undefined)
  const id = text(sending?.value, 'id')
  if (sending && id !== undefined)
    for (const rest of ['', '/statistics'])
      addresses.push(world.synchronizationPath(sending.synchronization!, `/sendings/${id}${rest}`))
  const [customer] = await world.customerNames()
  if (customer !== undefined)
    addresses.push(
      world.customerPath(customer),
      world.customerPath(customer, '/lists'),
      world.configurationPath(customer),
    )
  return addresses
}
