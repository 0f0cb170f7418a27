import { afterEach, describe, expect, it } from 'vitest'
import { testSynchronizationId } from '../../src/contract/examples/fixture-ids.ts'
import { dialNames } from '../../src/service/dials.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { ids } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, look, wordsOf } from './person.ts'

let tester: Tester
afterEach(() => tester.close())

const pageOf = (space = 'demo') => look(tester, `/spaces/${encodeURIComponent(space)}/data`)
const words = async (space?: string) => wordsOf((await pageOf(space)).text)
const connect = (space = 'demo') => look(tester, `/spaces/${encodeURIComponent(space)}/connect`)
const dial = async (name: string) =>
  wordsOf(
    from(await pageOf(), `dial-${name}`)
      .split('</li>')[0]!
      .replace(/^[^>]*>/, ''),
  )

describe('the connection settings', () => {
  it('the connection settings are those of the space, as facts, as environment and as a curl line', async () => {
    tester = await startTester()
    const shown = wordsOf((await connect()).text)
    expect(shown).toMatch(/Base URL http:\/\/localhost User demo password demo may read and write/)
    expect(shown).toContain('User demo-viewer password demo may read')
    expect(shown).toContain(
      `export MAILING_SYNC_URL=http://localhost export MAILING_SYNC_USER=demo export MAILING_SYNC_PASSWORD=demo export MAILING_SYNC_SYNCHRONIZATION_ID=${ids.ready}`,
    )
    expect(shown).toContain(
      'Tests with a kit for pytest, JUnit or PHPUnit need none of them: they start a mock of their own. To let them use this one, set MAILING_SYNC_URL to the base URL above.',
    )
    expect(shown).toMatch(/curl -u demo:demo -H .* http:\/\/localhost\/integrations\/\S+\/sendings/)
  })

  it('the connection settings come with a first sending in each language, whole and apart', async () => {
    tester = await startTester()
    const { text } = await connect()
    const programs = [...text.matchAll(/<summary>([^<]+)<\/summary>.*?<code>(.*?)<\/code>/gs)]
    expect(programs.map(([, language]) => language)).toEqual(['Node.js', 'Python', 'Java', 'PHP'])
    for (const [, language, program] of programs) {
      expect(program, language).toContain('MAILING_SYNC_SYNCHRONIZATION_ID')
      expect(program, language).not.toContain('```')
    }
  })

  it('name the user of a private space, and tell of which space it is one', async () => {
    tester = await startTester()
    await tester.put('/spaces/demo%2Bmy%20test')
    const shown = wordsOf((await connect('demo+my test')).text)
    expect(shown).toContain("export MAILING_SYNC_USER='demo+my test'")
    expect(shown).toContain("curl -u 'demo+my test:demo' -H")
    expect(shown).toMatch(/This is a private space of demo . Another word behind the plus is another copy/)
    expect(shown).toContain('demo+my-test')
  })

  it('never hold a password that our documentation does not give away', async () => {
    const [base] = await readFixtures(defaultFixture)
    const users = base!.users.map(user => ({ ...user, password: 'not-for-a-page' }))
    tester = await startTester({ fixtures: { ...base!, users } })
    expect((await tester.as('demo', 'not-for-a-page').get('/mailings')).status).toBe(200)
    const { text } = await connect()
    expect(text).not.toContain('not-for-a-page')
    expect(wordsOf(text)).toContain('with the password in your fixture')
    expect(wordsOf(text)).toContain('curl -u demo -H')
    expect(text).not.toContain('export MAILING_SYNC_PASSWORD')
    // Nor on other pages: there curl asks for it.
    for (const [address, line] of [
      ['/spaces/demo/sendings', 'curl -u demo -H'],
      ['/docs/createSending', 'curl -u demo+try -H'],
    ] as const) {
      const page = await look(tester, address)
      expect(page.text, address).not.toContain('not-for-a-page')
      expect(wordsOf(page.text), address).toContain(line)
    }
  })
})

describe('reset and snapshot', () => {
  it('reset and snapshot tell what is at stake, and need a confirmation', async () => {
    tester = await startTester()
    await tester.as('demo').get('/mailings')
    const page = await pageOf()
    expect(wordsOf(from(page, 'keeping'))).toMatch(
      /Initial state its fixture Seed \d+ Since then 1 request, 0 sent, 0 scheduled/,
    )
    expect(page.text).toMatch(/<details class="confirm"><summary>Reset…<\/summary>/)
    expect(page.text).not.toContain('Remove…')
  })

  it('reset and snapshot offer to remove what can be removed', async () => {
    tester = await startTester()
    await tester.put('/spaces/demo%2Bcopy')
    expect(await words('demo+copy')).toMatch(
      /Remove… .* It starts again with the next request of its user. Remove demo\+copy/,
    )
  })

  it('reset and snapshot give the snapshot a file name that every system takes', async () => {
    tester = await startTester()
    expect((await pageOf()).text).toContain(
      'href="/_mock/spaces/demo/snapshot" download="demo.snapshot.json"',
    )
    const odd = 'demo+a/b"c"'
    await tester.put(`/spaces/${encodeURIComponent(odd)}`)
    expect((await pageOf(odd)).text).toContain('download="demo+a-b-c-.snapshot.json"')
    const download = await tester.fetch('/_mock/spaces/demo/snapshot', { headers: { accept: 'text/html' } })
    expect(download.headers.get('content-type')).toBe('application/json')
  })
})

describe('dials', () => {
  it('dials stand there all, each with what it is at and what that means', async () => {
    tester = await startTester()
    const { text } = await pageOf()
    for (const name of dialNames) expect(text).toContain(`id="turn-${name}"`)
    expect(await dial('absent-configuration')).toMatch(
      /What GET on the accessible-lists configuration answers before the first PUT. \[S configuration before PUT\] not-found 404: there is no configuration yet.$/,
    )
  })

  it('dials tell who has turned them', async () => {
    tester = await startTester({ dials: { 'empty-collection': 'no-embedded' } })
    expect(await dial('empty-collection')).toMatch(/no-embedded since the start _embedded is left out/)
    await tester.put('/spaces/demo/dials', { 'error-body': 'minimal' })
    expect(await dial('error-body')).toMatch(/minimal turned here/)
    expect(wordsOf(from(await pageOf(), 'dials'))).toMatch(/1 turned here. All back/)
    await tester.put('/spaces/demo/scenario', { dials: { 'absent-configuration': 'permit-all' } })
    expect(await dial('absent-configuration')).toMatch(/permit-all by the scenario/)
    await tester.put('/spaces/demo/scenario', { name: 'unspecified' })
    expect(await dial('absent-configuration')).toMatch(/by the scenario/)
  })

  it('dials have what this space turned chosen in their lists', async () => {
    tester = await startTester()
    await tester.put('/spaces/demo/dials', { 'error-body': 'minimal' })
    const chosen = (await pageOf()).text.match(/<option value="[^"]+" selected/g)
    expect(chosen).toEqual(['<option value="minimal" selected'])
  })
})

it('the name of a space is text', async () => {
  tester = await startTester()
  const name = `demo+"><script>alert(1)</script>`
  expect((await tester.put(`/spaces/${encodeURIComponent(name)}`)).status).toBe(201)
  const { status, text } = await pageOf(name)
  expect(status).toBe(200)
  expect(text).not.toContain('<script>alert')
  expect(text).toContain('&lt;script&gt;alert(1)')
})

describe('what disappears while a client runs', () => {
  /** The calls of the buttons and forms of the card, by method and address below `/_mock`. */
  const calls = async () =>
    [...from(await pageOf(), 'removables').matchAll(/data-call="(\w+)" data-href="\/_mock([^"]+)"/g)].map(
      ([, method, path]) => ({ method: method as 'DELETE' | 'PUT', path: path! }),
    )

  it('each customer, list and synchronization has a button that deletes it, and is gone from the page then', async () => {
    tester = await startTester()
    for (const table of ['customers', 'lists', 'synchronizations']) {
      const deletions = (await calls()).filter(it => it.method === 'DELETE' && it.path.includes(`/${table}/`))
      expect(deletions.length, table).toBeGreaterThan(2)
      const { path } = deletions[0]!
      expect((await tester.delete(path)).status, path).toBe(204)
      expect((await calls()).map(it => it.path)).not.toContain(path)
    }
  })

  it('customers and lists have a form that renames them', async () => {
    tester = await startTester()
    const [rename] = (await calls()).filter(it => it.method === 'PUT' && it.path.includes('/lists/'))
    expect((await tester.put(rename!.path, { name: 'Friends of the house' })).status).toBe(204)
    expect(wordsOf(from(await pageOf(), 'removables'))).toContain('Friends of the house (')
  })

  it('leaves test synchronizations alone, of which there are many', async () => {
    tester = await startTester()
    const paths = (await calls()).map(it => it.path).join()
    expect(paths).toContain(ids.ready)
    expect(paths).not.toContain(testSynchronizationId(1))
  })
})
