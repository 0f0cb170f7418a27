import { afterEach, describe, expect, it } from 'vitest'
import { ids, synchronizationsPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { look, wordsOf } from './person.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(...options: Parameters<typeof startTester>): Promise<Tester> {
  const tester = await startTester(...options)
  started.push(tester)
  return tester
}

const mailings = '/spaces/demo/mailings'
const both = `${mailings}/${ids.mailing.both}`

describe('the list of mailings', () => {
  /** Names of the mailings on a page, in its order. */
  const names = (text: string): string[] =>
    [...text.matchAll(/<td class="mailing-name leads">(.*?)<\/td>/gs)].map(([, cell]) => wordsOf(cell!))

  it('the list of mailings has the last modified first, as the service lists them', async () => {
    const tester = await start()
    await tester.post(`${both}/edit`, { name: 'Just renamed' })
    const { json } = await tester.as('demo').get('/mailings')
    const page = await look(tester, mailings)
    expect(names(page.text)).toEqual(json._embedded['svc:mailings'].map((it: { name: string }) => it.name))
    expect(names(page.text)[0]).toBe('Just renamed')
    expect(page.text).toContain(`href="/_mock${both}"`)
  })

  it.each([
    ['name=SPRING', (it: { name: string }) => /spring/i.test(it.name)],
    ['standing=draft', (it: { isApproved: boolean }) => !it.isApproved],
    ['standing=both&name=', (it: { isApproved: boolean; hasDraft: boolean }) => it.isApproved && it.hasDraft],
  ])('%s shows some', async (query, holds) => {
    const tester = await start()
    const { json } = await tester.as('demo').get('/mailings')
    const expected = json._embedded['svc:mailings'].filter(holds).map((it: { name: string }) => it.name)
    expect(expected.length).toBeGreaterThan(1)
    expect(names((await look(tester, `${mailings}?${query}`)).text)).toEqual(expected)
  })

  it('the list of mailings comes in pages of fifty, each mailing on one of them, with the filter kept', async () => {
    const tester = await start()
    for (let n = 0; n < 120; n++)
      await tester
        .as('demo')
        .post(synchronizationsPath, { customer: 'harbour-group', listId: 1001, mailingName: `Many ${n}` })
    const seen: string[] = []
    let address: string | undefined = `${mailings}?name=many`
    while (address) {
      const { text } = await look(tester, address)
      expect(names(text).length).toBeLessThanOrEqual(50)
      seen.push(...names(text))
      address = /href="\/_mock([^"]*)"[^>]*>Older/.exec(text)?.[1]?.replaceAll('&amp;', '&')
    }
    expect(seen).toHaveLength(120)
    expect(new Set(seen).size).toBe(120)
    expect(wordsOf((await look(tester, `${mailings}?page=999`)).text)).toContain('Page 3 of 3')
  })

  it('a mailing with a name of blanks has a link and a heading', async () => {
    const tester = await start()
    const made = { customer: 'harbour-group', listId: 1001, mailingName: '   ' }
    const { json } = await tester.as('demo').post(synchronizationsPath, made)
    expect(names((await look(tester, mailings)).text)[0]).toBe('(no name)')
    const { text } = await look(tester, `${mailings}/${json.mailingId}`)
    expect(text).toContain('<h1>(no name)</h1>')
    expect(text).toMatch(/<input id="name" name="name" value=" {3}"/)
  })

  it('the list of mailings says what to do where there is none', async () => {
    const tester = await start()
    expect(wordsOf((await look(tester, `${mailings}?name=nothing+like+it`)).text)).toContain(
      'No mailing is like that Show all',
    )
    const { json } = await tester.get('/spaces/demo/snapshot')
    const none = [
      'mailings',
      'synchronizations',
      'mailingUploads',
      'sendings',
      'platformMailings',
      'platformSendings',
      'testSynchronizations',
    ]
    await tester.put('/spaces/demo+none', {
      fixture: { ...json, settings: [], ...Object.fromEntries(none.map(it => [it, []])) },
    })
    expect(wordsOf((await look(tester, '/spaces/demo+none/mailings')).text)).toContain(
      'There are no mailings in this space',
    )
  })

  it.each([
    ['page=0', 'expected the number of a page'],
    ['standing=other', '"other" is not possible'],
  ])('%s is told in words', async (query, words) => {
    const page = await look(await start(), `${mailings}?${query}`)
    expect(page.status).toBe(400)
    expect(wordsOf(page.text)).toContain(words)
  })
})
