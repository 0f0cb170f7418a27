import { type Entry, outside, reading } from '../check.ts'
import { type Exchange, isSuccess } from '../exchange.ts'
import { bare, hrefOf, linksOf, member, shown } from '../hal.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import { entriesOf, type World } from '../world.ts'

/** Beyond the document: pages of collections. */
export const pagination: readonly Entry[] = [
  reading('S pagination', 'customers, lists, profiles and groups with pageSize=1', async world => {
    const addresses = [world.customersPath()]
    for (const name of (await world.customerNames()).slice(0, 2))
      addresses.push(world.customerPath(name, '/lists'))
    const [id] = await world.chosen().catch(() => [])
    if (id !== undefined)
      for (const rest of ['/test-profiles', '/test-mail-groups'])
        addresses.push(world.synchronizationPath(id, rest))
    for (const address of addresses) {
      const answer = await world.get(`${address}?pageSize=1`)
      const { length } = entriesOf(answer.json, '')
      if (!isSuccess(answer) || length > 1)
        return differs('a page of 1', `${answer.status}, ${length} entries`, answer)
    }
    return holds()
  }),
  reading('S pagination next', 'next links of pages of mailings, to their end', async world => {
    const whole = await world.target.get('/mailings')
    const [items, next] = [entriesOf(whole.json, 'mailings'), hrefOf(whole.json, 'next')]
    if (items.length < 2) return untestable('there are fewer than two mailings')
    const size = Math.max(1, Math.ceil(items.length / 4))
    const seen: unknown[] = []
    let page = await world.get(`/mailings?pageSize=${size}`)
    for (let pages = 0; pages < 6; pages++) {
      const entries = entriesOf(page.json, 'mailings')
      seen.push(...entries.map(it => member(it, 'id')))
      const further = hrefOf(page.json, 'next')
      const isWhole = seen.length >= items.length
      if (further === undefined)
        return isWhole
          ? holds()
          : differs(`${items.length} mailings in all`, `no next link after ${seen.length}`, page)
      if (isWhole && next === undefined) return differs('no next link on the last page', further, page)
      if (entries.length === 0) return differs('no next link to an empty page', further, page)
      page = await world.get(further)
      if (!isSuccess(page)) return differs('a next link that resolves', `${page.status}`, page)
    }
    return holds()
  }),
  reading('S pagination links', 'links and members of collections', world => {
    for (const document of world.sightings.documents) {
      const relations = Object.keys(linksOf(document.json)).map(bare)
      const link = relations.find(it => ['first', 'last', 'prev', 'previous'].includes(it))
      if (link !== undefined) return differs('no such link', link, document)
      const total = totals.find(name => member(document.json, name) !== undefined)
      if (total !== undefined && member(document.json, '_embedded') !== undefined)
        return differs('no totals', total, document)
    }
    return holds()
  }),
  reading('S cursor', 'the query of next links', async world => {
    const page = await world.get('/mailings?pageSize=1&isApproved=true')
    const next = hrefOf(page.json, 'next')
    if (next === undefined) return untestable('there are fewer than two approved mailings')
    const { searchParams } = new URL(world.target.resolve(next))
    const names = [...searchParams.keys()]
    if (names.length !== 1 || names[0] !== 'cursor') return differs('cursor alone', names.join(', '), page)
    const further = await world.get(next)
    const entries = entriesOf(further.json, 'mailings')
    const isRight = entries.length === 1 && String(member(entries[0], 'isApproved')) === 'true'
    return isRight
      ? holds()
      : differs(
          'one approved mailing, as the first page',
          `${further.status}, ${entries.length} entries`,
          page,
          further,
        )
  }),
  outside('S cursor expiry', 'it would take waiting longer than anybody waits for a verification'),
  reading('S foreign cursor', 'the cursor of another collection', async world => {
    const page = await world.get('/mailings?pageSize=1')
    const next = hrefOf(page.json, 'next')
    const cursor = next === undefined ? null : new URL(world.target.resolve(next)).searchParams.get('cursor')
    if (cursor === null) return untestable('there are fewer than two mailings')
    const answer = await world.get(`${world.customersPath()}?cursor=${encodeURIComponent(cursor)}`)
    return asStale(world, answer)
  }),
  reading('S default order', 'creationDate of the synchronizations, in their order', async world => {
    const { exchange, items } = await world.synchronizations()
    return ordered(items, [exchange], 'synchronizations')
  }),
  reading('S page size', 'pageSize of customers below, at and beyond the limit', async world => {
    const statusOf = async (size: number) => world.get(`${world.customersPath()}?pageSize=${size}`)
    const none = await statusOf(0)
    if (isSuccess(none)) return differs('400 for pageSize 0', `${none.status}`, none)
    const sizes = [100, 101, 1000, 1001, 10_000, 10_001]
    const answers: Exchange[] = []
    for (const size of sizes) answers.push(await statusOf(size))
    const taken = sizes.filter((_, at) => isSuccess(answers[at]!))
    const values: Record<string, string> = { 100: '100', 1000: '1000', 10000: '10000', 10001: 'capped' }
    const most = taken.at(-1)
    const value = values[String(most)]
    const seen = most === undefined ? 'none of them' : value === 'capped' ? 'any' : `up to ${most}`
    const isSeries = taken.length === sizes.filter(size => size <= (most ?? 0)).length
    if (value === undefined || !isSeries) return differs('up to 1000', taken.join(', ') || 'none', ...answers)
    return { is: 'observed', dial: 'page-size-limit', value, expected: 'up to 1000', seen, evidence: answers }
  }),
]

const totals = ['total', 'totalCount', 'totalElements', 'totalPages', 'count', 'page', 'size']

/** What is refused as stale is refused as the made-up cursor of `S 410` is. */
export async function asStale(world: World, answer: Parameters<typeof differs>[2]): Promise<Outcome> {
  const usual = await world.get('/mailings?cursor=made-up')
  const { status } = answer!
  if (status === usual.status) return as('S 410')
  return differs('410', `${status}`, answer)
}

/** Whether entries come in the order of their creation, the oldest first or the newest. */
export function ordered(
  items: readonly unknown[],
  evidence: readonly NonNullable<Parameters<typeof differs>[2]>[],
  what: string,
): Outcome {
  const dates = items.map(it => Date.parse(String(member(it, 'creationDate')))).filter(Number.isFinite)
  const isUp = dates.every((date, at) => at === 0 || date >= dates[at - 1]!)
  const isDown = dates.every((date, at) => at === 0 || date <= dates[at - 1]!)
  if (new Set(dates).size < 2) return untestable(`there are not two ${what} of different dates`)
  if (!isUp && !isDown)
    return differs('the order of their creation', `another: ${shown(dates.length)} ${what}`, ...evidence)
  return {
    is: 'observed',
    dial: 'collection-order',
    value: isUp ? 'oldest-first' : 'newest-first',
    expected: 'the oldest first',
    seen: isUp ? 'the oldest first' : 'the newest first',
    evidence,
  }
}
