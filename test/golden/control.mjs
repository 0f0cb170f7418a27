/** Every control call with a success and a refusal, byte for byte. */
import { Recording } from './entries.mjs'
import { RunningMock } from './mock.mjs'
import { exchange, requestBytes, shown } from './wire.mjs'

const synchronization = '22222222-0000-4000-8000-000000000001'
const sendings = `/integrations/mailing-platform/mailing-synchronizations/${synchronization}/sendings`
const mailing = (/** @type {number} */ nth) => `11111111-0000-4000-8000-00000000000${nth}`
const own = '/spaces/demo%2Bcontrol'
const unknown = '/spaces/nowhere'

/** A control call: method, path below /_mock, body, and what else tells it from others. @typedef {[string, string, unknown?, string?]} Call */
/** A request of the service: method and path as they are, the body, the user. @typedef {{ service: [string, string, unknown?, string?] }} Asked */

/** In this order, on one mock. @type {Record<string, (Call | Asked)[]>} */
const parts = {
  root: [
    ['GET', '/health'],
    ['GET', ''],
    ['GET', '/'],
    ['GET', '/nothing'],
    ['POST', '/reset', {}],
    ['POST', '/reset', { all: true }, 'unknown member'],
    ['GET', '/operations'],
    ['GET', '/operations?x=1'],
    ['DELETE', '/health'],
    ['HEAD', '/spaces'],
  ],
  lists: [
    ['GET', '/dials'],
    ['GET', '/faults'],
    ['GET', '/exam-cases'],
    ['GET', '/pact/provider-states'],
    ['GET', '/scenarios'],
    ['GET', '/control/openapi.json'],
  ],
  spaces: [
    ['GET', own],
    [
      'PUT',
      own,
      {
        seed: 5,
        clock: { now: '2026-05-01T08:00:00Z', frozen: true },
        scenario: 'failed-once',
        dials: { 'error-body': 'minimal' },
      },
    ],
    ['GET', own, undefined, 'now there'],
    ['PUT', own, { seed: 'x', colour: 'red' }, 'wrong'],
    ['PUT', own, { scenario: 'failed-onec' }, 'unknown scenario'],
    ['PUT', own, {}, 'as the fixture has it'],
    ['GET', '/spaces'],
    ['GET', '/spaces?x=1'],
    ['GET', unknown],
    ['PUT', '/spaces/new', {}, 'without a fixture'],
    ['DELETE', '/spaces/demo', {}],
    ['DELETE', '/spaces/demo%2Bnone', {}],
    ['PUT', '/spaces/demo%2Bremoved', {}],
    ['DELETE', '/spaces/demo%2Bremoved', {}],
    ['POST', `${own}/reset`, {}],
    ['POST', `${unknown}/reset`, {}],
    ['GET', `${unknown}/openapi.json`],
    ['GET', `${unknown}/snapshot`],
    ['PUT', `${own}/snapshot`, { space: 'demo' }, 'no snapshot'],
  ],
  scenario: [
    ['GET', `${own}/scenario`],
    ['PUT', `${own}/scenario`, { name: 'reset-after' }],
    ['PUT', `${own}/scenario`, { name: 'loss-after-reset-2' }, 'of the matrix'],
    [
      'PUT',
      `${own}/scenario`,
      { rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '30s' }, { state: 'FAILED' }] }] },
      'a definition',
    ],
    { service: ['POST', sendings, { transactionId: 'a' }] },
    ['GET', `${own}/scenario`, undefined, 'with hits'],
    { service: ['POST', sendings, { transactionId: 'mock:failed-once:b' }] },
    ['GET', `${own}/scenario`, undefined, 'with a chosen one'],
    ['PUT', `${own}/scenario`, { name: 'reset-aftr' }, 'unknown'],
    ['PUT', `${own}/scenario`, { rules: [] }, 'no rules'],
    [
      'PUT',
      `${own}/scenario`,
      { rules: [{ on: 'getSending', steps: [{ state: 'FAILED' }] }] },
      'misplaced state',
    ],
    ['PUT', `${unknown}/scenario`, { name: 'reset-after' }],
    ['GET', `${unknown}/scenario`],
    ['DELETE', `${own}/scenario`, {}],
    ['DELETE', `${own}/scenario`, {}, 'again'],
    ['DELETE', `${unknown}/scenario`, {}],
    ['GET', '/scenarios/reset-after'],
    ['GET', '/scenarios/loss-after-reset-2'],
    ['GET', '/scenarios/loss-after-reset-4'],
    ['GET', '/scenarios/reset-aftr'],
    [
      'POST',
      '/scenarios/check',
      { text: 'rules:\n  - on: createSending\n    steps: [{ state: PENDING }]' },
      'right',
    ],
    [
      'POST',
      '/scenarios/check',
      { text: 'rules:\n  - on: createSending\n    steps: [{ state: PENDNG }]' },
      'wrong',
    ],
    ['POST', '/scenarios/check', { text: 'rules: [' }, 'not YAML'],
    ['POST', '/scenarios/check', { txt: '' }, 'misspelt'],
  ],
  faults: [
    ['GET', `${own}/faults`],
    ['POST', `${own}/faults`, { on: 'createSending', phase: 'after', answer: { fault: 'malformed-json' } }],
    [
      'POST',
      `${own}/faults`,
      { on: 'listMailings', steps: [{ times: 2, answer: { status: 503, retryAfter: 5 } }] },
      'with steps',
    ],
    ['POST', `${own}/faults`, { on: 'createSending', state: 'CREATED' }, 'only a state'],
    [
      'POST',
      `${own}/faults`,
      { on: 'createSending', answer: { fault: 'drip', evry: '1s' } },
      'misspelt setting',
    ],
    [
      'POST',
      `${own}/faults`,
      { on: 'createSending', phase: 'after', answer: { fault: 'reset-upload' } },
      'early fault, late phase',
    ],
    ['POST', `${own}/faults`, { on: 'createSending' }, 'without effect'],
    ['POST', `${unknown}/faults`, { on: 'createSending', answer: { fault: 'reset' } }],
    { service: ['POST', sendings, { transactionId: 'faulty' }] },
    { service: ['GET', '/mailings?pageSize=1'] },
    ['GET', `${own}/faults`, undefined, 'with hits'],
    ['GET', `${own}/faults/f1`],
    ['GET', `${own}/faults/f9`],
    ['GET', `${unknown}/faults`],
    ['DELETE', `${own}/faults/f2`, {}],
    ['DELETE', `${own}/faults/f2`, {}, 'again'],
    ['DELETE', `${own}/faults`, {}],
    ['DELETE', `${unknown}/faults`, {}],
  ],
  clock: [
    ['GET', `${own}/clock`],
    ['POST', `${own}/clock`, { advance: '5m' }],
    ['POST', `${own}/clock`, { advance: 'PT1H30M' }],
    ['POST', `${own}/clock`, { set: '2026-12-01T00:00:00Z' }],
    ['POST', `${own}/clock`, { set: '2026-11-01T10:00:00Z', freeze: true }, 'back'],
    ['POST', `${own}/clock`, { advance: 5 }, 'a number'],
    ['POST', `${own}/clock`, { advance: '-5m' }, 'backwards'],
    ['POST', `${own}/clock`, { advance: '40000d' }, 'too far'],
    ['POST', `${own}/clock`, { set: 'noon' }, 'no date'],
    ['POST', `${own}/clock`, { rate: 0 }, 'no rate'],
    ['POST', `${own}/clock`, {}, 'nothing'],
    ['POST', `${own}/clock`, { freeze: true, resume: true }, 'two at once'],
    ['POST', `${unknown}/clock`, { advance: '5m' }],
    ['GET', `${unknown}/clock`],
  ],
  dials: [
    ['GET', `${own}/dials`],
    ['PUT', `${own}/dials`, { 'error-body': 'minimal', 'stale-cursor-status': '404' }],
    { service: ['GET', '/mailings?cursor=x'] },
    ['PUT', `${own}/dials`, { 'error-body': 'tiny' }, 'unknown value'],
    ['PUT', `${own}/dials`, { 'eror-body': 'minimal' }, 'unknown dial'],
    ['PUT', `${own}/dials`, {}, 'back'],
    ['PUT', `${unknown}/dials`, {}],
    ['GET', `${unknown}/dials`],
  ],
  mailings: [
    ['GET', `${own}/mailings?limit=2`],
    ['GET', `${own}/mailings?hasDraft=true&isApproved=false&limit=1`],
    ['GET', `${own}/mailings?name=winter&limit=1`],
    ['GET', `${own}/mailings?limit=0`],
    ['GET', `${own}/mailings?hasDraft=x`],
    ['GET', `${unknown}/mailings`],
    ['GET', `${own}/mailings/${mailing(3)}`],
    ['GET', `${own}/mailings/none`],
    ['POST', `${own}/mailings/${mailing(3)}/approve`, {}],
    ['POST', `${own}/mailings/${mailing(3)}/approve`, {}, 'again'],
    ['POST', `${own}/mailings/none/approve`, {}],
    ['POST', `${own}/mailings/${mailing(3)}/draft`, { subject: 'Another' }],
    ['POST', `${own}/mailings/${mailing(3)}/draft`, {}, 'again'],
    ['POST', `${own}/mailings/none/draft`, {}],
    ['POST', `${own}/mailings/${mailing(1)}/edit`, { name: 'Spring letter', text: 'Hello' }],
    ['POST', `${own}/mailings/${mailing(1)}/edit`, {}, 'nothing'],
    ['POST', `${own}/mailings/${mailing(1)}/edit`, { colour: 'red' }, 'unknown member'],
    ['POST', `${own}/mailings/none/edit`, { name: 'x' }],
  ],
  requests: [
    ['DELETE', `${own}/requests`, {}],
    { service: ['POST', sendings, { transactionId: 'one', name: 'A name' }] },
    { service: ['POST', sendings, { transactionId: 'one' }] },
    { service: ['POST', sendings, { transactionId: 'mock:indeterminate-sent:x' }] },
    { service: ['GET', `${sendings}?includeAllStates=true`] },
    { service: ['GET', '/mailings/none'] },
    { service: ['POST', sendings, { scheduleDate: 'soon' }] },
    { service: ['POST', sendings, { transactionId: 'later', scheduleDate: '2026-11-02T10:00:00Z' }] },
    ['GET', `${own}/requests`],
    ['GET', `${own}/requests?operation=createSending&status=201`],
    ['GET', `${own}/requests?status=4xx&order=newest&limit=1`],
    ['GET', `${own}/requests?transactionId=one&since=1`],
    ['GET', `${own}/requests?scenario=indeterminate-sent&delivered=handed`],
    ['GET', `${own}/requests?order=newest&limit=3&format=text`],
    ['GET', `${own}/requests?operation=createSendings`],
    ['GET', `${own}/requests?limit=0`],
    ['GET', `${own}/requests?delivered=perhaps`],
    ['GET', `${unknown}/requests`],
    ...[0, 1, 2, 3, 4, 5, 6].map(nth => /** @type {Call} */ (['GET', `${own}/requests/(${nth})`])),
    ['GET', `${own}/requests/(0)?format=text`],
    ['GET', `${own}/requests/(0)?format=words`],
    ['GET', `${own}/requests/r99-99`],
    ['GET', `${own}/requests/wait?operation=createSending&count=2`],
    ['GET', `${own}/requests/wait?operation=createSending&count=99&timeout=10ms`],
    ['GET', `${own}/requests/wait?count=0`],
    ['GET', `${unknown}/requests/wait`],
    ['GET', `${own}/platform`],
    ['GET', `${own}/platform?transactionId=one`],
    ['GET', `${own}/platform?seeded=true&limit=2`],
    ['GET', `${own}/platform?format=text`],
    ['GET', `${own}/platform?limit=x`],
    ['GET', `${unknown}/platform`],
    ['GET', `${own}/verdict`],
    ['GET', `${own}/verdict?believes=not-sent&expected=3`],
    ['GET', `${own}/verdict?believes=sent&format=text`],
    ['GET', `${own}/verdict?believes=perhaps`],
    ['GET', `${unknown}/verdict`],
    ['POST', `${own}/clock`, { advance: '2d' }],
    ['GET', `${own}/platform?transactionId=later`, undefined, 'when it has gone out'],
    ['DELETE', `${own}/requests`, {}, 'again'],
    ['DELETE', `${unknown}/requests`, {}],
    ['GET', `${own}/requests`, undefined, 'forgotten'],
  ],
  holds: [
    ['GET', `${own}/holds`],
    ['GET', `${unknown}/holds`],
    ['POST', `${own}/holds/gate/release`, {}],
    ['POST', `${own}/holds/gate/release`, { count: 0 }],
    ['POST', `${unknown}/holds/gate/release`, {}],
  ],
  sidePort: [
    ['GET', `${own}/side-port`],
    ['PUT', `${own}/side-port`, { mode: 'silent' }],
    ['PUT', `${own}/side-port`, { mode: 'quiet' }],
    ['GET', `${own}/side-port`, undefined, 'now there'],
    ['PUT', `${unknown}/side-port`, { mode: 'silent' }],
    ['GET', `${unknown}/side-port`],
    ['DELETE', `${own}/side-port`, {}],
    ['DELETE', `${own}/side-port`, {}, 'again'],
    ['DELETE', `${unknown}/side-port`, {}],
  ],
  pact: [
    [
      'POST',
      `${own}/pact/provider-states`,
      { state: 'a sending exists', params: { transactionId: 'order-4711', state: 'PENDING' } },
    ],
    ['POST', `${own}/pact/provider-states`, { state: 'a sending exists', action: 'teardown' }],
    ['POST', `${own}/pact/provider-states`, { state: 'a sendng exists' }],
    ['POST', `${own}/pact/provider-states`, { state: 'a sending exists', params: { state: 'PENDNG' } }],
    ['POST', `${own}/pact/provider-states`, {}],
    ['POST', `${unknown}/pact/provider-states`, { state: 'a sending exists' }],
  ],
  exams: [
    ['GET', '/exams'],
    ['GET', '/exams?x=1'],
    ['POST', '/exams', { only: ['happy-path', 'reset-aft*'] }],
    ['POST', '/exams', { only: ['reset-aftr'] }],
    ['POST', '/exams', { tags: ['lost-answr'] }],
    ['POST', '/exams', { speed: 0 }],
    ['GET', '/exams/exam-1'],
    ['GET', '/exams/exam-9'],
    ['GET', '/exams/exam-1/cases/happy-path', undefined, 'not ended'],
    {
      service: ['POST', '(synchronization of happy-path)', { transactionId: 'exam' }, '(user of happy-path)'],
    },
    ['POST', '/exams/exam-1/cases/happy-path', { believes: 'sent' }],
    ['POST', '/exams/exam-1/cases/happy-path', { believes: 'sent' }, 'again'],
    ['POST', '/exams/exam-1/cases/reset-after', { believes: 'perhaps' }],
    ['POST', '/exams/exam-1/cases/reset-after', { believes: 'sent' }, 'without a request'],
    ['POST', '/exams/exam-1/cases/none', { believes: 'sent' }],
    ['GET', '/exams/exam-1/cases/happy-path'],
    ['GET', '/exams/exam-1/cases/none'],
    ['GET', '/exams', undefined, 'with one'],
    ['DELETE', '/exams/exam-1', {}],
    ['DELETE', '/exams/exam-1', {}, 'again'],
  ],
}

export async function record() {
  const recording = new Recording()
  const mock = await RunningMock.start([], { isSteady: true })
  try {
    const tour = new ControlTour(mock, recording)
    for (const [part, steps] of Object.entries(parts)) for (const step of steps) await tour.go(part, step)
    await snapshots(mock, recording)
    await events(mock, recording)
    await held(mock, recording)
  } finally {
    await mock.stop()
  }
  await refusals(recording)
  return { control: recording.entries }
}

class ControlTour {
  #mock
  #recording

  /** @param {RunningMock} mock @param {Recording} recording */
  constructor(mock, recording) {
    this.#mock = mock
    this.#recording = recording
  }

  /** @param {string} part @param {Call | Asked} step */
  async go(part, step) {
    if ('service' in step) return this.#askService(...step.service)
    const [method, given, body, name] = step
    const path = await this.#filledIn(given)
    const bytes = requestBytes(method, `/_mock${path}`, {
      headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const exchanged = await exchange(this.#mock.port, bytes, { isHead: method === 'HEAD' })
    const title = [part, ': ', method, ' ', given, ...(name ? [` (${name})`] : [])].join('')
    const text = this.#mock.unportedText(shown(exchanged))
    // The folder of the clone stands in it, and has its own length.
    const steady = text.replaceAll(/(Content-Length: |JSON, )\d+/g, '$1(length)')
    this.#recording.add(title, text.includes('(root)/') ? steady : text)
  }

  /** @param {string} method @param {string} path @param {unknown} [body] @param {string} [user] */
  async #askService(method, path, body, user = 'demo+control') {
    const json = path.startsWith('(') || user.startsWith('(') ? await this.#examCase() : undefined
    const address = json ? sendings.replace(synchronization, json.synchronizationId) : path
    const bytes = requestBytes(method, address, {
      user: json?.user ?? user,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await this.#mock.passes(2_000)
    await exchange(this.#mock.port, bytes)
  }

  async #examCase() {
    const exam = await this.#mock.must('GET', '/exams/exam-1')
    return exam.cases.find((/** @type {any} */ it) => it.name === 'happy-path')
  }

  /** Puts the ID of the n-th request in place of its number. @param {string} path */
  async #filledIn(path) {
    const nth = /\((\d)\)(?:\?|$)/.exec(path)?.[1]
    if (nth === undefined) return path
    const { _embedded } = await this.#mock.must('GET', `${own}/requests`)
    return path.replace(`(${nth})`, _embedded.requests[Number(nth)].id)
  }
}

/** A snapshot is long; what matters is that the space goes on from it. @param {RunningMock} mock @param {Recording} recording */
async function snapshots(mock, recording) {
  const space = '/spaces/demo%2Bsnapshot'
  await mock.must('PUT', space, {})
  const user = 'demo+snapshot'
  await exchange(mock.port, requestBytes('POST', sendings, { user, body: '{"transactionId":"kept"}' }))
  const snapshot = await mock.must('GET', `${space}/snapshot`)
  const { mailings: _, ...rest } = snapshot
  const fresh = rest.sendings.filter((/** @type {any} */ it) => it.transactionId === 'kept')
  recording.add('snapshot: members', Object.keys(snapshot))
  recording.add('snapshot: the sending', fresh)
  recording.add('snapshot: settings', rest.settings ?? rest.mock ?? Object.keys(rest).slice(-4))
  const put = await mock.control('PUT', '/spaces/demo%2Brestored/snapshot', snapshot)
  recording.add('snapshot: restored', { status: put.status })
  const again = await exchange(
    mock.port,
    requestBytes('POST', sendings, { user: 'demo+restored', body: '{"transactionId":"kept"}' }),
  )
  recording.add('snapshot: the repeat finds it', shown(again))
}

/** A stream without the framing of its chunks, which depends on how fast it is read. @param {Buffer} bytes */
function unchunked(bytes) {
  const end = bytes.indexOf('\r\n\r\n') + 4
  const pieces = [bytes.subarray(0, end)]
  for (let at = end; at < bytes.length; ) {
    const line = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.toString('latin1', at, line), 16)
    pieces.push(bytes.subarray(line + 2, line + 2 + length))
    at = line + 2 + length + 2
  }
  return Buffer.concat(pieces)
}

/** A request that a step holds, until it is released. @param {RunningMock} mock @param {Recording} recording */
async function held(mock, recording) {
  const space = '/spaces/demo%2Bheld'
  await mock.must('PUT', space, {})
  await mock.must('POST', `${space}/faults`, { on: 'createSending', hold: 'gate' })
  const asked = exchange(mock.port, requestBytes('POST', sendings, { user: 'demo+held', body: '{}' }))
  const holds = () => mock.must('GET', `${space}/holds`)
  while ((await holds())._embedded.holds.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
  recording.add('holds: GET, with one', await holds())
  const release = requestBytes('POST', `/_mock${space}/holds/gate/release`, {
    headers: { 'Content-Type': 'application/json' },
    body: '{"count":1}',
  })
  recording.add('holds: released', shown(await exchange(mock.port, release)))
  recording.add('holds: the answer', shown(await asked))
}

/** Every operation without the token that the mock wants, and from a host and a page that may not ask. @param {Recording} recording */
async function refusals(recording) {
  const mock = await RunningMock.start()
  const guarded = await RunningMock.start(['--token', 'secret-word'])
  try {
    const { paths } = await mock.must('GET', '/control/openapi.json')
    const lines = []
    for (const [path, item] of Object.entries(paths))
      for (const name of Object.keys(item).filter(it => it !== 'parameters')) {
        const method = name.toUpperCase()
        const target = path.replace('{space}', 'demo').replaceAll(/\{\w+\}/g, 'none')
        const status = async (
          /** @type {RunningMock} */ of,
          /** @type {Record<string, string>} */ headers,
        ) => {
          const body = method === 'GET' ? {} : { body: '{' }
          const json = { 'Content-Type': 'application/json', ...headers }
          const { bytes } = await exchange(of.port, requestBytes(method, target, { headers: json, ...body }))
          return bytes.toString('latin1', 9, 12)
        }
        const token = await status(guarded, {})
        const host = await status(mock, { Host: 'evil.example' })
        const isChange = method !== 'GET' || path.endsWith('/events')
        const origin = isChange
          ? `, foreign origin ${await status(mock, { Origin: 'https://evil.example' })}`
          : ''
        lines.push(`${method} ${path}: no token ${token}, foreign host ${host}${origin}`)
      }
    recording.add('refusals of every operation', lines.join('\n'))
  } finally {
    await Promise.all([mock.stop(), guarded.stop()])
  }
}

/** @param {RunningMock} mock @param {Recording} recording */
async function events(mock, recording) {
  const space = '/spaces/demo%2Bevents'
  await mock.must('PUT', space, {})
  for (const path of [`${space}/events`, '/events']) {
    const exchanged = await exchange(mock.port, requestBytes('GET', `/_mock${path}`), {
      quiet: 2_500,
      onStart: async () => {
        await exchange(mock.port, requestBytes('GET', '/mailings/none', { user: 'demo+events' }))
        await mock.must('POST', `${space}/clock`, { advance: '5m' })
        await mock.must('PUT', `${space}/scenario`, { name: 'reset-after' })
        await mock.must('POST', `${space}/mailings/${mailing(1)}/edit`, { name: 'Edited' })
        await mock.must('POST', `${space}/reset`, {})
      },
    })
    recording.add(`events: GET ${path}`, shown({ ...exchanged, bytes: unchunked(exchanged.bytes) }))
  }
  const refused = await exchange(
    mock.port,
    requestBytes('GET', `/_mock${space}/events`, { headers: { Origin: 'https://evil.example' } }),
  )
  recording.add('events: foreign origin', shown(refused))
  const unknownSpace = await exchange(mock.port, requestBytes('GET', `/_mock${unknown}/events`))
  recording.add('events: unknown space', shown(unknownSpace))
}
