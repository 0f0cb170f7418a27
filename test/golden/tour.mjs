/** Every operation of the service with its successes and refusals, byte for byte. */
import { Recording } from './entries.mjs'
import { RunningMock } from './mock.mjs'
import { answerOf, exchange, host, requestBytes, shown } from './wire.mjs'

/** @param {string} name */
const ofExamples = name => import(new URL(`../../dist/contract/examples/${name}.js`, import.meta.url).href)
/** @type {typeof import('../../src/contract/examples/fixture-ids.ts')} */
const { ids, mailingId: mailing, synchronizationId: id } = await ofExamples('fixture-ids')
/** @type {typeof import('../../src/contract/examples/example.ts')} */
const { requestOf } = await ofExamples('example')
/** @type {typeof import('../../src/contract/examples/examples.ts')} */
const { examples } = await ofExamples('examples')

const segment = 'mailing-platform'
const integration = `/integrations/${segment}`
const synchronizations = `${integration}/mailing-synchronizations`
const customers = `${integration}/accessible-customers`
const synchronization = (/** @type {number} */ nth, rest = '') => `${synchronizations}/${id(nth)}${rest}`
const unknownId = ids.unknown

/** @typedef {import('./wire.mjs').Answer} Answer */
/** @typedef {{ name?: string, user?: string, headers?: Record<string, string>, body?: unknown }} Asked */

/** A part of the tour, in a private space of its own. */
class Tour {
  #mock
  #recording
  #group
  #isReader

  /** @param {RunningMock} mock @param {Recording} recording @param {string} group */
  constructor(mock, recording, group, isReader = false) {
    this.#mock = mock
    this.#recording = recording
    this.#group = group
    this.#isReader = isReader
  }

  get space() {
    return `demo+tour-${this.#group}`
  }

  get user() {
    return `${this.#isReader ? 'demo-viewer' : 'demo'}+tour-${this.#group}`
  }

  /** @param {string} method @param {string} path @param {Asked} [asked] @returns {Promise<Answer>} */
  ask(method, path, { name, user = this.user, headers = {}, body } = {}) {
    const text = body === undefined || typeof body === 'string' || body instanceof Uint8Array
    const bytes = requestBytes(method, path, {
      user,
      headers,
      ...(body !== undefined && { body: text ? /** @type {string} */ (body) : JSON.stringify(body) }),
    })
    const address = path.replaceAll(/((?:cursor|syncToken)=)\w[^&]{15,}/g, '$1…')
    return this.send(`${method} ${address}${name ? ` (${name})` : ''}`, bytes, method === 'HEAD')
  }

  /** @param {string} name @param {Uint8Array | readonly Uint8Array[]} bytes @returns {Promise<Answer>} */
  async send(name, bytes, isHead = false) {
    const exchanged = await exchange(this.#mock.port, bytes, { isHead })
    this.#recording.add(`${this.#group}: ${name}`, shown(exchanged))
    return answerOf(exchanged.bytes)
  }

  /** Follows a link of an answer. @param {Answer} answer @param {string} relation @param {Asked} [asked] */
  follow(answer, relation, asked) {
    const { href } = JSON.parse(answer.body)._links[relation]
    return this.ask('GET', href.replace(`http://${host}`, ''), asked)
  }

  /** @param {string} duration */
  async advance(duration) {
    await this.#mock.must('POST', `/spaces/${encodeURIComponent(this.space)}/clock`, { advance: duration })
  }

  /** @param {string} method @param {string} path below the space @param {unknown} [body] */
  control(method, path, body) {
    return this.#mock.must(method, `/spaces/${encodeURIComponent(this.space)}${path}`, body)
  }
}

/** @type {Record<string, (tour: Tour) => Promise<void>>} */
const groups = {
  /** What documents show. The other groups have what documents leave out. */
  async examples(tour) {
    for (const [operation, itsExamples] of Object.entries(examples))
      for (const example of itsExamples) {
        const id = /** @type {keyof typeof examples} */ (operation)
        const { method, target, headers, body } = requestOf(id, example, segment)
        await tour.ask(method, target, { name: `${operation}, ${example.name}`, headers, body })
      }
  },

  async createSending(tour) {
    const path = synchronization(1, '/sendings')
    const first = await tour.ask('POST', path, { body: { transactionId: 'first' } })
    await tour.ask('POST', path, {
      name: 'repeated with a past date',
      body: { transactionId: 'first', scheduleDate: '2020-01-01T00:00:00Z' },
    })
    const location = first.headers.location?.replace(`http://${host}`, '') ?? ''
    await tour.ask('GET', location)
    await tour.ask('GET', `${location}/statistics`)
    await tour.advance('2h')
    await tour.ask('GET', `${location}/statistics`, { name: 'two hours later' })
    await tour.ask('POST', path, {
      name: 'all null',
      body: { transactionId: null, name: null, subject: null },
    })
    await tour.ask('POST', path, { name: 'unknown member', body: { transactionId: 'm', color: 'red' } })
    await tour.ask('POST', path, {
      name: 'application/json',
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: { transactionId: 'json' },
    })
    await tour.ask('POST', path, {
      name: 'text beyond ASCII',
      body: { transactionId: 'ü', name: 'Grüße 🎉' },
    })
    const wrong = {
      'past date': { transactionId: 'past', scheduleDate: '2026-11-01T09:59:59Z' },
      'date without zone': { scheduleDate: '2026-12-24T18:00:00' },
      'date that is no text': { scheduleDate: 5 },
      'day that is not there': { scheduleDate: '2026-02-30T00:00:00Z' },
      'long transactionId': { transactionId: 'x'.repeat(33) },
      'transactionId of a number': { transactionId: 1 },
      'empty transactionId': { transactionId: '' },
      'name and subject wrong': { name: 1, subject: ['x'] },
      'long name': { name: 'n'.repeat(2_000) },
      'long subject': { subject: 's'.repeat(2_000) },
    }
    for (const [name, body] of Object.entries(wrong)) await tour.ask('POST', path, { name, body })
    await tour.ask('POST', synchronization(11, '/sendings'), {
      name: 'empty list',
      body: { transactionId: 'e' },
    })
  },

  async bodies(tour) {
    const path = synchronization(1, '/sendings')
    const bodies = {
      'empty text': ' ',
      'an array': '[]',
      'a text': '"x"',
      'a number': '1',
      null: 'null',
      'nested deeply': `{"x":${'['.repeat(64)}${']'.repeat(64)}}`,
      'not UTF-8': Buffer.from([0x7b, 0xff, 0xfe, 0x7d]),
      'too large': `{"name":"${'x'.repeat(1_048_600)}"}`,
      'duplicate member': '{"transactionId":"a","transactionId":"b"}',
      'byte order mark': '\uFEFF{}',
    }
    for (const [name, body] of Object.entries(bodies)) await tour.ask('POST', path, { name, body })
    await tour.ask('POST', path, { name: 'no body, no type' })
    await tour.ask('POST', path, {
      name: 'no body',
      headers: { 'Content-Type': 'application/hal+json', 'Content-Length': '0' },
    })
    await tour.ask('POST', path, {
      name: 'text/plain',
      headers: { 'Content-Type': 'text/plain' },
      body: '{}',
    })
    await tour.ask('POST', path, {
      name: 'form',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'a=b',
    })
    await tour.ask('POST', path, { name: 'no type', headers: { 'Content-Type': '' }, body: '{}' })
    await tour.ask('POST', path, {
      name: 'type with capitals',
      headers: { 'Content-Type': 'Application/HAL+JSON' },
      body: '{"transactionId":"c"}',
    })
    const head = requestBytes('POST', path, {
      user: tour.user,
      headers: { 'Content-Type': 'application/hal+json', 'Transfer-Encoding': 'chunked' },
    })
    const chunked = Buffer.from('2\r\n{"\r\n16\r\ntransactionId":"chunks\r\n2\r\n"}\r\n0\r\n\r\n')
    await tour.send('POST in chunks', Buffer.concat([head, chunked]))
    const expecting = requestBytes('POST', path, {
      user: tour.user,
      headers: { Expect: '100-continue' },
      body: '{"transactionId":"expected"}',
    })
    await tour.send('POST with Expect: 100-continue', expecting)
  },

  async credentials(tour) {
    const path = synchronization(1)
    await tour.ask('GET', path, { name: 'without', user: '' })
    for (const [name, Authorization] of Object.entries({
      'wrong password': `Basic ${Buffer.from('demo:wrong').toString('base64')}`,
      'unknown user': `Basic ${Buffer.from('nobody:demo').toString('base64')}`,
      'another scheme': 'Bearer abc',
      'not Base64': 'Basic ???',
      'without a colon': `Basic ${Buffer.from('demo').toString('base64')}`,
      'lower case': `basic ${Buffer.from(`${tour.user}:demo`).toString('base64')}`,
      'bad private name': `Basic ${Buffer.from('demo+a b/c:demo').toString('base64')}`,
    }))
      await tour.ask('GET', path, { name, user: '', headers: { Authorization } })
    await tour.ask('POST', synchronization(1, '/sendings'), { name: 'without', user: '', body: {} })
    await tour.ask('GET', '/nowhere', { name: 'without', user: '' })
    await tour.ask('DELETE', path, { name: 'without', user: '' })
  },

  async rights(tour) {
    const user = `demo-viewer+tour-rights`
    await tour.ask('GET', synchronization(1), { user })
    const body = {}
    await tour.ask('POST', synchronization(1, '/sendings'), { user, body })
    await tour.ask('POST', synchronizations, { user, body })
    await tour.ask('POST', synchronization(1, '/mailing-uploads'), { user, body })
    await tour.ask('POST', synchronization(1, '/test-sendings'), { user, body })
    await tour.ask('PUT', `${customers}/lindenau/configuration/accessible-lists`, { user, body })
    await tour.ask('POST', synchronization(1, '/sendings'), { name: 'broken body', user, body: '{' })
    await tour.ask('POST', `${synchronizations}/${unknownId}/sendings`, { user, body })
  },

  async paths(tour) {
    await tour.ask('GET', '/')
    await tour.ask('GET', '/nowhere')
    await tour.ask('GET', '/favicon.ico')
    await tour.ask('GET', integration)
    await tour.ask('GET', `${integration}/mailing-synchronisations`)
    await tour.ask('GET', '/integrations/other-platform/mailing-synchronizations')
    await tour.ask('GET', `${synchronization(1)}/`)
    await tour.ask('GET', `${synchronization(1, '/sendings')}/`)
    await tour.ask('POST', `${synchronizations}/`, { body: {} })
    await tour.ask('GET', '/mailings/')
    await tour.ask('GET', `/mailings//${mailing(1)}`)
    await tour.ask('GET', `${synchronizations}/${id(1).toUpperCase()}`)
    await tour.ask('GET', `${synchronizations}/%32${id(1).slice(1)}`)
    await tour.ask('GET', `${synchronizations}/%zz`)
    await tour.ask('GET', `${synchronizations}/${unknownId}`)
    await tour.ask('GET', `${synchronizations}/..%2f..`)
    await tour.ask('GET', synchronization(1, '/preview/'))
    await tour.ask('GET', synchronization(1, '/test-profiles/'))
    await tour.ask('GET', synchronization(1, '/test-profiles').replace('synchron', 'sychron'))
    await tour.ask('GET', `${synchronization(1, '/test-profiles').replace('synchron', 'sychron')}/`)
    await tour.ask('GET', synchronization(1, '/test-mail-groups').replace('synchron', 'sychron'))
    await tour.ask('GET', `${customers}/`)
    await tour.ask('GET', `http://${host}/mailings/${mailing(1)}`, { name: 'absolute form' })
    await tour.ask('GET', `/mailings/${mailing(1)}#part`)
    await tour.ask('GET', '*')
  },

  async methods(tour) {
    for (const [path, methods] of Object.entries({
      [synchronization(1)]: ['DELETE', 'POST', 'PATCH', 'PUT', 'OPTIONS', 'HEAD'],
      [synchronization(1, '/sendings')]: ['PUT', 'DELETE', 'OPTIONS', 'HEAD'],
      [synchronization(1, '/mailing-uploads')]: ['GET', 'HEAD'],
      [synchronization(1, '/test-sendings')]: ['GET'],
      [`${customers}/lindenau/configuration/accessible-lists`]: ['POST', 'DELETE', 'HEAD'],
      '/mailings': ['POST', 'HEAD'],
      '/nowhere': ['POST', 'HEAD', 'OPTIONS'],
      [synchronizations]: ['HEAD', 'PUT'],
      [`${synchronizations}/`]: ['HEAD', 'PUT'],
      [`${synchronizations}/${unknownId}`]: ['HEAD', 'DELETE'],
    }))
      for (const method of methods)
        await tour.ask(method, path, { ...(['POST', 'PUT', 'PATCH'].includes(method) && { body: {} }) })
    await tour.ask('TRACE', synchronization(1))
    await tour.ask('get', synchronization(1))
  },

  async accept(tour) {
    for (const Accept of [
      'application/hal+json',
      'application/json',
      'application/*',
      '*/*',
      'application/vnd.other+json',
      'text/html',
      'text/html, */*;q=0.1',
      'application/hal+json;q=0',
      'application/json;q=0, */*',
      'nonsense',
    ])
      await tour.ask('GET', `/mailings/${mailing(1)}`, { name: Accept, headers: { Accept } })
    await tour.ask('POST', synchronization(1, '/sendings'), {
      name: 'text/html',
      headers: { Accept: 'text/html' },
      body: {},
    })
    await tour.ask('GET', `/mailings/${mailing(1)}`, { name: 'gzip', headers: { 'Accept-Encoding': 'gzip' } })
    await tour.ask('GET', `/mailings/${mailing(1)}`, {
      name: 'if none match',
      headers: { 'If-None-Match': '*' },
    })
    await tour.ask('GET', `/mailings/${mailing(1)}`, { name: 'range', headers: { Range: 'bytes=0-10' } })
  },

  async sendings(tour) {
    for (let nth = 1; nth <= 3; nth++) {
      await tour.ask('POST', synchronization(1, '/sendings'), {
        name: `${nth}`,
        body: { transactionId: `t${nth}` },
      })
      await tour.advance('1m')
    }
    const path = synchronization(1, '/sendings')
    await tour.ask('GET', path)
    const page = await tour.ask('GET', `${path}?pageSize=2`)
    const second = await tour.follow(page, 'next')
    await tour.ask(
      'GET',
      `${path}?pageSize=2&cursor=${new URL(JSON.parse(page.body)._links.next.href).searchParams.get('cursor')}`,
    )
    await tour.advance('11m')
    await tour.follow(page, 'next', { name: 'stale' })
    await tour.ask(
      'GET',
      `${synchronization(3, '/sendings')}?cursor=${new URL(JSON.parse(page.body)._links.next.href).searchParams.get('cursor')}`,
    )
    if (second.status !== 200) throw new Error('the second page is not there')
    for (const nth of [5, 6, 9, 10, 12]) {
      const all = await tour.ask('GET', synchronization(nth, '/sendings?includeAllStates=true'))
      for (const sending of JSON.parse(all.body)._embedded['svc:sendings'])
        for (const rest of ['', '/statistics'])
          await tour.ask('GET', sending._links.self.href.replace(`http://${host}`, '') + rest)
    }
    for (const query of [
      'includeAllStates=yes',
      'includeAllStates=',
      'pageSize=0',
      'pageSize=1001',
      'pageSize=two',
      'pageSize=1&pageSize=2',
      'unknown=1',
      'pageSize=0&includeAllStates=maybe',
    ])
      await tour.ask('GET', `${path}?${query}`)
    await tour.ask('GET', `${path}/no-id`)
  },

  async synchronizations(tour) {
    for (const nth of [3, 11, 13]) await tour.ask('GET', synchronization(nth))
    const body = { customer: 'lindenau', listId: 2001, mailingName: 'Herbst' }
    for (const name of ['once', 'again']) await tour.ask('POST', synchronizations, { name, body })
    const wrong = {
      'nothing given': {},
      'both names': { customer: 'lindenau', listId: 2001, mailingName: 'x', mailingId: mailing(1) },
      'unknown customer': { customer: 'nobody', listId: 2001, mailingName: 'x' },
      'unknown list': { customer: 'lindenau', listId: 77, mailingName: 'x' },
      'list of another customer': { customer: 'lindenau', listId: 1001, mailingName: 'x' },
      'unknown mailing': { customer: 'lindenau', listId: 2001, mailingId: unknownId },
      'mailing ID is no ID': { customer: 'lindenau', listId: 2001, mailingId: 'x' },
      'list ID is a text': { customer: 'lindenau', listId: '2001', mailingName: 'x' },
      'empty name': { customer: 'lindenau', listId: 2001, mailingName: '' },
      'long name': { customer: 'lindenau', listId: 2001, mailingName: 'n'.repeat(2_000) },
    }
    for (const [name, value] of Object.entries(wrong))
      await tour.ask('POST', synchronizations, { name, body: value })
    const page = await tour.ask('GET', `${synchronizations}?pageSize=3&sortBy=mailingName&order=desc`)
    await tour.follow(page, 'next')
    for (const query of [
      `mailingId=${mailing(7)}`,
      `mailingId=${mailing(1)},${mailing(3)}`,
      `mailingId=${mailing(1)}&mailingId=${mailing(3)}`,
      'mailingId=',
      'mailingId=x',
      `mailingId=${unknownId}`,
      'readyForSending=false&pageSize=3',
      'mailingHasDraft=true&mailingIsApproved=true&pageSize=3',
      'mailingHasDraft=false&mailingIsApproved=false&pageSize=3',
      'readyForSending=perhaps',
      'sortBy=name',
      'sortBy=creationDate&pageSize=2',
      'sortBy=modificationDate&order=desc&pageSize=2',
      'order=up',
      'order=asc&pageSize=2',
      'syncModifications=maybe',
      'syncToken=nonsense',
      'pageSize=-1',
    ])
      await tour.ask('GET', `${synchronizations}?${query}`)
    await tour.ask('GET', `${synchronizations}/?pageSize=2`)
  },

  async syncTokens(tour) {
    const filter = `mailingId=${mailing(1)},${mailing(3)},${mailing(7)}`
    const first = await tour.ask('GET', `${synchronizations}?syncModifications=true&${filter}`)
    const token = new URL(JSON.parse(first.body)._links['svc:upcoming-modifications'].href).searchParams.get(
      'syncToken',
    )
    await tour.follow(first, 'svc:upcoming-modifications')
    await tour.advance('1m')
    await tour.control('POST', `/mailings/${mailing(3)}/approve`)
    await tour.advance('1m')
    const changed = await tour.follow(first, 'svc:upcoming-modifications', { name: 'after an approval' })
    await tour.follow(changed, 'svc:upcoming-modifications', { name: 'after that' })
    await tour.ask('GET', `${synchronizations}?syncToken=${token}&sortBy=mailingName`)
    await tour.ask('GET', `${synchronizations}?syncToken=${token}&syncModifications=true`)
    await tour.ask('GET', `${synchronizations}?syncToken=${token}&readyForSending=true`)
    await tour.ask('GET', `${synchronizations}?syncToken=${token}&pageSize=1`)
    const paged = await tour.ask('GET', `${synchronizations}?syncModifications=true&pageSize=2&${filter}`)
    await tour.follow(paged, 'next')
    await tour.advance('31d')
    await tour.follow(first, 'svc:upcoming-modifications', { name: 'expired' })
  },

  async preview(tour) {
    for (const [nth, query] of /** @type {const} */ ([
      [1, ''],
      [1, '?kind=latest'],
      [1, '?kind=draft'],
      [1, '?kind=lastApproved'],
      [1, '?testProfileId=1'],
      [1, '?testProfileId=x'],
      [1, '?testProfileId=7004'],
      [2, '?kind=draft'],
      [3, '?kind=draft&testProfileId=7002'],
    ]))
      await tour.ask('GET', synchronization(nth, `/preview${query}`))
    await tour.ask('GET', `${synchronizations}/${unknownId}/preview`)
  },

  async testRecipients(tour) {
    const page = await tour.ask('GET', synchronization(1, '/test-profiles?pageSize=2'))
    await tour.follow(page, 'next')
    await tour.ask('GET', synchronization(1, '/test-mail-groups?pageSize=1'))
    await tour.ask('GET', synchronization(11, '/test-profiles'))
    await tour.ask('GET', synchronization(11, '/test-mail-groups'))
    await tour.ask('GET', synchronization(1, '/test-profiles?pageSize=x'))
  },

  async uploads(tour) {
    const path = synchronization(1, '/mailing-uploads')
    const upload = await tour.ask('POST', path, { body: {} })
    await tour.ask('GET', JSON.parse(upload.body)._links.self.href.replace(`http://${host}`, ''))
    await tour.advance('10m')
    await tour.follow(upload, 'self', { name: 'later' })
    await tour.ask('POST', path, { name: 'unknown member', body: { a: 1 } })
    await tour.ask('POST', synchronization(2, '/mailing-uploads'), { body: {} })
  },

  async testSendings(tour) {
    const path = synchronization(1, '/test-sendings')
    const bodies = {
      draft: { recipientAddresses: ['reader@example.org'], kind: 'draft' },
      'last approved': { recipientAddresses: ['a@example.org', 'b@example.org'], kind: 'lastApproved' },
      'both recipients': { testMailGroupId: 8001, recipientAddresses: ['reader@example.org'] },
      'unknown group': { testMailGroupId: 1 },
      'unknown profile': { testMailGroupId: 8001, testProfileId: 1 },
      'no address': { recipientAddresses: ['reader'] },
      'no addresses': { recipientAddresses: [] },
      'unknown kind': { testMailGroupId: 8001, kind: 'first' },
      'group is a text': { testMailGroupId: '8001' },
      'null members': { testMailGroupId: 8001, testProfileId: null, subjectPrefix: null },
    }
    for (const [name, body] of Object.entries(bodies)) await tour.ask('POST', path, { name, body })
    await tour.ask('POST', synchronization(2, '/test-sendings'), {
      name: 'draft only',
      body: { testMailGroupId: 8003 },
    })
    await tour.ask('POST', `${synchronizations}/${unknownId}/test-sendings`, {
      body: { testMailGroupId: 8001 },
    })
  },

  async mailings(tour) {
    for (const nth of [3, 5]) await tour.ask('GET', `/mailings/${mailing(nth)}`)
    const page = await tour.ask('GET', '/mailings?pageSize=2')
    await tour.follow(page, 'next')
    const both = [mailing(1), mailing(3)]
    for (const query of [
      'isApproved=true&pageSize=1',
      'hasDraft=true&pageSize=1',
      'isApproved=false&hasDraft=true&pageSize=2',
      'isApproved=0',
      `id=${both}`,
      `id=${mailing(1)}&id=${mailing(3)}`,
      `id=${unknownId}`,
      'id=x',
      'id=',
      `id=${Array(51).fill(mailing(1))}`,
      'pageSize=1.5',
    ])
      await tour.ask('GET', `/mailings?${query}`)
    await tour.ask('GET', '/mailings/x')
  },

  async customers(tour) {
    const page = await tour.ask('GET', `${customers}?pageSize=2`)
    await tour.follow(page, 'next')
    for (const name of ['Maison%20Orane', 'maison%20orane', 'Maison+Orane'])
      await tour.ask('GET', `${customers}/${name}`)
    for (const rest of [
      'lindenau/lists?pageSize=1',
      'harbour-group/lists',
      'lindenau/lists/2002',
      'lindenau/lists/x',
      'nobody/lists/2001',
    ])
      await tour.ask('GET', `${customers}/${rest}`)
  },

  async configuration(tour) {
    const path = (/** @type {string} */ customer) => `${customers}/${customer}/configuration/accessible-lists`
    await tour.ask('GET', path('nobody'))
    await tour.ask('PUT', path('harbour-group'), { body: { permittedLists: [1002, 1001], permitAll: false } })
    await tour.ask('GET', path('harbour-group'), { name: 'now there' })
    await tour.ask('GET', `${customers}/harbour-group/lists`)
    await tour.advance('1m')
    await tour.ask('PUT', path('harbour-group'), {
      name: 'lists and all',
      body: { permittedLists: [1001], permitAll: true },
    })
    const wrong = {
      'no lists': { permittedLists: [] },
      'unknown list': { permittedLists: [5], permitAll: false },
      'list of another customer': { permittedLists: [2001], permitAll: false },
      'list twice': { permittedLists: [1001, 1001], permitAll: false },
      'not a list': { permittedLists: 1001 },
      texts: { permittedLists: ['1001'] },
      'permitAll is a text': { permitAll: 'true' },
    }
    for (const [name, body] of Object.entries(wrong))
      await tour.ask('PUT', path('harbour-group'), { name, body })
    await tour.ask('POST', synchronization(7, '/sendings'), { name: 'still permitted', body: {} })
    await tour.ask('PUT', path('lindenau'), {
      name: 'without 2001',
      body: { permittedLists: [2003], permitAll: false },
    })
    await tour.ask('POST', synchronization(7, '/sendings'), { name: 'no longer permitted', body: {} })
  },

  async states(tour) {
    // The transaction ID names a scenario.
    for (const scenario of [
      'pending-then-created',
      'failed-once',
      'indeterminate-sent',
      'failed-then-pending',
    ])
      for (const attempt of [1, 2, 3]) {
        const body = { transactionId: `mock:${scenario}:a` }
        await tour.ask('POST', synchronization(1, '/sendings'), { name: `${scenario}, ${attempt}`, body })
      }
    await tour.ask('GET', synchronization(1, '/sendings?includeAllStates=true'))
    await tour.ask('POST', synchronization(1, '/sendings'), {
      name: 'unknown scenario',
      body: { transactionId: 'mock:no-such-thing:a' },
    })
    await tour.ask('POST', synchronization(1, '/sendings'), {
      name: 'unknown scenario in a header',
      headers: { 'X-Mock-Scenario': 'no-such-thing' },
      body: { transactionId: 'header' },
    })
    await tour.ask('GET', synchronization(1), {
      name: '429',
      headers: { 'X-Mock-Scenario': 'too-many-requests-429' },
    })
    for (const scenario of [
      'error-500-before',
      'gateway-502-sent',
      'gateway-504-sent',
      'unavailable-retry-after-date',
      'not-approved',
    ])
      await tour.ask('POST', synchronization(1, '/sendings'), {
        name: scenario,
        headers: { 'X-Mock-Scenario': scenario },
        body: { transactionId: scenario },
      })
  },

  async connection(tour) {
    const path = `/mailings/${mailing(1)}`
    const { user } = tour
    const get = requestBytes('GET', path, { user })
    await tour.send('two requests on one connection', [get, requestBytes('HEAD', path, { user })], true)
    await tour.send(
      'Connection: close',
      requestBytes('GET', path, { user, headers: { Connection: 'close' } }),
    )
    await tour.send('HTTP/1.0', Buffer.from(get.toString().replace('HTTP/1.1', 'HTTP/1.0')))
    await tour.send('HTTP/2.0', Buffer.from(get.toString().replace('HTTP/1.1', 'HTTP/2.0')))
    await tour.send('no host', Buffer.from(get.toString().replace(/Host: .*\r\n/, '')))
    await tour.send('no HTTP', Buffer.from('hello\r\n\r\n'))
    await tour.send('space in the path', Buffer.from('GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'))
    await tour.send(
      'two lengths',
      requestBytes('POST', path, { user, headers: { 'Content-Length': '2\r\nContent-Length: 3' } }),
    )
    await tour.send(
      'head too large',
      requestBytes('GET', path, { user, headers: { 'X-Long': 'x'.repeat(20_000) } }),
    )
    await tour.send('foreign host', requestBytes('GET', path, { user, headers: { Host: 'evil.example' } }))
    await tour.send(
      'host of an address',
      requestBytes('GET', path, { user, headers: { Host: '127.0.0.1:1' } }),
    )
    await tour.send('strange host', requestBytes('GET', path, { user, headers: { Host: 'a b<c' } }))
    await tour.send(
      'forwarded',
      requestBytes('GET', path, {
        user,
        headers: { 'X-Forwarded-Host': 'proxy.example', 'X-Forwarded-Proto': 'https' },
      }),
    )
    await tour.send(
      'authority in upgrade',
      requestBytes('GET', path, { user, headers: { Connection: 'Upgrade', Upgrade: 'h2c' } }),
    )
    await tour.send('CONNECT', Buffer.from(`CONNECT localhost:80 HTTP/1.1\r\nHost: ${host}\r\n\r\n`))
  },
}

/** Mocks with other settings, each with a few requests. */
const others = {
  'rate limit': {
    args: ['--rate-limit', '2'],
    /** @param {Tour} tour */
    async ask(tour) {
      for (const nth of [1, 2, 3, 4]) await tour.ask('GET', synchronization(1), { name: `${nth}` })
      await tour.advance('30s')
      await tour.ask('GET', synchronization(1), { name: 'half a minute later' })
      await tour.ask('POST', synchronization(1, '/sendings'), { body: {} })
    },
  },
  'other names': {
    args: ['--relation-prefix', 'acme', '--platform-segment', 'acme-mail', '--no-hints'],
    /** @param {Tour} tour */
    async ask(tour) {
      const path = synchronization(1).replace('mailing-platform', 'acme-mail')
      await tour.ask('GET', path)
      await tour.ask('GET', synchronization(1))
      await tour.ask('GET', `${path}/sendings`)
      await tour.ask('POST', `${path}/sendings`, { body: { transactionId: 'x' } })
      await tour.ask('GET', '/nowhere')
    },
  },
  'public address': {
    args: ['--public-url', 'https://mail.example/base/', '--allow-host', 'inside.example'],
    /** @param {Tour} tour */
    async ask(tour) {
      await tour.ask('GET', synchronization(1))
      await tour.ask('GET', synchronization(1), { name: 'allowed host', headers: { Host: 'inside.example' } })
      await tour.ask('GET', synchronization(1), {
        name: 'foreign host',
        headers: { Host: 'outside.example' },
      })
      await tour.ask('POST', synchronization(1, '/sendings'), { body: { transactionId: 'x' } })
    },
  },
  'trusted proxy': {
    args: ['--trust-proxy', '--allow-host', 'proxy.example'],
    /** @param {Tour} tour */
    async ask(tour) {
      const headers = {
        'X-Forwarded-Host': 'proxy.example',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Prefix': '/mail',
      }
      await tour.ask('GET', synchronization(1), { headers })
      await tour.ask('GET', synchronization(1), {
        name: 'bad',
        headers: { ...headers, 'X-Forwarded-Host': 'evil.example' },
      })
      await tour.ask('GET', synchronization(1), { name: 'without', headers: {} })
    },
  },
  limits: {
    args: ['--body-limit', '100', '--header-limit', '1024'],
    /** @param {Tour} tour */
    async ask(tour) {
      await tour.ask('POST', synchronization(1, '/sendings'), { body: { name: 'n'.repeat(100) } })
      await tour.ask('GET', synchronization(1), { headers: { 'X-Long': 'x'.repeat(2_000) } })
    },
  },
}

export async function record() {
  const recording = new Recording()
  const mock = await RunningMock.start()
  try {
    for (const [group, ask] of Object.entries(groups)) await ask(new Tour(mock, recording, group))
  } finally {
    await mock.stop()
  }
  for (const [group, { args, ask }] of Object.entries(others)) {
    const other = await RunningMock.start(args)
    try {
      await ask(new Tour(other, recording, group.replaceAll(' ', '-')))
    } finally {
      await other.stop()
    }
  }
  return { tour: recording.entries }
}
