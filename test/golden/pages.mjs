/** The pages: their markup, a line for each tag. */
import { Recording } from './entries.mjs'
import { RunningMock } from './mock.mjs'
import { exchange, requestBytes } from './wire.mjs'

const synchronization = '22222222-0000-4000-8000-000000000001'
const sendings = `/integrations/mailing-platform/mailing-synchronizations/${synchronization}/sendings`
const mailing = (/** @type {number} */ nth) => `11111111-0000-4000-8000-00000000000${nth}`
const space = '/spaces/demo%2Bpages'

export async function record() {
  const recording = new Recording()
  const mock = await RunningMock.start([], { isSteady: true })
  const ask = async (/** @type {string} */ path, of = mock) => {
    const response = await fetch(`http://127.0.0.1:${of.port}/_mock${path}`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    })
    const markup = of.unportedText(await response.text()).replaceAll(/(\/assets\/)[0-9a-f]+/g, '$1(hash)')
    const headers = ['content-type', 'content-security-policy', 'cache-control', 'location']
      .filter(name => response.headers.has(name))
      .map(name => `${name}: ${response.headers.get(name)}`)
    const lines = [`${response.status}`, ...headers, '', linesOf(markup)]
    recording.add(of === mock ? path : `${path} where a token is wanted`, lines.join('\n'))
  }
  try {
    await mock.must('PUT', space, {})
    /** @type {[string, unknown][]} */
    const bodies = [
      ['plain', { transactionId: 'one', name: 'Named' }],
      ['repeated', { transactionId: 'one' }],
      ['disturbed', { transactionId: 'mock:indeterminate-sent:x' }],
      ['lost', { transactionId: 'mock:malformed-json:y' }],
      ['refused', { scheduleDate: 'soon' }],
      ['later', { transactionId: 'later', scheduleDate: '2026-11-02T10:00:00Z' }],
    ]
    for (const [, body] of bodies) {
      await mock.passes(2_000)
      const bytes = requestBytes('POST', sendings, { user: 'demo+pages', body: JSON.stringify(body) })
      await exchange(mock.port, bytes)
    }
    await mock.must('POST', `${space}/clock`, { advance: '3h' })
    await mock.must('PUT', `${space}/scenario`, { name: 'pending-then-created' })
    const { _embedded } = await mock.must('GET', `${space}/requests`)
    const { sendings: sent } = await mock.must('GET', `${space}/platform`)
    const { _links } = await mock.must('GET', '')
    await ask('')
    await ask('/')
    for (const rest of ['', '/requests', '/requests?status=4xx', '/requests?operation=nothing'])
      await ask(space + rest)
    for (const { id } of _embedded.requests) await ask(`${space}/requests/${id}`)
    await ask(`${space}/requests/r99-99`)
    for (const nth of [1, 3, 5])
      for (const rest of ['', '/draft', '/approved', '/draft/html', '/approved/html'])
        await ask(`${space}/mailings/${mailing(nth)}${rest}`)
    for (const rest of [
      '/mailings',
      '/mailings/none',
      '/sendings',
      '/scenario',
      '/clock',
      '/data',
      '/platform',
      '/verdict',
    ])
      await ask(space + rest)
    for (const table of ['mailings', 'synchronizations', 'sendings', 'customers', 'lists', 'users'])
      await ask(`${space}/data?table=${table}`)
    await ask(`${space}/verdict?believes=sent`)
    for (const { sendingId } of sent) await ask(`${space}/sendings/${sendingId}/report`)
    await ask(`${space}/sendings/none/report`)
    await ask('/spaces/nowhere')
    await ask('/docs')
    for (const page of ['createSending', 'getMailing', 'putAccessibleLists', 'turnClock', 'none'])
      await ask(`/docs/${page}`)
    for (const relation of ['sendings', 'report', 'mailing-editor', 'upcoming-modifications', 'none'])
      await ask(`/relations/${relation}`)
    for (const problem of ['validation', 'not-found', 'gone', 'none']) await ask(`/problems/${problem}`)
    await ask('/sign-in')
    const guarded = await RunningMock.start(['--token', 'secret-word'], { isSteady: true })
    for (const path of ['', '/sign-in', '/spaces/demo']) await ask(path, guarded)
    await guarded.stop()
    await ask('/nothing')
    if (!_links) throw new Error('the control API has no links')
  } finally {
    await mock.stop()
  }
  return { pages: recording.entries }
}

/** @param {string} markup */
const linesOf = markup =>
  markup
    .replaceAll(/<[^>]+>/g, '\n$&\n')
    .split('\n')
    .map(line => line.replaceAll(/\s+/g, ' ').trim())
    .filter(line => line !== '')
    .join('\n')
