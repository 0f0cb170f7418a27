import { afterAll, describe, expect, it, vi } from 'vitest'
import { createMock } from '../../src/index.ts'
import type { OperationId } from '../../src/service/operations.ts'
import { requestPath } from '../../src/service/request-input.ts'
import { exampleRequest, now, readIds } from '../mock.ts'
import { type HalClient, halHttpClient, ketting, type SeenLink } from './hal-clients.ts'

const mock = await createMock({ now, frozen: true, journal: 5_000 })
const { url } = await mock.listen()
afterAll(() => mock.close())

/** What links lead to: in the document, every other read has to be known. */
const linked: readonly OperationId[] = [
  'getMailingSynchronization',
  'listSendings',
  'getSending',
  'getSendingStatistics',
  'getMailing',
  'getAccessibleCustomer',
  'getCustomerList',
]
const entrances = readIds
  .filter(id => !linked.includes(id))
  .map(id => url + requestPath(exampleRequest(id).target))
/** Synchronizations on which a scenario is always in force: their answers may be wrong on purpose. */
const disturbed = (await mock.control.scenarios()).flatMap(it => it.testSynchronizations.map(({ id }) => id))

const isPage = (href: string) => href.startsWith(`${url}/_mock/`)

/** Goes wherever links lead, and gives where it was. @throws what the client throws where it cannot go on */
async function crawl(client: HalClient) {
  const resources = new Set(entrances)
  const pages = new Set<string>()
  const elsewhere = new Set<string>()
  const relations = new Set<string>()
  const curies: SeenLink[] = []
  for (const resource of resources) {
    const links = await client(resource)
    for (const { rel } of links.filter(it => it.rel.includes(':'))) relations.add(rel.split(':')[1]!)
    for (const link of links) {
      const { rel, href } = link
      if (href === undefined && rel === 'curies') curies.push(link)
      else if (href === undefined) {
        resources.add(await link.expand({}))
        resources.add(await link.expand({ testProfileId: '7001', kind: 'lastApproved' }))
      } else if (isPage(href)) pages.add(href)
      else if (!href.startsWith(`${url}/`)) elsewhere.add(href)
      // The latest mailing-upload is linked before there is one.
      else if (!disturbed.some(id => href.includes(id)) && !href.endsWith('/mailing-uploads/latest'))
        resources.add(href)
    }
  }
  for (const rel of relations) pages.add(await curies[0]!.expand({ rel }))
  return { resources, pages, elsewhere, relations }
}

// Ketting says that it leaves embedded things without a link of their own to whoever wants them; test profiles are so.
vi.spyOn(console, 'warn').mockImplementation(() => {})

describe.each([
  ['ketting', ketting],
  ['hal-http-client', halHttpClient],
])('%s, knowing where the document begins', (_, client) => {
  it('finds every link to resolve and every template to expand, and everything that can be read', async () => {
    const space = await mock.privateSpace()
    const found = await crawl(client(url, space))

    for (const page of found.pages) {
      const answer = await fetch(page, { headers: { Accept: 'text/html' } })
      expect([page, answer.status]).toEqual([page, 200])
      await answer.body?.cancel()
    }
    expect([...found.elsewhere].filter(href => !href.startsWith('https://help.example/'))).toEqual([])
    expect(found.resources.size).toBeGreaterThan(80)
    expect(found.relations).toContain('sendings')

    const read = new Set((await space.requests({ status: 200 })).map(it => it.operation))
    expect(readIds.filter(id => !read.has(id))).toEqual([])
    expect((await space.requests()).filter(it => it.told?.status !== 200)).toEqual([])
  })
})
