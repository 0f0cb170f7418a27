import { type Entry, reading, writing } from '../check.ts'
import { isSuccess } from '../exchange.ts'
import { isObject, linksOf, member, text } from '../hal.ts'
import { as, differs, holds, untestable } from '../outcome.ts'
import { unknownId, type World } from '../world.ts'
import { nothingSeen } from './fields.ts'
import { oddLinks } from './self-links.ts'
import { serviceLinks } from './service-links.ts'

/** Beyond the document: addresses, links and curies. */
export const links: readonly Entry[] = [
  reading('S addressing', 'paths of links', async world => {
    const links = serviceLinks(world)
    const { first, isToldAsSelf } = await oddLinks(world, 'S addressing')
    if (first) return differs('a path of the document behind the base address', first.href, first.from)
    if (isToldAsSelf) return as('2 self')
    return links.length === 0 ? nothingSeen('link') : holds()
  }),
  reading('S host', 'what links start with', world => {
    const { base } = world.target
    const bases = new Set(
      serviceLinks(world)
        .map(it => it.base)
        .filter(it => it !== undefined),
    )
    const [only] = bases
    // Several bases are told by 2 addresses.
    if (only === undefined || bases.size > 1 || only === base) return holds()
    const { from } = serviceLinks(world)[0]!
    return {
      is: 'set',
      setting: 'publicUrl',
      value: only,
      expected: `links that start with ${base}, as the request did`,
      seen: `links that start with ${only}`,
      evidence: [from],
    }
  }),
  reading('S links', 'the form of links to the service', world => {
    const links = serviceLinks(world)
    const paths = links.filter(it => it.base === undefined)
    const [first] = paths
    if (links.length === 0) return nothingSeen('link')
    if (first && paths.length < links.length) return differs('absolute addresses', first.href, first.from)
    const value = first ? 'path' : 'absolute'
    const { href, from } = first ?? links[0]!
    return {
      is: 'observed',
      dial: 'links-form',
      value,
      expected: 'absolute addresses',
      seen: href,
      evidence: [from],
    }
  }),
  writing('S Location', 'the Location of a sending', async (workshop, world) => {
    const { exchange } = await workshop.first()
    const { location } = exchange.headers
    if (location === undefined) return untestable('there is no Location, as 4.1/4 tells')
    const isPath = location.startsWith('/')
    if (!isPath && !location.startsWith(world.target.base) && limitOfHosts(world, location))
      return differs('an address of the service', location, exchange)
    return {
      is: 'observed',
      dial: 'location-form',
      value: isPath ? 'path' : 'absolute',
      expected: 'an absolute address',
      seen: location,
      evidence: [exchange],
    }
  }),
  reading('S trailing slash', 'addresses with a slash at their end', async world => {
    const [id] = await world.chosen().catch(() => [unknownId])
    const taken = [
      `${world.synchronizationsPath()}/`,
      `${world.customersPath()}/`,
      ...(id === unknownId
        ? []
        : ['/test-profiles/', '/preview/'].map(it => world.synchronizationPath(id!, it))),
    ]
    for (const address of taken) {
      const answer = await world.get(address)
      if (!isSuccess(answer)) return differs(`200 for ${address}`, `${answer.status}`, answer)
    }
    const other = await world.get('/mailings/')
    return isSuccess(other) ? differs('404 for /mailings/', `${other.status}`, other) : holds()
  }),
  reading('S curies', 'curies of documents with prefixed relations', world => {
    for (const document of world.sightings.documents) {
      const links = linksOf(document.json)
      const isCollection = isObject(member(document.json, '_embedded'))
      const isPrefixed = Object.keys(links).some(name => name.includes(':'))
      if ((!isCollection && !isPrefixed) || !isObject(member(document.json, '_links'))) continue
      if (links.curies === undefined) return differs('curies', 'none', document)
      const [first] = Array.isArray(links.curies) ? links.curies : []
      const href = text(first, 'href')
      // What a curie has to be at all is told by 2 curies.
      if (href?.includes('{rel}') && !href.endsWith('/relations/{rel}'))
        return differs('…/relations/{rel}', href, document)
    }
    return holds()
  }),
  reading('S no curies', 'curies of previews, customers, lists and configurations', world => {
    const kinds = ['preview', 'customer', 'list', 'configuration'] as const
    const all = kinds.flatMap(kind => world.sightings.of(kind)).filter(it => !it.isItem)
    if (all.length === 0) return nothingSeen('such resource')
    const some = all.find(it => linksOf(it.value).curies !== undefined)
    const isEverywhere = all.every(it => linksOf(it.value).curies !== undefined)
    if (some && !isEverywhere) return differs('no curies', 'curies in some', some.from)
    return {
      is: 'observed',
      dial: 'curies',
      value: some ? 'everywhere' : 'where-used',
      expected: 'no curies',
      seen: some ? 'curies in all of them' : 'none',
      evidence: [(some ?? all[0]!).from],
    }
  }),
]

/** Everywhere at another host: then S host tells. */
const limitOfHosts = (world: World, location: string): boolean =>
  !serviceLinks(world).some(it => it.base !== undefined && location.startsWith(it.base))
