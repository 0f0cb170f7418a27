import { isSuccess } from './exchange.ts'
import { hrefOf, isId, member, text } from './hal.ts'
import type { World } from './world.ts'

/**
 * Walks through what is there, read-only and by its links, so that every check of a field finds resources to look at.
 */
export async function survey(world: World): Promise<void> {
  await surveyMailings(world)
  await world.synchronizations()
  for (const id of await world.chosen().catch(() => [])) await surveySynchronization(world, id)
  await surveyCustomers(world)
}

async function surveyMailings(world: World): Promise<void> {
  const { items } = await world.mailings()
  const kindOf = (it: unknown) => `${member(it, 'isApproved')} ${member(it, 'hasDraft')}`
  const ofEachKind = items.filter((it, at) => items.findIndex(other => kindOf(other) === kindOf(it)) === at)
  for (const item of ofEachKind.slice(0, 4)) {
    const address = hrefOf(item, 'self') ?? `/mailings/${member(item, 'id')}`
    await world.see('mailing', address)
  }
}

async function surveySynchronization(world: World, id: string): Promise<void> {
  const { value } = await world.synchronization(id)
  if (member(value, 'sendingsModificationDate')) await surveySendings(world, id)
  if (member(value, 'mailingUploadsModificationDate')) {
    const latest = await world.upload(id, 'latest')
    const upload = text(latest.json, 'id')
    if (upload !== undefined) await world.upload(id, upload)
  }
  await world.preview(id)
  await world.profiles(id)
  await world.groups(id)
}

async function surveySendings(world: World, id: string): Promise<void> {
  await world.sendings(id)
  const { items } = await world.sendings(id, '?includeAllStates=true')
  for (const item of items.slice(0, 3)) {
    const sending = text(item, 'id')
    if (sending === undefined) continue
    await world.sending(id, sending)
    await world.statistics(id, sending)
  }
}

async function surveyCustomers(world: World): Promise<void> {
  for (const name of await world.customerNames()) {
    await world.see('customer', world.customerPath(name))
    const { items } = await world.lists(name)
    const [first] = items
    const id = member(first, 'id')
    if (isId(id) || hrefOf(first, 'self') !== undefined)
      await world.see('list', hrefOf(first, 'self') ?? world.customerPath(name, `/lists/${id}`))
    const configuration = await world.get(world.configurationPath(name))
    if (isSuccess(configuration)) await world.configuration(name)
  }
}
