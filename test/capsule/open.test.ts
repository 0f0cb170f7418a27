import { expect, it, onTestFinished } from 'vitest'
import { createMock, type Mock } from '../../src/index.ts'
import { judgeCapsule, judgementJunit } from '../../src/lib/capsule/judge-capsule.ts'
import { openCapsule } from '../../src/lib/capsule/open-capsule.ts'
import { replayCapsule } from '../../src/lib/capsule/replay.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { capsuleOf } from './random-space.ts'

const user = 'demo+told'

const create = (mock: Pick<Mock, 'fetch'>, body: object) =>
  mock
    .fetch(`http://mock${synchronizationPath(ids.ready, '/sendings')}`, {
      method: 'POST',
      headers: { authorization: basic(user), 'content-type': halType },
      body: JSON.stringify(body),
    })
    .then(it => it.status)
    .catch(() => undefined)

/** A space in which a client took another transaction ID after it had lost a response. */
async function guiltySpace() {
  const mock = await createMock({ logLevel: 'silent' })
  onTestFinished(() => mock.close())
  const space = await mock.privateSpace({
    name: 'told',
    clock: { now: '2026-11-01T10:00:00Z', frozen: true },
  })
  await space.faults.arm({ on: 'createSending', phase: 'after', answer: { fault: 'reset' } })
  await create(mock, { transactionId: 'first' })
  await space.clock.advance('30s')
  await create(mock, { transactionId: 'second' })
  return { mock, space, capsule: await capsuleOf(mock, space.name) }
}

it('the verdict of a capsule is the one that the space had, and says more when the end of the client is known', async () => {
  const { space, capsule } = await guiltySpace()
  const end = { believes: 'sent', expected: 1, workers: 1 } as const
  const judged = await judgeCapsule(capsule)
  expect(judged.text).toBe(await space.verdictText())
  const ended = await judgeCapsule(capsule, end)
  expect(ended.text).toBe(await space.verdictText(end))
  expect(ended.verdict.failure).not.toBeNull()
  expect(judgementJunit(ended)).toMatch(
    /<testcase classname="mailing-sync-mock" name="demo\+told">\s*<failure type="/,
  )
  const first = await judgeCapsule(capsule, { ...end, at: 'r1' })
  expect(first.verdict.harm.sent).toBe(1)
})

it('a capsule is taken for what the last call for the verdict said of the client, unless it is asked for another end', async () => {
  const { mock, space } = await guiltySpace()
  const end = { believes: 'sent', expected: 2, workers: 2 } as const
  const text = await space.verdictText(end)
  const capsule = await capsuleOf(mock, space.name)
  expect(capsule).toMatchObject({ end, verdictText: text })
  expect((await judgeCapsule(capsule)).text).toBe(text)
  await using opened = await openCapsule(capsule, 'x.capsule.json')
  const page = await see(opened.fetch, `/_mock/spaces/${encodeURIComponent(user)}/sendings`)
  expect(await page.text()).toContain('/verdict?believes=sent&amp;expected=2&amp;workers=2')
  const counted = await mock.fetch(`http://mock/_mock/spaces/${encodeURIComponent(user)}/capsule?expected=1`)
  expect(await counted.json()).toMatchObject({
    end: { expected: 1 },
    verdict: { harm: { believes: null, expected: 1 } },
  })
})

it('a fork before the first wrong request lets a mended client finish innocent', async () => {
  const { capsule } = await guiltySpace()
  await using fork = await replayCapsule(capsule, { before: 'r2' })
  fork.goLive()
  expect(await create(fork.mock, { transactionId: 'first' })).toBe(200)
  const response = await fork.mock.control(
    new Request(`http://mock/_mock/spaces/${encodeURIComponent(user)}/verdict?believes=sent`),
  )
  expect(await response.json()).toMatchObject({ outcome: 'innocent', failure: null, harm: { sent: 1 } })
})

const see = async (fetch: (request: Request) => Promise<Response>, path: string, init: RequestInit = {}) =>
  fetch(new Request(`http://localhost:4030${path}`, { headers: { accept: 'text/html' }, ...init }))

it('the pages of a capsule show each moment, and change nothing', async () => {
  const { capsule } = await guiltySpace()
  await using opened = await openCapsule(capsule, 'x.capsule.json')
  const place = `/_mock/spaces/${encodeURIComponent(user)}`
  const start = await see(opened.fetch, '/')
  expect(start.headers.get('location')).toBe(`${place}/verdict`)
  const end = await (await see(opened.fetch, `${place}/platform`)).text()
  expect(end).toMatch(/Capsule <strong>x\.capsule\.json<\/strong>, read only, at its end/)
  const asked = await see(opened.fetch, `${place}/platform?at=r1&limit=5`)
  const [id] = capsule.requests.map(it => it.id)
  expect(asked.headers.get('location')).toBe(`/at/${id}${place}/platform?limit=5`)
  const first = await (await see(opened.fetch, `/at/${id}${place}/platform`)).text()
  expect(first).toContain(`as it was after ${id}`)
  expect(first).toContain(`href="/at/${id}/_mock/spaces/`)
  const ledger = async (prefix: string) =>
    (await (
      await see(opened.fetch, `${prefix}${place}/platform`, { headers: { accept: 'application/json' } })
    ).json()) as {
      summary: { sent: number }
    }
  expect([(await ledger('')).summary.sent, (await ledger(`/at/${id}`)).summary.sent]).toEqual([2, 1])
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect((await see(opened.fetch, `${place}/clock`, { method })).status).toBe(405)
  expect((await see(opened.fetch, '/at/r9/_mock')).status).toBe(404)
  expect((await see(opened.fetch, '/mailings')).status).toBe(404)
})

it('a page of a capsule stands still: it follows no events, and its clock does not run', async () => {
  const mock = await createMock({ logLevel: 'silent' })
  onTestFinished(() => mock.close())
  await mock.privateSpace({ name: 'told' })
  await create(mock, { transactionId: 'one' })
  const place = `/_mock/spaces/${encodeURIComponent(user)}`
  const clockOf = (text: string) => /<p id="space-clock".*?<\/p>/s.exec(text)![0]
  const living = await (await see(it => mock.fetch(it), `${place}/platform`)).text()
  expect(living).toMatch(/data-events=/)
  expect(clockOf(living)).toMatch(/data-rate="1".*running/s)
  await using opened = await openCapsule(await capsuleOf(mock, user), 'x.capsule.json')
  for (const path of [`${place}/platform`, '/_mock']) {
    const still = await (await see(opened.fetch, path)).text()
    expect(still, path).not.toMatch(/data-events=|id="live-state"/)
  }
  const clock = clockOf(await (await see(opened.fetch, `${place}/platform`)).text())
  expect(clock).toContain('data-rate="0"')
  expect(clock).not.toContain('running')
})

it('a moment that a capsule does not have leads a browser to the same page at the end, and tells a program in a line', async () => {
  const { capsule } = await guiltySpace()
  await using opened = await openCapsule(capsule, 'x.capsule.json')
  const place = `/_mock/spaces/${encodeURIComponent(user)}/platform`
  for (const path of [`${place}?at=%3Cb%3E&limit=5`, `/at/%3Cb%3E${place}?limit=5`]) {
    const page = await see(opened.fetch, path)
    expect(page.status).toBe(404)
    const text = await page.text()
    expect(text).toContain(`<a href="${place}?limit=5">`)
    expect(text).toMatch(/<p>There is no request .+\.<\/p>/)
    expect(text).not.toContain('<b>')
  }
  const line = await see(opened.fetch, `${place}?at=zzz`, { headers: {} })
  expect(line.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await line.text()).toMatch(/^there is no request "zzz" in the capsule; .+\n$/)
})

it('a capsule with one request has no slider, for there is nothing to slide; one with two has', async () => {
  const mock = await createMock({ logLevel: 'silent' })
  onTestFinished(() => mock.close())
  await mock.privateSpace({ name: 'told' })
  const sliders: boolean[] = []
  for (const transactionId of ['one', 'two']) {
    await create(mock, { transactionId })
    const capsule = await capsuleOf(mock, user)
    await using opened = await openCapsule(capsule, 'x.capsule.json')
    const place = `/_mock/spaces/${encodeURIComponent(user)}/verdict`
    const text = await (await see(opened.fetch, place)).text()
    sliders.push(text.includes('type="range"'))
    const moment = await (await see(opened.fetch, `/at/${capsule.requests[0]!.id}${place}`)).text()
    expect(moment).toContain('<a href="?at=">End</a>')
  }
  expect(sliders).toEqual([false, true])
})

it('what clients sent is text on the pages of a capsule, too', async () => {
  const mock = await createMock({ logLevel: 'silent' })
  onTestFinished(() => mock.close())
  await mock.privateSpace({ name: 'told' })
  await create(mock, { transactionId: '<script>alert(1)</script>' })
  await using opened = await openCapsule(await capsuleOf(mock, user), '<img src=x>.json')
  for (const page of ['', '/sendings', '/verdict', '/platform']) {
    const text = await (await see(opened.fetch, `/_mock/spaces/${encodeURIComponent(user)}${page}`)).text()
    expect(text).not.toMatch(/<script>alert|<img src=x/)
  }
})

it('a capsule without history has the state at its end, and says why', async () => {
  const mock = await createMock({ logLevel: 'silent', journal: 3 })
  onTestFinished(() => mock.close())
  const space = await mock.privateSpace({ name: 'told' })
  for (const transactionId of ['1', '2', '3', '4', '5']) await create(mock, { transactionId })
  const capsule = await capsuleOf(mock, user)
  expect(capsule.history).toEqual({ lost: 'requests were dropped from the record to make room', steps: [] })
  expect((await judgeCapsule(capsule)).text).toBe(await space.verdictText())
  await expect(judgeCapsule(capsule, { believes: 'sent' })).rejects.toThrow(
    /only tell the verdict that it was taken with: requests/,
  )
  await expect(replayCapsule(capsule, { at: 'r4' })).rejects.toThrow(/shows only its end/)
  await using opened = await openCapsule(capsule, 'x.json')
  expect([...opened.whole.rig.space.data.tables.platformSendings.rows()]).toEqual(
    expect.arrayContaining([expect.objectContaining({ kind: 'list' })]),
  )
})

it('a capsule that another version would play otherwise is told with both sides', async () => {
  const { capsule } = await guiltySpace()
  const [first, second] = capsule.requests
  const other = { ...second!, truth: { ...second!.truth!, status: 202 } }
  const judged = await judgeCapsule({ ...capsule, madeBy: '9.9.9', requests: [first!, other] })
  expect(judged.difference).toMatch(
    /^Played again, it came out differently at \S+-2: truth\.status was 202, made by version 9\.9\.9, and is 201 with version [\d.]+\.$/,
  )
  expect(judged.text).toBe(capsule.verdictText)
})

it('a control call is on record with who made it, and as what it was', async () => {
  const { capsule } = await guiltySpace()
  expect(
    capsule.changes.map(({ method, path, body, after, status }) => [method, path, body, after, status]),
  ).toEqual([
    ['POST', '/faults', { on: 'createSending', phase: 'after', answer: { fault: 'reset' } }, 0, 201],
    ['POST', '/clock', { advance: '30s' }, 1, 200],
  ])
})
