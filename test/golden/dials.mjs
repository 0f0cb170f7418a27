/** Every value of every dial: the answers that it changes, held against those of the defaults. */
import { diffOf } from './diff.mjs'
import { Recording } from './entries.mjs'
import { RunningMock } from './mock.mjs'
import { answerOf, exchange, host, requestBytes, shown } from './wire.mjs'

const space = 'demo+dials'
const below = `/spaces/${encodeURIComponent(space)}`
const integration = '/integrations/mailing-platform'
const synchronizations = `${integration}/mailing-synchronizations`
const customers = `${integration}/accessible-customers`
const configuration = (/** @type {string} */ customer) =>
  `${customers}/${customer}/configuration/accessible-lists`
const of = (/** @type {number} */ nth, rest = '') =>
  `${synchronizations}/22222222-0000-4000-8000-0000000000${String(nth).padStart(2, '0')}${rest}`
const mailing = '11111111-0000-4000-8000-000000000001'
const filter = `mailingId=${mailing},11111111-0000-4000-8000-000000000003`

/**
 * What is asked, in this order: a request, time that passes, or a link of an earlier answer to follow.
 * @typedef {{ ask?: [string, string, unknown?], as?: string, follow?: [string, string, string?], advance?: string }} Step
 */

/** @type {Record<string, Step>} */
const steps = {
  'configuration before PUT': { ask: ['GET', configuration('harbour-group')] },
  'first configuration': {
    ask: ['PUT', configuration('harbour-group'), { permittedLists: [1002, 1003, 1001] }],
  },
  'configuration with ignored lists': {
    ask: ['PUT', configuration('harbour-group'), { permittedLists: [1001], permitAll: true }],
  },
  'configuration of lists': {
    ask: ['PUT', configuration('lindenau'), { permittedLists: [2003, 2001], permitAll: false }],
  },
  'configuration of three lists': {
    ask: ['PUT', configuration('harbour-group'), { permittedLists: [1001, 1002, 1003], permitAll: false }],
  },
  'configuration now': { ask: ['GET', configuration('lindenau')] },
  'no sendings': { ask: ['GET', of(1, '/sendings')] },
  customers: { ask: ['GET', customers] },
  'page of customers': { ask: ['GET', `${customers}?pageSize=1`], as: 'page' },
  'page of 1000': { ask: ['GET', `${customers}?pageSize=1000`] },
  'page of 1001': { ask: ['GET', `${customers}?pageSize=1001`] },
  'page of 100': { ask: ['GET', `${customers}?pageSize=100`] },
  'unknown cursor': { ask: ['GET', `${customers}?cursor=nonsense`] },
  modifications: {
    ask: ['GET', `${synchronizations}?syncModifications=true&${filter}`],
    as: 'modifications',
  },
  synchronization: { ask: ['GET', of(1)] },
  'synchronization with a draft': { ask: ['GET', of(2)] },
  'a mailing': { ask: ['GET', `/mailings/${mailing}`] },
  mailings: { ask: ['GET', `/mailings?id=${mailing}`] },
  'unknown mailing': { ask: ['GET', '/mailings/none'] },
  'wrong parameter': { ask: ['GET', '/mailings?pageSize=x'] },
  'wrong member': { ask: ['POST', of(1, '/sendings'), { transactionId: 'wrong', name: 5 }] },
  'right after a refusal': { ask: ['POST', of(1, '/sendings'), { transactionId: 'wrong' }] },
  'unknown member': { ask: ['POST', of(1, '/sendings'), { transactionId: 'unknown', colour: 'red' }] },
  'null member': { ask: ['POST', of(1, '/sendings'), { transactionId: 'null', name: null }] },
  created: { ask: ['POST', of(1, '/sendings'), { transactionId: 'one' }], as: 'sending' },
  repeated: { ask: ['POST', of(1, '/sendings'), { transactionId: 'one' }] },
  sending: { follow: ['sending', 'self'] },
  'pending sending': {
    ask: ['POST', of(1, '/sendings'), { transactionId: 'mock:pending-then-created:p' }],
    as: 'pending',
  },
  'pending sending read': { follow: ['pending', 'self'] },
  'not processed': { ask: ['POST', of(1, '/sendings'), { transactionId: 'mock:error-500-before:e' }] },
  'repeat after not processed': {
    ask: ['POST', of(1, '/sendings'), { transactionId: 'mock:error-500-before:e' }],
  },
  'scheduled sending': {
    ask: ['POST', of(1, '/sendings'), { transactionId: 'later', scheduleDate: '2026-12-24T18:00:00Z' }],
    as: 'scheduled',
  },
  'statistics of a sending': { follow: ['sending', 'self', '/statistics'] },
  'statistics of one that is scheduled': { follow: ['scheduled', 'self', '/statistics'] },
  'not ready': { ask: ['POST', of(2, '/sendings'), {}] },
  'past date': { ask: ['POST', of(1, '/sendings'), { scheduleDate: '2020-01-01T00:00:00Z' }] },
  'synchronization created': {
    ask: ['POST', synchronizations, { customer: 'lindenau', listId: 2001, mailingName: 'Herbst' }],
  },
  'list not permitted': {
    ask: ['POST', synchronizations, { customer: 'lindenau', listId: 2002, mailingName: 'Herbst' }],
  },
  'upload created': { ask: ['POST', of(1, '/mailing-uploads'), {}] },
  'synchronization with an upload': { ask: ['GET', of(1)] },
  'two minutes pass': { advance: '2m' },
  'cursor after two minutes': { follow: ['page', 'next'] },
  'half an hour passes': { advance: '30m' },
  'cursor after half an hour': { follow: ['page', 'next'] },
  'repeated after half an hour': { ask: ['POST', of(1, '/sendings'), { transactionId: 'one' }] },
  'two days pass': { advance: '2d' },
  'statistics after two days': { follow: ['sending', 'self', '/statistics'] },
  'token after two days': { follow: ['modifications', 'svc:upcoming-modifications'] },
  'repeated after two days': { ask: ['POST', of(1, '/sendings'), { transactionId: 'one' }] },
  'forty days pass': { advance: '40d' },
  'repeated after forty days': { ask: ['POST', of(1, '/sendings'), { transactionId: 'one' }] },
}

export async function record() {
  const recording = new Recording()
  const mock = await RunningMock.start()
  try {
    const usual = await answers(mock, {})
    for (const [name, text] of usual) recording.add(`default: ${name}`, text)
    const { _embedded } = await mock.must('GET', '/dials')
    for (const dial of /** @type {any[]} */ (Object.values(_embedded)[0]))
      for (const value of Object.keys(dial.values)) {
        if (value === dial.default) continue
        const turned = await answers(mock, { [dial.name]: value })
        const changed = [...turned]
          .map(([name, text]) => ({
            name,
            before: comparable(usual.get(name) ?? ''),
            after: comparable(text),
          }))
          .filter(({ before, after }) => before !== after)
          .map(({ name, before, after }) => `${name}:\n${diffOf(before, after, { context: 0, most: 12 })}`)
        recording.add(`${dial.name} = ${value}`, changed.join('\n') || '(changes none of these answers)')
      }
  } finally {
    await mock.stop()
  }
  return { dials: recording.entries }
}

/**
 * Without lengths, and without cursors and tokens, which name moments in the life of the space.
 * @param {string} text
 */
const comparable = text =>
  text
    .replaceAll(/^Content-Length: .*\n|^\(compact JSON.*\n/gm, '')
    .replaceAll(/((?:cursor|syncToken)=)[^"]+/g, '$1…')

/** @param {RunningMock} mock @param {Record<string, string>} dials @returns {Promise<Map<string, string>>} */
async function answers(mock, dials) {
  await mock.must('PUT', below, { dials })
  /** @type {Map<string, string>} */
  const found = new Map()
  /** @type {Record<string, string>} */
  const bodies = {}
  const send = async (
    /** @type {string} */ name,
    /** @type {string} */ method,
    /** @type {string} */ path,
    /** @type {unknown} */ body = undefined,
  ) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) }
    const exchanged = await exchange(mock.port, requestBytes(method, path, { user: space, ...json }))
    found.set(name, shown(exchanged))
    return answerOf(exchanged.bytes)
  }
  for (const [name, { ask, as, follow, advance }] of Object.entries(steps)) {
    if (advance) await mock.must('POST', `${below}/clock`, { advance })
    if (ask) {
      const { body } = await send(name, ...ask)
      if (as) bodies[as] = body
    }
    if (!follow) continue
    const [answer, relation, rest = ''] = follow
    const path = linkIn(bodies[answer], relation)
    if (path) await send(name, 'GET', path + rest)
    else found.set(name, '(there is no link to follow)')
  }
  return found
}

/** @param {string | undefined} body @param {string} relation @returns {string | undefined} where a link leads, as a path */
function linkIn(body, relation) {
  try {
    const { href } = JSON.parse(body ?? '')._links[relation]
    return href.replace(`http://${host}`, '')
  } catch {
    return undefined
  }
}
