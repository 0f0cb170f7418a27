import { type Entry, follows, outside, reading } from '../check.ts'
import { isRefused, isSuccess } from '../exchange.ts'
import { hrefOf, isId, linkOf, member, shown } from '../hal.ts'
import { as, differs, holds, untestable } from '../outcome.ts'
import { unknownId, type World } from '../world.ts'
import { pageRelations } from './service-links.ts'

/** Beyond the document: mailings, previews and lists. */
export const mailingsAndLists: readonly Entry[] = [
  reading('S preview kind', 'previews with kind draft and lastApproved', async world => {
    const both = await versioned(world, true, true)
    const draft = both ?? (await versioned(world, true, false))
    const approved = both ?? (await versioned(world, false, true))
    if (draft === undefined && approved === undefined)
      return untestable('there is no mailing synchronization')
    const asked = [draft && ([draft, 'draft'] as const), approved && ([approved, 'lastApproved'] as const)]
    for (const one of asked) {
      if (!one) continue
      const [id, kind] = one
      const answer = await world.preview(id, `?kind=${kind}`)
      if (!isSuccess(answer)) return differs(`200 for kind=${kind}`, `${answer.status}`, answer)
    }
    if (both === undefined) return holds('no mailing here has both versions')
    const [latest, ofDraft] = [
      await world.preview(both, '?kind=latest'),
      await world.preview(both, '?kind=draft'),
    ]
    const [one, other] = [latest, ofDraft].map(it => shown(member(it.json, 'htmlContent')))
    return !isSuccess(latest) || one === other
      ? holds()
      : differs('the draft as latest', one!, latest, ofDraft)
  }),
  reading('S preview kind missing', 'an unknown kind, and a version that is not there', async world => {
    const [some] = await world.chosen()
    const unknown = await world.get(world.synchronizationPath(some!, '/preview?kind=not-a-kind'))
    const draftless = await versioned(world, false, true)
    const missing =
      draftless === undefined
        ? undefined
        : await world.get(world.synchronizationPath(draftless, '/preview?kind=draft'))
    if (missing && missing.status !== 404)
      return differs('404 for a version that is not there', `${missing.status}`, missing)
    if (unknown.status === 422) return as('S no 422')
    return unknown.status === 400 ? holds() : differs('400 for an unknown kind', `${unknown.status}`, unknown)
  }),
  reading('S preview unknown profile', 'a preview with an unknown test profile', async world => {
    const [id] = await world.chosen()
    const answer = await world.get(world.synchronizationPath(id!, '/preview?testProfileId=999999999'))
    return answer.status === 404 ? holds() : differs('404', `${answer.status}`, answer)
  }),
  follows('S single mailing', '2.1 single'),
  outside('S approval', 'the service has no operation that edits or approves'),
  reading('S versions', 'versions and names of mailings and synchronizations', world => {
    const is = (value: unknown, name: string) => member(value, name) === true
    const items = world.sightings.of('mailing item')
    const neither = items.find(
      it => member(it.value, 'isApproved') === false && member(it.value, 'hasDraft') === false,
    )
    if (neither) return differs('a draft, an approved version or both', 'neither', neither.from)
    const all = world.sightings.of('synchronization')
    for (const { value, from } of all) {
      if (typeof member(value, 'mailingIsApproved') !== 'boolean') continue
      const name = member(value, 'approvedMailingName')
      if (is(value, 'mailingIsApproved') ? name === null : typeof name === 'string')
        return differs('approvedMailingName exactly with an approved version', shown(name), from)
      const isAlone = is(value, 'mailingIsApproved') && member(value, 'mailingHasDraft') === false
      const latest = member(value, 'mailingName')
      if (isAlone && typeof name === 'string' && typeof latest === 'string' && latest !== name)
        return differs(`one name, ${shown(latest)}`, shown(name), from)
    }
    return items.length + all.length === 0 ? untestable('there is no mailing') : holds()
  }),
  outside('S sendings use approved', 'what arrives on the platform shows in no answer'),
  reading('S links that open pages', 'editor and report links, as a browser opens them', async world => {
    const { origin } = new URL(world.target.base)
    const hrefs = (['mailing item', 'sending'] as const).flatMap(kind =>
      world.sightings.of(kind).flatMap(({ value, from }) =>
        pageRelations.flatMap(relation => {
          const href = hrefOf(value, relation)
          return href === undefined ? [] : [{ href, from }]
        }),
      ),
    )
    const odd = hrefs.find(it => !/^https?:\/\//.test(it.href) || !URL.canParse(it.href))
    if (odd) return differs('an address for a browser', odd.href, odd.from)
    // Nobody is asked but the target itself.
    const [first] = hrefs.filter(it => new URL(it.href).origin === origin)
    if (!first) return untestable('pages stand on another host, which is not asked')
    const answer = await world.target.get(first.href, { as: 'nobody', headers: { accept: 'text/html' } })
    return answer.status < 400 ? holds() : differs('a page', `${answer.status}`, answer)
  }),
  reading('S preview links', 'preview links of versions that are not there', world => {
    const all = world.sightings.of('synchronization')
    const versions = [
      ['mailing-preview-draft', 'mailingHasDraft'],
      ['mailing-preview-approved', 'mailingIsApproved'],
    ] as const
    let present = 0
    const wanting = all.flatMap(({ value, from }) =>
      versions.flatMap(([relation, flag]) => {
        if (String(member(value, flag)) !== 'false') return []
        const isThere = linkOf(value, relation) !== undefined
        present += Number(isThere)
        return [{ isThere, from }]
      }),
    )
    const [first] = wanting
    if (!first) return untestable('every mailing has both versions')
    const isAlways = present === wanting.length
    if (present > 0 && !isAlways)
      return differs('no such link', 'a link in some', wanting.find(it => it.isThere)!.from)
    return {
      is: 'observed',
      dial: 'links-to-nothing',
      value: isAlways ? 'present' : 'left-out',
      expected: 'no link to a version that is not there',
      seen: isAlways ? 'links to versions that are not there' : 'none',
      evidence: [first.from],
    }
  }),
  reading('S single list', 'GET on a single list', async world => {
    const [one] = world.sightings.of('list').filter(it => it.isItem)
    const customer = (await world.customerNames())[0]
    const id = member(one?.value, 'id')
    if (!one || customer === undefined || !isId(id)) return untestable('there is no list')
    const answer = await world.get(world.customerPath(customerOf(one.from.url) ?? customer, `/lists/${id}`))
    if (answer.status !== 200) return differs('200', `${answer.status}`, answer)
    const there = member(answer.json, 'id')
    if (there !== id) return differs(`list ${id}`, shown(there), answer)
    if (hrefOf(answer.json, 'self') !== undefined) return holds()
    return hrefOf(one.value, 'self') === undefined
      ? as('2.9 list _links')
      : differs('a self link', 'none', answer)
  }),
  reading('S list self', 'self links of listed lists', async world => {
    const items = world.sightings
      .of('list')
      .filter(
        it => it.isItem && member(it.value, 'id') !== undefined && hrefOf(it.value, 'self') !== undefined,
      )
    for (const { value, from } of items.slice(0, 3)) {
      const href = hrefOf(value, 'self')!
      const answer = await world.get(href)
      if (!isSuccess(answer) || member(answer.json, 'id') !== member(value, 'id'))
        return differs(`list ${shown(member(value, 'id'))}`, `${href}: ${answer.status}`, from, answer)
    }
    return items.length === 0 ? untestable('there is no list') : holds()
  }),
  reading('S showAllLists', 'showAllLists with true, false and another value', async world => {
    const customer = (await world.customerNames())[0] ?? unknownId
    const path = world.customerPath(customer, '/lists')
    for (const value of ['true', 'false']) {
      const answer = await world.get(`${path}?showAllLists=${value}`)
      if (!isSuccess(answer)) return differs(`200 for ${value}`, `${answer.status}`, answer)
    }
    const other = await world.get(`${path}?showAllLists=perhaps`)
    return isRefused(other) ? holds() : differs('a 4xx for perhaps', `${other.status}`, other)
  }),
  follows('S foreign IDs', '4.2 syncId', '4.4 syncId', '4.11 syncId'),
]

/** The customer in whose path something stood. */
const customerOf = (url: string): string | undefined => {
  const name = /\/accessible-customers\/([^/?]+)\/lists/.exec(url)?.[1]
  return name === undefined ? undefined : decodeURIComponent(name)
}

/** A synchronization whose mailing has just these versions. */
async function versioned(world: World, draft: boolean, approved: boolean): Promise<string | undefined> {
  const { items } = await world.synchronizations()
  const known = new Set(await world.chosen())
  const found = items.find(
    it =>
      known.has(String(member(it, 'id'))) &&
      String(member(it, 'mailingHasDraft')) === String(draft) &&
      String(member(it, 'mailingIsApproved')) === String(approved),
  )
  return found === undefined ? undefined : String(member(found, 'id'))
}
