import { type Entry, reading } from '../check.ts'
import { isRefused, isSuccess } from '../exchange.ts'
import { isId, isObject, linkOf, member, shown, text } from '../hal.ts'
import { as, differs, holds, untestable } from '../outcome.ts'
import type { Sighting } from '../sightings.ts'
import { unknownId, type World } from '../world.ts'
import { byId } from './by-id.ts'
import { isCollectionOf } from './collections.ts'
import { misled } from './self-links.ts'

/** Sections 4.5 to 4.11, as far as they read: synchronizations and what belongs to them. */
export const readSynchronizations: readonly Entry[] = [
  reading('4.5', 'GET on synchronizations', async world => {
    for (const id of await world.chosen()) {
      const { exchange } = await world.synchronization(id)
      if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    }
    return holds()
  }),
  byId('4.5 id', 'synchronization', async world => ({
    ids: await world.chosen(),
    path: id => world.synchronizationPath(id),
  })),
  reading('4.6', 'GET on the mailing-synchronizations', async world => {
    const { exchange } = await world.synchronizations()
    return exchange.status === 200 ? holds() : differs('200', `${exchange.status}`, exchange)
  }),
  reading('4.7', 'GET on previews', async world => {
    for (const id of (await world.chosen()).slice(0, 5)) {
      const answer = await world.preview(id)
      if (answer.status !== 200) return differs('200', `${answer.status}`, answer)
      if (!isObject(answer.json)) return differs('a preview', shown(answer.text), answer)
    }
    return holds()
  }),
  unknown('4.7 id', '/preview'),
  reading('4.7 kind', 'a preview without kind, and one with kind=latest', async world => {
    const [id] = await world.chosen()
    const [usual, latest] = [await world.preview(id!), await world.preview(id!, '?kind=latest')]
    if (!isSuccess(latest)) return differs('200', `${latest.status}`, latest)
    const [one, other] = [usual, latest].map(it => shown(member(it.json, 'subject')))
    return one === other ? holds() : differs(`the latest, with subject ${other}`, one!, usual, latest)
  }),
  reading('4.7 testProfileId', 'previews with a test profile', async world => {
    let seen = 0
    for (const id of (await world.chosen()).slice(0, 8)) {
      const { items } = await world.profiles(id)
      const profile = member(items[0], 'id')
      if (!isId(profile)) continue
      seen++
      const personal = await world.preview(id, `?testProfileId=${profile}`)
      if (!isSuccess(personal)) return differs('200', `${personal.status}`, personal)
      if (personal.text !== (await world.preview(id)).text) return holds()
    }
    return seen === 0
      ? untestable('there is no test profile')
      : untestable('no preview here changes with its test profile')
  }),
  ...(['test-profiles', 'test-mail-groups'] as const).flatMap((name, at) => {
    const section = `4.${8 + at}`
    const listing = name === 'test-profiles' ? 'profiles' : 'groups'
    return [
      reading(section, `GET on the ${name}`, async world => {
        const [id] = await world.chosen()
        const { exchange } = await world[listing](id!)
        if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
        return isCollectionOf(exchange, name)
      }),
      unknown(`${section} id`, `/${name}`),
      reading(`${section} spelling`, `${name} below mailing-sychronizations`, async world => {
        const [id] = await world.chosen()
        const answer = await world.get(world.integration(`/mailing-sychronizations/${id}/${name}`))
        return isSuccess(answer) ? holds() : differs('200', `${answer.status}`, answer)
      }),
    ]
  }),
  reading('4.11', 'GET on mailing-uploads', async world => {
    const [one] = uploadsOf(world)
    if (!one) return untestable('nothing has been uploaded yet')
    const answer = await world.upload(one.synchronization!, String(member(one.value, 'id')))
    return answer.status === 200 ? holds() : differs('200', `${answer.status}`, answer)
  }),
  reading('4.11 syncId', 'a mailing-upload asked for under another synchronization', async world => {
    const [one] = uploadsOf(world)
    const other = (await world.chosen()).find(id => id !== one?.synchronization)
    if (!one || other === undefined) return untestable('nothing has been uploaded yet')
    const id = String(member(one.value, 'id'))
    const answer = await world.get(world.synchronizationPath(other, `/mailing-uploads/${id}`))
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  }),
  byId('4.11 id', 'mailing-upload', async world => {
    const [one] = uploadsOf(world)
    const [some] = await world.chosen()
    const synchronization = one?.synchronization ?? some!
    const ids = one ? [String(member(one.value, 'id'))] : []
    return { ids, path: id => world.synchronizationPath(synchronization, `/mailing-uploads/${id}`) }
  }),
  reading('4.11 latest', 'the mailing-upload latest', async world => {
    const latest = world.sightings.of('mailing-upload').filter(it => it.from.url.endsWith('/latest'))
    const all = world.sightings.of('synchronization').filter(it => !it.isItem)
    for (const { value, from, synchronization } of latest) {
      const of = all.find(it => text(it.value, 'id') === synchronization && it.from.number < from.number)
      const date = text(of?.value, 'mailingUploadsModificationDate')
      const told = text(value, 'modificationDate')
      if (of && date !== undefined && told !== undefined && Date.parse(told) < Date.parse(date))
        return differs(`the one that changed last, at ${date}`, `one that changed at ${told}`, of.from, from)
    }
    const wanting = all.find(
      it =>
        text(it.value, 'id') !== undefined &&
        text(it.value, 'mailingUploadsModificationDate') !== undefined &&
        !latest.some(({ synchronization }) => synchronization === text(it.value, 'id')),
    )
    if (wanting) {
      const answer = await world.upload(text(wanting.value, 'id')!, 'latest')
      return isSuccess(answer) ? holds() : differs('the latest mailing-upload', `${answer.status}`, answer)
    }
    return latest.length === 0 ? untestable('nothing has been uploaded yet') : holds()
  }),
  reading('S preview self', 'the self link of previews', async world => {
    const all = world.sightings.of('preview')
    for (const { value, from } of all) {
      const href = linkOf(value, 'self')?.href ?? ''
      // What is no template at all is told by 2.6, what leads elsewhere by 2 self.
      if (!href.includes('{') || href.endsWith('/preview{?testProfileId,kind}')) continue
      if ((await misled(world)).some(it => it.href === href)) return as('2 self')
      return differs('…/preview{?testProfileId,kind}', href, from)
    }
    return all.length === 0 ? untestable('there is no preview here') : holds()
  }),
]

/** Mailing-uploads that can be asked for by their IDs. */
const uploadsOf = (world: World): Sighting[] =>
  world.sightings
    .of('mailing-upload')
    .filter(it => it.synchronization !== undefined && text(it.value, 'id') !== undefined)

function unknown(clause: string, rest: string) {
  return reading(clause, `${rest.slice(1)} of an unknown synchronization`, async world => {
    const answer = await world.get(world.synchronizationPath(unknownId, rest))
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  })
}
