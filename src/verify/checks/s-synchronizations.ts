import { type Entry, outside, reading } from '../check.ts'
import { type Exchange, isSuccess } from '../exchange.ts'
import { hrefOf, linkOf, member, shown, text } from '../hal.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import { entriesOf, unknownId, type World } from '../world.ts'
import { isCollectionOf } from './collections.ts'
import { asStale } from './s-pagination.ts'

/** Beyond the document: listing synchronizations. */
export const listSynchronizations: readonly Entry[] = [
  reading('S list synchronizations', 'the collection, and its entries alone', async world => {
    const { exchange, items } = await world.synchronizations()
    if (!isSuccess(exchange)) return untestable(`listing is answered ${exchange.status}, as 4.6 tells`)
    const shape = isCollectionOf(exchange, 'mailing-synchronizations')
    if (shape.is !== 'holds') return shape
    for (const id of (await world.chosen()).slice(0, 3)) {
      const alone = await world.synchronization(id)
      const item = items.find(it => String(member(it, 'id')) === id)
      const names = ['mailingId', 'creationDate'] as const
      const other = names.find(name => shown(member(item, name)) !== shown(member(alone.value, name)))
      if (other && isSuccess(alone.exchange))
        return differs(
          `${other} ${shown(member(alone.value, other))}, as alone`,
          shown(member(item, other)),
          exchange,
          alone.exchange,
        )
    }
    return holds()
  }),
  reading('S list synchronizations filters', 'synchronizations by mailing and by flags', filters),
  reading('S list synchronizations sort', 'synchronizations with sortBy and order', async world => {
    const path = world.synchronizationsPath()
    for (const name of ['creationDate', 'modificationDate', 'mailingName'])
      for (const order of ['asc', 'desc']) {
        const answer = await world.get(`${path}?sortBy=${name}&order=${order}`)
        if (!isSuccess(answer)) return differs('200', `${answer.status}`, answer)
        const all = entriesOf(answer.json, 'mailing-synchronizations').map(it => member(it, name))
        // How texts are compared (by code, by language) nobody tells.
        if (name === 'mailingName') continue
        const times = all.map(it => Date.parse(String(it)))
        const at = times.findIndex(
          (it, n) => n > 0 && (order === 'asc' ? it < times[n - 1]! : it > times[n - 1]!),
        )
        if (at >= 0)
          return differs(`${name} ${order}`, `${shown(all[at - 1])} before ${shown(all[at])}`, answer)
      }
    return holds()
  }),
  reading('S list synchronizations pageSize', 'synchronizations with pageSize=1', async world => {
    const answer = await world.get(`${world.synchronizationsPath()}?pageSize=1`)
    const { length } = entriesOf(answer.json, 'mailing-synchronizations')
    return isSuccess(answer) && length <= 1
      ? holds()
      : differs('a page of 1', `${answer.status}, ${length} entries`, answer)
  }),
  reading('S sorted modifications', 'sortBy with syncModifications', async world => {
    const answer = await world.get(
      `${world.synchronizationsPath()}?syncModifications=true&sortBy=creationDate`,
    )
    if (answer.status === 422) return as('S no 422')
    return answer.status === 400 ? holds() : differs('400', `${answer.status}`, answer)
  }),
  reading('S incremental sync', 'synchronizations with syncModifications=true', async world => {
    const { first, pages } = await upcoming(world)
    if (!isSuccess(first)) return differs('200', `${first.status}`, first)
    const last = pages.at(-1)!
    return linkOf(last.json, 'upcoming-modifications')
      ? holds()
      : differs('a link upcoming-modifications on the last page', 'none', last)
  }),
  reading('S incremental sync pages', 'links of the pages of a full synchronization', async world => {
    const { pages } = await upcoming(world)
    const both = pages.find(({ json }) => linkOf(json, 'next') && linkOf(json, 'upcoming-modifications'))
    return both ? differs('next or upcoming-modifications', 'both', both) : holds()
  }),
  reading('S incremental sync token', 'the link upcoming-modifications, followed', async world => {
    const { pages } = await upcoming(world)
    const href = hrefOf(pages.at(-1)!.json, 'upcoming-modifications')
    if (href === undefined) return untestable('there is no such link, as S incremental sync tells')
    if (!/[?&]syncToken=./.test(href)) return differs('a syncToken', href, pages.at(-1))
    const answer = await world.get(href)
    if (!isSuccess(answer)) return differs('200', `${answer.status}`, answer)
    const { length } = entriesOf(answer.json, 'mailing-synchronizations')
    const { items } = await world.synchronizations()
    if (items.length > 3 && length >= items.length)
      return differs('what changed since', `all ${length} synchronizations`, answer)
    const isOver = linkOf(answer.json, 'next') ?? linkOf(answer.json, 'upcoming-modifications')
    return isOver ? holds() : differs('a new link upcoming-modifications', 'none', answer)
  }),
  reading('S sync token', 'a made-up syncToken', async world => {
    const answer = await world.get(`${world.synchronizationsPath()}?syncModifications=true&syncToken=made-up`)
    return asStale(world, answer)
  }),
  outside('S sync token expiry', 'it would take waiting longer than anybody waits for a verification'),
]

/** Follows a full synchronization to its end, or to the twentieth page. */
const upcoming = (world: World): Promise<{ first: Exchange; pages: Exchange[] }> =>
  world.once('upcoming', async () => {
    const first = await world.get(`${world.synchronizationsPath()}?syncModifications=true`)
    const pages = [first]
    for (let next = hrefOf(first.json, 'next'); next !== undefined && pages.length < 20; ) {
      const page = await world.get(next)
      pages.push(page)
      next = hrefOf(page.json, 'next')
    }
    return { first, pages }
  })

async function filters(world: World): Promise<Outcome> {
  const { items, next } = await world.synchronizations()
  const mailing = text(items[0], 'mailingId')
  // A flag in another form, or one that 3/3 tells of, says nothing of its filter.
  const isUsable = (flag: string) =>
    items.every(it => typeof member(it, flag) === 'boolean') &&
    (flag !== 'readyForSending' ||
      items.every(it => member(it, flag) === false || member(it, 'mailingIsApproved') !== false))
  const flags = ['readyForSending', 'mailingHasDraft', 'mailingIsApproved'].filter(isUsable)
  const asked: [string, (it: unknown) => boolean][] = flags.flatMap(flag =>
    ['true', 'false'].map((value): [string, (it: unknown) => boolean] => [
      `${flag}=${value}`,
      it => String(member(it, flag)) === value,
    ]),
  )
  if (mailing !== undefined)
    asked.push([`mailingId=${mailing},${unknownId}`, it => member(it, 'mailingId') === mailing])
  for (const [query, isWanted] of asked) {
    const answer = await world.get(`${world.synchronizationsPath()}?${query}`)
    if (!isSuccess(answer)) return differs(`200 for ${query}`, `${answer.status}`, answer)
    const found = entriesOf(answer.json, 'mailing-synchronizations')
    const other = found.find(it => !isWanted(it))
    if (other !== undefined)
      return differs(`only ${query}`, `synchronization ${shown(member(other, 'id'))}`, answer)
    const ids = found.map(it => member(it, 'id'))
    const missing = items.find(
      it => isWanted(it) && text(it, 'id') !== undefined && !ids.includes(text(it, 'id')),
    )
    if (missing !== undefined && next === undefined)
      return differs(`all with ${query}`, `not synchronization ${member(missing, 'id')}`, answer)
  }
  return items.length === 0 ? untestable('there is no mailing synchronization') : holds()
}
