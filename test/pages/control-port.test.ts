import { describe, expect, it } from 'vitest'
import { type AssemblyOptions, assembleMock } from '../../src/lib/assemble-mock.ts'
import { pageTable } from '../../src/pages/page-table.ts'
import { scenarioFrom } from '../../src/rig/scenarios/read.ts'
import { ids, startMock, synchronizationPath, type TestMock } from '../mock.ts'

const get = async (mock: TestMock, path: string, accept = 'text/html') => {
  const response = await mock.fetch(new Request(`http://localhost${path}`, { headers: { accept } }))
  return { status: response.status, text: await response.text() }
}

describe("where the control API has a port of its own, the service's port", () => {
  it("where the control API has a port of its own, the service's port shows what its answers link to, with what those pages load, and no way to elsewhere", async () => {
    const mock = await startMock({ part: 'service' })
    const { json } = await mock.as('demo').get(synchronizationPath(ids.both))
    for (const rel of ['svc:mailing-editor', 'svc:mailing-preview-draft', 'svc:mailing-preview-approved']) {
      const { status, text } = await get(mock, new URL(json._links[rel].href).pathname)
      expect(status, rel).toBe(200)
      const assets = [...text.matchAll(/(?:src|href)="(\/_mock\/assets\/[^"]+)"/g)].map(([, it]) => it!)
      expect(assets.length).toBeGreaterThan(2)
      for (const asset of assets) expect((await get(mock, asset)).status, asset).toBe(200)
      expect(text).not.toMatch(/class="tabs"|href="\/_mock"|href="\/_mock\/docs"|data-events/)
      // A button or a link here could only fail: what it leads to is answered elsewhere.
      const led = [...text.matchAll(/<a [^>]*href="(\/[^"#]*)"/g)].map(([, it]) => it!)
      for (const href of led) expect((await get(mock, href)).status, href).toBe(200)
      expect(text).not.toMatch(/data-call="/)
    }
  })

  it("where the control API has a port of its own, the report on the service's port tells nothing of an INDETERMINATE_FAILURE, not even that it starts", async () => {
    const reports = ['sent', 'not-sent'].map(async truth => {
      const mock = await startMock({ part: 'service' })
      const rules = [{ on: 'createSending', steps: [{ state: 'INDETERMINATE_FAILURE', truth }] }]
      mock.rig().scenarios.arm(scenarioFrom({ description: 'a test', rules }, truth, 'a test'))
      const order = { transactionId: 'T', scheduleDate: '2026-11-02T10:00:00Z' }
      const { json } = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), order)
      expect(json.state).toBe('INDETERMINATE_FAILURE')
      return (await get(mock, new URL(json._links['svc:report'].href).pathname)).text
    })
    const [sent, notSent] = await Promise.all(reports)
    expect(sent).toContain('No figures are told')
    expect(sent).toBe(notSent)
  })

  it("where the control API has a port of its own, the service's port has no other page", async () => {
    const mock = await startMock({ part: 'service' })
    for (const { path } of pageTable.filter(({ isLinkedByService }) => !isLinkedByService))
      expect((await get(mock, `/_mock${path.replace('{space}', 'demo')}`)).status, path).toBe(404)
    expect((await get(mock, '/_mock/spaces/demo', '*/*')).status).toBe(404)
  })
})

describe('the control port', () => {
  it('the control port has all pages, and tells of the service that it is elsewhere', async () => {
    const mock = await startMock({ part: 'control' })
    expect((await get(mock, '/_mock')).status).toBe(200)
    const { status, text } = await get(mock, '/_mock/spaces/demo')
    expect(status).toBe(200)
    expect(text).toContain('http://localhost:4025/integrations/')
  })
})

describe('a control port beside a port of the service that was chosen freely', () => {
  /** Addresses of the service in the lines to copy of some pages, as a browser at the control port has them. */
  async function told(options: AssemblyOptions, host: string) {
    const mock = await assembleMock({ hasControlPort: true, logLevel: 'silent', ...options }, false)
    const service = await mock.listen()
    const control = await mock.listenForControl()
    const { mailings, synchronizations } = mock.spaces.getOpen('demo')!.data.tables
    const used = new Set([...synchronizations.rows()].map(it => it.mailingId))
    const unused = [...mailings.rows()].find(({ id }) => !used.has(id))!
    const paths = [
      '/spaces/demo',
      '/spaces/demo/connect',
      `/spaces/demo/mailings/${unused.id}`,
      '/docs/createSending',
    ]
    const bases = paths.map(async path => {
      const page = await fetch(`http://${host}:${control.port}/_mock${path}`, {
        headers: { accept: 'text/html', connection: 'close' },
      })
      const text = await page.text()
      return [...text.matchAll(/(https?:\/\/[^\s/"'<]+(?:\/mailing)?)\/(?:integrations|mailings)\b/g)].map(
        ([, it]) => it!,
      )
    })
    const found = await Promise.all(bases)
    await mock.close()
    return { port: service.port, controlPort: control.port, found: found.map(it => [...new Set(it)]) }
  }

  it.each(['127.0.0.1', 'localhost'])(
    'a control port beside a port of the service that was chosen freely names that port, on the host that a browser came by: %s',
    async host => {
      const { port, found } = await told({}, host)
      const url = `http://${host}:${port}`
      expect(found).toEqual([[url], [url], [url], [url]])
    },
  )

  it('a control port beside a port of the service that was chosen freely names the public URL where there is one', async () => {
    const publicUrl = 'https://mocks.example/mailing'
    const { found } = await told({ publicUrl }, '127.0.0.1')
    expect(found).toEqual([[publicUrl], [publicUrl], [publicUrl], [publicUrl]])
  })
})
