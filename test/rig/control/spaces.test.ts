import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { routes } from '../../../src/control/call-table.ts'
import type { AssemblyOptions } from '../../../src/lib/assemble-mock.ts'
import { defaultFixture, readFixtures } from '../../../src/store/fixtures.ts'
import type { Fixture } from '../../../src/store/rows.ts'
import { ids, type Json, synchronizationPath } from '../../mock.ts'
import { eventually } from '../../process.ts'
import { undisturbed } from '../../pull/pulling.ts'
import { sentences, startTester, type Tester } from './tester.ts'

let directory: string
const started: Tester[] = []
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-'))
})
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
  rmSync(directory, { recursive: true, force: true })
})

async function start(options?: AssemblyOptions): Promise<Tester> {
  const tester = await startTester(options)
  started.push(tester)
  return tester
}
const onDisk = () => start({ data: join(directory, 'data') })
async function restarted(tester: Tester): Promise<Tester> {
  await tester.close()
  started.splice(started.indexOf(tester), 1)
  return onDisk()
}

const sendings = synchronizationPath(ids.ready, '/sendings')
const send = (tester: Tester, transactionId: string, user = 'demo') =>
  tester.as(user).post(sendings, { transactionId })
const listed = async (tester: Tester, user = 'demo') => (await tester.as(user).get(sendings)).text
const otherUsers = async (space: string): Promise<Fixture> => {
  const [base] = await readFixtures(defaultFixture)
  return {
    ...undisturbed(base!),
    space,
    users: [{ name: `${space}-user`, password: 'demo', rights: ['read', 'write'] }],
  }
}

describe('the spaces', () => {
  it('link to everything that belongs to them', async () => {
    const { json } = await (await start()).get('/spaces/demo')
    const within = routes.flatMap(({ path }) => /^\/spaces\/\{space\}(\/[\w-]+)$/.exec(path)?.[1] ?? [])
    const hrefs = Object.values<Json>(json._links).map(({ href }) => href)
    const addresses = ['', ...new Set(within)].map(rest => `http://localhost/_mock/spaces/demo${rest}`)
    const unlinked = addresses.filter(address => !hrefs.includes(address))
    expect(
      unlinked,
      'a space does not link to these calls: add them to its relations in src/control/spaces.ts',
    ).toEqual([])
    expect(
      hrefs.filter(href => !addresses.includes(href)),
      'a space links to what is no call',
    ).toEqual([])
  })

  it('the spaces are listed with what is in them', async () => {
    const tester = await start()
    await send(tester, 'a', 'demo+x')
    await tester.post('/spaces/demo+x/faults', { on: '*', phase: 'before' })
    const { json } = await tester.get('/spaces')
    expect(json).toMatchObject({ evicted: 0, limits: { copies: 2000, idleSeconds: 3600 } })
    const [demo, copy] = json._embedded.spaces
    expect(demo).toMatchObject({
      name: 'demo',
      kind: 'fixture',
      beginning: 'fixture',
      requests: 0,
      sent: 0,
      seed: 1,
    })
    expect(copy).toMatchObject({
      name: 'demo+x',
      kind: 'copy',
      users: ['demo+x', 'demo-viewer+x'],
      requests: 1,
      sent: 1,
      faults: 1,
      scenario: null,
    })
  })

  it('the spaces do not come to be by being looked at', async () => {
    const tester = await start()
    const { status, json } = await tester.get('/spaces/demo+x')
    expect([status, json.detail]).toEqual([
      404,
      `There is no space "demo+x" yet: a private space opens with its user's first request, or now by PUT /_mock/spaces/demo+x with {}`,
    ])
    for (const what of ['clock', 'requests/wait', 'events', 'platform'])
      expect((await tester.get(`/spaces/demo+x/${what}`)).json.detail, what).toBe(json.detail)
    expect((await tester.delete('/spaces/demo+x')).status).toBe(404)
    expect((await tester.get('/spaces')).json._embedded.spaces).toHaveLength(1)
  })

  it('open by the call that the message names, whatever is in the name', async () => {
    const tester = await start()
    for (const name of ['demo+x', 'demo+a/b c%']) {
      const { detail } = (await tester.get(`/spaces/${encodeURIComponent(name)}/clock`)).json
      const [, path] = /by PUT \/_mock(\S+) with \{\}$/.exec(detail)!
      expect((await tester.put(path!)).json.name).toBe(name)
      expect((await tester.get(path!)).status).toBe(200)
    }
  })

  it('that had to make room are told from those that nobody has opened yet', async () => {
    const tester = await start({ spaceLimit: 1 })
    const detail = async (name: string) => (await tester.get(`/spaces/${name}`)).json.detail
    await send(tester, 'a', 'demo+x')
    await eventually('a moment to pass', async () => {
      const { lastUsed } = (await tester.get('/spaces/demo+x')).json
      return Date.parse(lastUsed) < Date.now() || undefined
    })
    await send(tester, 'a', 'demo+y')
    expect(await detail('demo+x')).toBe(
      `There is no space "demo+x" any more: it was removed to make room for others (--space-limit, --space-idle). It starts again with its user's next request, or now by PUT /_mock/spaces/demo+x with {}`,
    )
    expect(await detail('demo+z')).toContain('yet: ')
    await tester.post('/reset')
    expect(await detail('demo+x')).toContain('yet: ')
  })

  it.each([
    [
      'nobody',
      'nobody',
      'There is no space "nobody"; there are demo, and private spaces such as demo+anything',
    ],
    [
      'a copy without a tag',
      'demo+',
      'There is no space "demo+"; there are demo, and private spaces such as demo+anything',
    ],
    [
      '__proto__',
      '__proto__',
      'There is no space "__proto__"; there are demo, and private spaces such as demo+anything',
    ],
    [
      'a name of two lines',
      'demo+%0d%0aX-Evil:1',
      'There is no space "demo+\\r\\nX-Evil:1": a name has no control characters',
    ],
    [
      'a copy that no user could reach',
      'demo+a:b',
      'There is no space "demo+a:b": a private space has no colon in its name, which would end the user name',
    ],
    [
      'a name of 201 characters',
      `demo+${'x'.repeat(196)}`,
      `There is no space "demo+${'x'.repeat(52)}...": its name has 201 characters; at most 200 are possible`,
    ],
  ])('%s is not there', async (_, name, expected) => {
    const tester = await start()
    for (const answer of [
      await tester.get(`/spaces/${name}`),
      await tester.post(`/spaces/${name}/clock`, { advance: '5m' }),
    ])
      expect([answer.status, answer.json.detail]).toEqual([404, expected])
  })

  it.each([
    'demo+../../etc/passwd',
    'demo+%2e%2e',
    'demo+🙂',
    'demo+%41 b',
    'demo+A',
    'demo+a',
    `demo+${'x'.repeat(195)}`,
    'demo++',
  ])('%s is a private space like any other', async name => {
    const tester = await start({ data: join(directory, 'data') })
    const path = `/spaces/${encodeURIComponent(name)}`
    const made = await tester.put(path, { seed: 5 })
    expect([made.status, made.json.name, made.headers.get('location')]).toEqual([
      201,
      name,
      `http://localhost/_mock${path}`,
    ])
    expect((await tester.get(path)).json.seed).toBe(5)
    expect((await tester.get('/spaces')).json._embedded.spaces).toHaveLength(2)
    expect((await tester.delete(path)).status).toBe(204)
    expect((await tester.get(path)).status).toBe(404)
  })
})

describe('PUT of a space', () => {
  it('PUT of a space lets it begin with clock, seed, scenario and dials, and a reset leads back to that', async () => {
    const tester = await start()
    const body = {
      seed: 7,
      clock: { now: '2027-05-01T08:00:00Z', frozen: true },
      scenario: 'reset-after',
      dials: { 'error-body': 'minimal' },
    }
    const begun = await tester.put('/spaces/demo+x', body)
    const { lastUsed: _, ...beginning } = begun.json
    expect(beginning).toMatchObject({
      beginning: 'given',
      seed: 7,
      clock: { now: '2027-05-01T08:00:00.000Z', frozen: true },
      scenario: 'reset-after',
      dials: { 'error-body': 'minimal' },
    })
    await tester.post('/spaces/demo+x/clock', { advance: '1d' })
    await tester.delete('/spaces/demo+x/scenario')
    await tester.put('/spaces/demo+x/dials', {})
    await send(tester, 'a', 'demo+x')
    expect((await tester.post('/spaces/demo+x/reset')).status).toBe(204)
    const { lastUsed: __, ...after } = (await tester.get('/spaces/demo+x')).json
    expect(after).toEqual(beginning)
  })

  it.each(['PUT of a space', 'PUT of its snapshot'])(
    '%s with other users leaves a made space its own',
    async what => {
      const tester = await start()
      await tester.put('/spaces/acme', { fixture: await otherUsers('acme') })
      const snapshot = (await tester.get('/spaces/demo/snapshot')).json
      const again = what.endsWith('snapshot')
        ? await tester.put('/spaces/acme/snapshot', snapshot)
        : await tester.put('/spaces/acme', { fixture: 'demo' })
      expect([again.status, again.json.users]).toEqual([200, ['acme-user']])
      expect((await send(tester, 'a', 'acme-user')).status).toBe(201)
    },
  )

  it('PUT of a space is 201 where it was not there before, also not on disk', async () => {
    let tester = await onDisk()
    const statuses = []
    for (const seed of [1, 2, 3]) {
      if (seed === 3) tester = await restarted(tester)
      statuses.push((await tester.put('/spaces/demo+x', { seed })).status)
    }
    expect(statuses).toEqual([201, 200, 200])
  })

  it('PUT of a space gives a home space a beginning that a reset of all spaces leads back to, and {} takes it away', async () => {
    const tester = await start()
    await tester.put('/spaces/demo', { seed: 7 })
    await send(tester, 'a')
    await tester.post('/reset')
    expect((await tester.get('/spaces/demo')).json).toMatchObject({
      seed: 7,
      requests: 0,
      beginning: 'given',
    })
    await tester.put('/spaces/demo')
    expect((await tester.get('/spaces/demo')).json.seed).toBe(1)
  })

  it('PUT of a space takes the same seed to the same bytes, and another one to others', async () => {
    const tester = await start()
    const ids: string[] = []
    for (const seed of [3, 3, 4]) {
      await tester.put('/spaces/demo', { seed })
      ids.push((await send(tester, 'a')).json.id)
    }
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).not.toBe(ids[1])
  })

  it('PUT of a space makes a space of its own with the users of its fixture, which outlives a restart', async () => {
    let tester = await onDisk()
    const made = await tester.put('/spaces/acme', { fixture: await otherUsers('acme'), seed: 9 })
    expect([made.status, made.json.kind, made.json.users]).toEqual([201, 'made', ['acme-user']])
    const sent = await send(tester, 'a', 'acme-user')
    expect(sent.status).toBe(201)
    expect((await send(tester, 'a', 'acme-user+copy')).status).toBe(201)
    tester = await restarted(tester)
    expect((await send(tester, 'a', 'acme-user')).json.id).toBe(sent.json.id)
    expect((await tester.get('/spaces/acme')).json).toMatchObject({ kind: 'made', seed: 9 })
    await tester.post('/reset')
    expect(await listed(tester, 'acme-user')).not.toContain(sent.json.id)
    expect((await tester.delete('/spaces/acme')).status).toBe(204)
    expect((await send(tester, 'a', 'acme-user')).status).toBe(401)
    tester = await restarted(tester)
    expect((await tester.get('/spaces')).json._embedded.spaces.map((it: Json) => it.name)).toEqual(['demo'])
  })

  it('PUT of a space keeps what was given over a restart, and a reset after it leads back to it', async () => {
    let tester = await onDisk()
    await tester.put('/spaces/demo', {
      seed: 7,
      clock: { now: '2027-05-01T08:00:00Z', frozen: true },
      scenario: 'reset-after',
    })
    await tester.post('/spaces/demo/clock', { advance: '1h' })
    tester = await restarted(tester)
    const after = {
      seed: 7,
      scenario: 'reset-after',
      clock: { now: '2027-05-01T09:00:00.000Z', frozen: true },
    }
    expect((await tester.get('/spaces/demo')).json).toMatchObject(after)
    await tester.post('/spaces/demo/reset')
    expect((await tester.get('/spaces/demo/clock')).json.now).toBe('2027-05-01T08:00:00.000Z')
  })

  it('PUT of a space keeps a clock that was given no time of its own over a restart', async () => {
    let tester = await onDisk()
    tester.clock.advance(60_000)
    await tester.put('/spaces/demo', { clock: { frozen: true } })
    tester = await restarted(tester)
    expect((await tester.get('/spaces/demo/clock')).json.now).toBe('2026-11-01T10:01:00.000Z')
  })

  it.each([
    [{ frozen: true }, { now: '2031-05-06T07:08:09.000Z', frozen: true, rate: 1 }],
    [{ frozen: false }, { now: '2031-05-06T07:08:09.000Z', frozen: false, rate: 1 }],
    [{ rate: 60 }, { now: '2031-05-06T07:08:09.000Z', frozen: false, rate: 60 }],
    [{ now: '2030-01-01T00:00:00Z' }, { now: '2030-01-01T00:00:00.000Z', frozen: true, rate: 1 }],
  ])('PUT of a space with the clock %j leaves the rest as --now and --frozen say', async (clock, begun) => {
    const tester = await start({ now: '2031-05-06T07:08:09Z', frozen: true })
    expect((await tester.put('/spaces/demo+x', { clock })).json.clock).toMatchObject(begun)
    await tester.post('/spaces/demo+x/reset')
    expect((await tester.get('/spaces/demo+x/clock')).json).toMatchObject(begun)
  })

  it.each([
    [
      'an unknown member',
      { sed: 1 },
      'unknown key "sed"; did you mean "seed"? Possible: fixture, seed, clock, scenario, dials',
    ],
    ['an unknown clock', { clock: { time: 1 } }, 'clock: unknown key "time"; possible: now, frozen, rate'],
    ['a seed below 0', { seed: -1 }, 'seed: expected a number of at least 0, got -1'],
    [
      'a fixture of no space',
      { fixture: 'nobody' },
      'fixture: there is no fixture of space "nobody"; there are demo, and private spaces such as demo+anything',
    ],
    ['a fixture that is none', { fixture: { space: 'demo' } }, 'fixture.$format: expected 1, got nothing'],
    ['a number for a fixture', { fixture: 5 }, 'fixture: expected the name of a space, or a fixture, got 5'],
    [
      'a name where its text is expected',
      { scenario: { name: 'reset-after' } },
      'scenario: a name stands here as it is: "reset-after"',
    ],
    [
      'several mistakes, the first of them',
      { scenario: { rules: [{ on: '*', when: { 'header:x': { equal: 1 } }, steps: [{ times: 'a' }] }] } },
      'scenario.rules[0].when.header:x: unknown key "equal"; did you mean "equals"? Possible: present, equals, prefix, glob, from, to',
    ],
    [
      'an unknown scenario',
      { scenario: 'reset-aftr' },
      /^scenario: there is no scenario "reset-aftr"; did you mean "reset-after" or "reset-before"\? GET \/_mock\/scenarios and docs\/scenarios\.md list all/,
    ],
    [
      'a broken scenario',
      { scenario: { rules: [{ on: 'createSnding', steps: [{}] }] } },
      /^scenario\.rules\[0\]\.on: .*createSnding.* did you mean "createSending"\?/,
    ],
    [
      'an unknown dial',
      { dials: { 'eror-body': 'full' } },
      /^dials: unknown key "eror-body"; did you mean "error-body"\?/,
    ],
    [
      'a dial that cannot stand so',
      { dials: { 'error-body': 'fulll' } },
      'dials.error-body: "fulll" is not possible; did you mean "full"? Possible: full, minimal, plain-json, text, empty',
    ],
  ])('with %s is refused, and changes nothing', async (_, body, expected) => {
    const tester = await start()
    await send(tester, 'a')
    const answer = await tester.put('/spaces/demo', body)
    expect(answer.status).toBe(400)
    const [sentence] = sentences(answer)
    if (typeof expected === 'string') expect(sentence).toBe(expected)
    else expect(sentence).toMatch(expected)
    expect((await tester.get('/spaces/demo')).json.requests).toBe(1)
  })

  it.each([
    [
      'without a fixture',
      'acme',
      {},
      /^fixture: there is no space "acme"; there are demo.* made from a fixture/,
    ],
    [
      'with users of another space',
      'acme',
      { fixture: 'demo' },
      'fixture.users: user "demo" leads to space "demo" already; give the fixture users of its own',
    ],
    [
      'as a copy of nothing',
      'acme+x',
      { fixture: 'demo' },
      'space: "acme+x": there is no space "acme" that it could be a private space of',
    ],
  ])('PUT of a space makes no new space %s', async (_, name, body, expected) => {
    const tester = await start()
    const answer = await tester.put(`/spaces/${name}`, body)
    expect(answer.status).toBe(400)
    if (typeof expected === 'string') expect(sentences(answer)).toEqual([expected])
    else expect(sentences(answer)[0]).toMatch(expected)
    expect((await tester.get('/spaces')).json._embedded.spaces).toHaveLength(1)
  })

  it.each([
    ['PUT', '/spaces/demo', {}],
    ['POST', '/spaces/demo/reset', undefined],
    ['POST', '/reset', undefined],
  ])('%s %s lets go of requests that wait', async (method, path, body) => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', { rules: [{ on: 'createSending', steps: [{ hold: 'here' }] }] })
    const waiting = send(tester, 'a')
    while ((await tester.get('/spaces/demo')).json.held === 0) await new Promise(setImmediate)
    await (method === 'PUT' ? tester.put(path, body) : tester.post(path, body))
    expect((await waiting).status).toBe(500)
  })
})

describe('control calls at the same time', () => {
  it('control calls at the same time make one space of one name, and each has its effect', async () => {
    const tester = await start()
    const fixture = await otherUsers('acme')
    const all = await Promise.all(Array.from({ length: 8 }, () => tester.put('/spaces/acme', { fixture })))
    expect(all.map(({ status }) => status).every(status => status === 200 || status === 201)).toBe(true)
    const kinds = (await tester.get('/spaces')).json._embedded.spaces.map((it: Json) => it.kind)
    expect(kinds).toEqual(['fixture', 'made'])
    await Promise.all(Array.from({ length: 10 }, () => tester.post('/spaces/acme/clock', { advance: '1m' })))
    expect((await tester.get('/spaces/acme/clock')).json.now).toBe('2026-11-01T10:10:00.000Z')
    expect((await send(tester, 'a', 'acme-user')).status).toBe(201)
  })

  it('reset a space in the middle of its traffic, and what is answered is whole', async () => {
    const tester = await start()
    const traffic = Array.from({ length: 100 }, async (_, at) => {
      if (at % 20 === 10) return (await tester.post('/spaces/demo/reset')).status
      return (await send(tester, `t${at}`)).status
    })
    const statuses = await Promise.all(traffic)
    expect(statuses.filter(status => status === 204)).toHaveLength(5)
    expect(statuses.filter(status => ![201, 204, 500].includes(status))).toEqual([])
    expect((await send(tester, 'after')).status).toBe(201)
  })
})

describe('made spaces that come and go at the same time', () => {
  const names = Array.from({ length: 8 }, (_, at) => `m${at}`)
  const put = async (tester: Tester, space: string) =>
    tester.put(`/spaces/${space}`, { fixture: await otherUsers(space) })
  const namesOf = async (tester: Tester): Promise<string[]> =>
    (await tester.get('/spaces')).json._embedded.spaces.map((it: Json) => it.name)

  it('made spaces that come and go at the same time are all there after a restart when they were made at once', async () => {
    const tester = await onDisk()
    const all = await Promise.all(names.map(name => put(tester, name)))
    expect(all.map(({ status }) => status)).toEqual(names.map(() => 201))
    expect(await namesOf(await restarted(tester))).toEqual(['demo', ...names])
  })

  it('made spaces that come and go at the same time stay away after a restart when they were removed while others were made', async () => {
    const tester = await onDisk()
    const [removed, others] = [names.slice(0, 4), names.slice(4)]
    for (const name of removed) await put(tester, name)
    const all = await Promise.all([
      ...removed.map(name => tester.delete(`/spaces/${name}`)),
      ...others.map(name => put(tester, name)),
    ])
    expect(all.map(({ status }) => status)).toEqual([204, 204, 204, 204, 201, 201, 201, 201])
    expect(await namesOf(await restarted(tester))).toEqual(['demo', ...others])
  })

  it('share no user: one of them has it, the others are refused', async () => {
    const tester = await onDisk()
    const { users } = await otherUsers('acme')
    const all = await Promise.all(
      ['a', 'b', 'c'].map(async space =>
        tester.put(`/spaces/${space}`, { fixture: { ...(await otherUsers(space)), users } }),
      ),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([201, 400, 400])
    const refused = all.find(({ status }) => status === 400)!
    expect(sentences(refused)[0]).toMatch(
      /^fixture\.users: user "acme-user" leads to space "[abc]" already; give the fixture users of its own$/,
    )
    expect(await namesOf(tester)).toHaveLength(2)
  })

  it('made spaces that come and go at the same time are removed once: who comes second is told that there is none', async () => {
    const tester = await onDisk()
    await put(tester, 'acme')
    const all = await Promise.all([1, 2, 3].map(() => tester.delete('/spaces/acme')))
    expect(all.map(({ status }) => status).sort()).toEqual([204, 404, 404])
  })

  it('made spaces that come and go at the same time are as they were when the list of them cannot be written', async () => {
    const tester = await onDisk()
    await put(tester, 'acme')
    const list = join(directory, 'data', 'fixtures', 'made.json')
    rmSync(list)
    mkdirSync(join(list, 'in-the-way'), { recursive: true })
    expect([(await put(tester, 'other')).status, (await tester.delete('/spaces/acme')).status]).toEqual([
      500, 500,
    ])
    expect(await namesOf(tester)).toEqual(['demo', 'acme'])
    expect((await send(tester, 'a', 'other-user')).status).toBe(401)
    expect((await send(tester, 'a', 'acme-user')).status).toBe(201)
    rmSync(list, { recursive: true })
    expect((await put(tester, 'other')).status).toBe(201)
    expect(await namesOf(await restarted(tester))).toEqual(['demo', 'acme', 'other'])
  })

  it('made spaces that come and go at the same time are listed meanwhile: each list shows those that are there', async () => {
    const tester = await start()
    const seen: number[] = []
    for (let turns = 0; turns < 40; turns++) {
      for (const name of names.slice(0, 3)) await put(tester, name)
      const removing = names.slice(0, 3).map(name => tester.delete(`/spaces/${name}`))
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      const { status, json } = await tester.get('/spaces')
      expect(status).toBe(200)
      seen.push(json._embedded.spaces.length)
      await Promise.all(removing)
    }
    expect(new Set(seen).size).toBeGreaterThan(1)
    expect(await namesOf(tester)).toEqual(['demo'])
  })
})

describe('a made space that is no more', () => {
  const fixture = () => otherUsers('acme')
  const copy = 'acme-user+copy'

  it.each([
    ['removed', async (tester: Tester) => expect((await tester.delete('/spaces/acme')).status).toBe(204)],
    ['begun anew', async () => {}],
  ])(
    'a made space that is no more takes its private spaces with it when it is %s, open or not',
    async (_, end) => {
      let tester = await onDisk()
      await tester.put('/spaces/acme', { fixture: await fixture() })
      const known = [copy, 'acme-user+open'] as const
      for (const user of known) expect((await send(tester, 'a', user)).status).toBe(201)
      tester = await restarted(tester)
      expect((await send(tester, 'a', known[1])).status).toBe(200)
      await end(tester)
      await tester.put('/spaces/acme', { fixture: await fixture() })
      for (const user of known) expect((await send(tester, 'a', user)).status).toBe(201)
    },
  )

  it('a made space that is no more leaves the private spaces of others alone, also of one whose name begins alike', async () => {
    let tester = await onDisk()
    await tester.put('/spaces/acme', { fixture: await fixture() })
    await tester.put('/spaces/acme-x', { fixture: await otherUsers('acme-x') })
    for (const user of ['acme-x-user+copy', 'demo+copy']) await send(tester, 'a', user)
    tester = await restarted(tester)
    await tester.delete('/spaces/acme')
    for (const user of ['acme-x-user+copy', 'demo+copy'])
      expect((await send(tester, 'a', user)).status).toBe(200)
  })

  it('a made space that is no more begins anew while somebody comes into a copy of it, and leaves nothing on disk', async () => {
    const tester = await onDisk()
    await tester.put('/spaces/acme', { fixture: await fixture() })
    const coming = Array.from({ length: 20 }, (_, at) => send(tester, 'a', `acme-user+${at}`))
    expect((await tester.delete('/spaces/acme')).status).toBe(204)
    for (const { status } of await Promise.all(coming)) expect([201, 401, 500]).toContain(status)
    await restarted(tester)
    expect(readdirSync(join(directory, 'data', 'spaces')).filter(it => it.startsWith('acme'))).toEqual([])
  })
})

describe('DELETE of a space', () => {
  it('DELETE of a space refuses to remove one that a start fixture begins', async () => {
    const tester = await start()
    const { status, json } = await tester.delete('/spaces/demo')
    expect([status, json.detail]).toEqual([
      409,
      'Space "demo" is of a fixture that the mock was started with and stays; POST to its reset brings it back to its beginning',
    ])
    expect((await send(tester, 'a')).status).toBe(201)
  })

  it('DELETE of a space removes a private space, which begins anew when its user comes', async () => {
    const tester = await start()
    await send(tester, 'a', 'demo+x')
    expect((await tester.delete('/spaces/demo+x')).status).toBe(204)
    expect((await send(tester, 'a', 'demo+x')).status).toBe(201)
  })

  it('DELETE of all spaces removes the private ones, and no space of a fixture', async () => {
    const tester = await start()
    for (const space of ['demo', 'demo+x', 'demo+y']) await send(tester, 'a', space)
    const { status, json } = await tester.delete('/spaces')
    expect([status, json]).toEqual([200, { removed: 2 }])
    const { _embedded } = (await tester.get('/spaces')).json
    expect(_embedded.spaces.map((it: Json) => it.name)).toEqual(['demo'])
    expect((await send(tester, 'a')).status).toBe(200)
    expect((await send(tester, 'a', 'demo+x')).status).toBe(201)
  })

  it('DELETE of spaces that were not used for a time keeps the others', async () => {
    const tester = await start()
    await send(tester, 'a', 'demo+x')
    expect((await tester.delete('/spaces?unused=1h')).json).toEqual({ removed: 0 })
    expect((await send(tester, 'a', 'demo+x')).status).toBe(200)
    expect((await tester.delete('/spaces?unused=soon')).status).toBe(400)
  })

  it('DELETE of all spaces removes those that are kept and not open, by the date of their files if a time is given', async () => {
    const data = mkdtempSync(join(directory, 'private-'))
    const before = await start({ data })
    for (const space of ['demo', 'demo+old', 'demo+new']) await send(before, 'a', space)
    await before.close()
    const folder = join(data, 'spaces')
    for (const file of readdirSync(folder).filter(it => it.includes('old')))
      utimesSync(join(folder, file), new Date('2020-01-01'), new Date('2020-01-01'))
    const tester = await start({ data })
    expect((await tester.delete('/spaces?unused=7d')).json).toEqual({ removed: 1 })
    expect(readdirSync(folder).filter(it => it.includes('old'))).toEqual([])
    expect((await send(tester, 'a', 'demo+new')).status).toBe(200)
    await tester.delete('/spaces/demo+new')
    expect((await send(tester, 'a', 'demo+old')).status).toBe(201)
    expect((await send(tester, 'a')).status).toBe(200)
  })
})

describe('a snapshot', () => {
  it('put back is the space as it was, which goes on in the same bytes', async () => {
    const tester = await start()
    await tester.post('/spaces/demo/clock', { set: '2027-05-01T08:00:00Z', freeze: true })
    await tester.put('/spaces/demo/dials', { 'collection-order': 'newest-first' })
    for (const id of ['a', 'b']) await send(tester, id)
    const snapshot = (await tester.get('/spaces/demo/snapshot')).json
    const texts = [await listed(tester), (await send(tester, 'c')).text, await listed(tester)]
    expect((await tester.put('/spaces/demo/snapshot', snapshot)).status).toBe(200)
    expect((await tester.get('/spaces/demo')).json).toMatchObject({
      clock: { now: '2027-05-01T08:00:00.000Z', frozen: true },
      dials: { 'collection-order': 'newest-first' },
      beginning: 'given',
    })
    expect([await listed(tester), (await send(tester, 'c')).text, await listed(tester)]).toEqual(texts)
  })

  it('saved as a file can be started from, with its clock, seed, scenario and dials', async () => {
    const tester = await start({ seed: 42 })
    await tester.post('/spaces/demo/clock', { set: '2027-05-01T08:00:00Z' })
    await tester.put('/spaces/demo/dials', { 'created-synchronization-status': '200' })
    await send(tester, 'a')
    await tester.put('/spaces/demo/scenario', { name: 'error-500-before' })
    const file = join(directory, 'kept.json')
    writeFileSync(file, (await tester.get('/spaces/demo/snapshot')).text)
    const expected = [await listed(tester), (await send(tester, 'b')).status]
    await tester.delete('/spaces/demo/scenario')
    expected.push((await send(tester, 'c')).text)

    const again = await start({ fixtures: file })
    expect((await again.get('/spaces/demo')).json).toMatchObject({
      seed: 42,
      scenario: 'error-500-before',
      dials: { 'created-synchronization-status': '200' },
      clock: { now: '2027-05-01T08:00:00.000Z', frozen: false },
      beginning: 'fixture',
    })
    const seen = [await listed(again), (await send(again, 'b')).status]
    await again.delete('/spaces/demo/scenario')
    seen.push((await send(again, 'c')).text)
    expect(seen).toEqual(expected)
  })

  it('a snapshot shows no password but the documented one, and keeps those that are here when it is put back', async () => {
    const [base] = await readFixtures(defaultFixture)
    const users = [
      { name: 'demo', password: 'demo', rights: ['read', 'write'] },
      { name: 'ours', password: 'a-secret-of-ours', rights: ['read'] },
    ]
    const file = join(directory, 'ours.json')
    writeFileSync(file, JSON.stringify({ ...base, users }))
    const tester = await start({ fixtures: file })
    const { text, json } = await tester.get('/spaces/demo/snapshot')
    expect(text).not.toContain('a-secret-of-ours')
    expect(json.users.map(({ password }: Json) => password)).toEqual(['demo', '(hidden)'])
    expect((await tester.put('/spaces/demo/snapshot', json)).status).toBe(200)
    expect((await tester.as('ours', 'a-secret-of-ours').get('/mailings')).status).toBe(200)
  })

  it('of a private space is a fixture of its home space', async () => {
    const tester = await start()
    await send(tester, 'a', 'demo+x')
    const ofSpace = (text: string) => text.replaceAll(/spaces\/demo%2B\w/g, 'spaces/demo')
    const text = ofSpace(await listed(tester, 'demo+x'))
    const snapshot = (await tester.get('/spaces/demo+x/snapshot')).json
    expect(snapshot.space).toBe('demo')
    const file = join(directory, 'kept.json')
    writeFileSync(file, JSON.stringify(snapshot))
    expect(await listed(await start({ fixtures: file }))).toBe(text)
    expect((await tester.put('/spaces/demo+y/snapshot', snapshot)).status).toBe(201)
    expect(ofSpace(await listed(tester, 'demo+y'))).toBe(text)
  })

  it('a snapshot has what the clock has brought about', async () => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', {
      rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '5m' }, { state: 'CREATED' }] }],
    })
    await send(tester, 'a')
    const sent = async () => (await tester.get('/spaces/demo/snapshot')).json.platformSendings.length
    const before = await sent()
    tester.clock.advance(300_000)
    expect(await sent()).toBe(before + 1)
  })

  it.each(['sent', 'not-sent'])(
    'a snapshot goes on with the same platform IDs after an INDETERMINATE_FAILURE that was %s',
    async truth => {
      const tester = await start()
      const steps = [{ state: 'INDETERMINATE_FAILURE', truth }]
      await tester.put('/spaces/demo/scenario', { rules: [{ on: 'createSending', steps }] })
      await send(tester, 'a')
      await tester.delete('/spaces/demo/scenario')
      const snapshot = (await tester.get('/spaces/demo/snapshot')).json
      const { target } = (await send(tester, 'b')).json
      const file = join(directory, 'kept.json')
      writeFileSync(file, JSON.stringify(snapshot))
      expect((await send(await start({ fixtures: file }), 'b')).json.target).toEqual(target)
      for (const back of ['snapshot', 'reset']) {
        if (back === 'snapshot') await tester.put('/spaces/demo/snapshot', snapshot)
        else await tester.post('/spaces/demo/reset')
        expect((await send(tester, 'b')).json.target).toEqual(target)
      }
    },
  )

  it('a snapshot started from knows no sync token from before it: it could not say what has changed since', async () => {
    const tester = await start()
    const listing = '/integrations/mailing-platform/mailing-synchronizations?syncModifications=true'
    const upcoming = async (of: Tester, path: string) => {
      const { status, json } = await of.as('demo').get(path)
      expect(status).toBe(200)
      return json._links['svc:upcoming-modifications'].href.replace(/^.*(?=\/integrations)/, '')
    }
    const before = await upcoming(tester, listing)
    await tester.post(`/spaces/demo/mailings/${ids.mailing.ready}/edit`, { name: 'New' })
    const file = join(directory, 'kept.json')
    writeFileSync(file, (await tester.get('/spaces/demo/snapshot')).text)
    const again = await start({ fixtures: file })
    expect((await again.as('demo').get(before)).status).toBe(410)
    await upcoming(again, await upcoming(again, listing))
  })

  it('that is no fixture is refused with what is wrong', async () => {
    const tester = await start()
    const snapshot = (await tester.get('/spaces/demo/snapshot')).json
    const wrong = await tester.put('/spaces/demo/snapshot', { ...snapshot, lists: [{ id: 'x' }] })
    expect(wrong.status).toBe(400)
    expect(sentences(wrong)).toContain('lists[0].id: expected a number, got "x"')
    expect(sentences(wrong)).toContain('lists[0].name: expected a text, got nothing')
    const { json } = await tester.put('/spaces/demo', { fixture: {} })
    expect(json.invalidFields.map((it: Json) => it.field)).toEqual([
      'fixture.$format',
      'fixture.space',
      'fixture.users',
      'fixture.customers',
      'fixture.lists',
      'fixture',
    ])
    expect(json.invalidFields.at(-1).problem).toMatch(/^and \d more mistakes$/)
    const many = await tester.put('/spaces/demo/snapshot', { users: 1 })
    expect(sentences(many)[0]).toMatch(/^\$format: /)
    expect(sentences(many).at(-1)).toMatch(/^fixture: and \d more mistakes$/)
    const [first] = snapshot.testSynchronizations
    const unknown = { ...snapshot, testSynchronizations: [{ ...first, scenario: 'reset-aftr' }] }
    expect(sentences(await tester.put('/spaces/demo/snapshot', unknown))[0]).toMatch(
      /^testSynchronizations\[0\]\.scenario: there is no scenario "reset-aftr"; did you mean "reset-after" or "reset-before"\? GET \/_mock\/scenarios and docs\/scenarios\.md list all/,
    )
    const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`
    expect(sentences(await tester.put('/spaces/demo/snapshot', deep))).toEqual([
      'The request body is nested more than 64 levels deep',
    ])
  })
})

it('requests with wrong credentials are told to whoever listens to all spaces', async () => {
  const tester = await start()
  const reader = (await tester.fetch('/_mock/events')).body!.getReader()
  await tester.as('demo', 'wrong').get('/mailings')
  await tester.as('stranger').get('/mailings')
  let text = ''
  while (text.split('turned away').length < 3) text += Buffer.from((await reader.read()).value!).toString()
  const told = [...text.matchAll(/event: space\ndata: (.*)/g)].map(([, data]) => JSON.parse(data!))
  expect(told.filter(({ what }) => what === 'turned away').map(({ space }) => space)).toEqual(['demo', ''])
  await reader.cancel()
})
