import type { ManualClock } from '../../../src/rig/clock.ts'
import { basic, halType, type Json, synchronizationPath, type TestMock } from '../../mock.ts'

/** What a client believes at its end. */
export type Belief = 'sent' | 'not-sent' | 'unknown'

const second = 1000
const minute = 60 * second
/** How long an answer may take. */
const patience = 30 * second
const longestPause = 5 * second
/** Without a word from the service: the document sets no limit. */
const silenceBudget = 20 * minute

interface Intent {
  readonly mock: TestMock
  readonly user: string
  readonly synchronizationId: string
  /** What every attempt sends, transactionId aside. */
  readonly payload: object
}

/** What came back on one attempt, as far as a careful client believes it. */
type Heard = { readonly state: string } | { readonly refused: number } | 'nothing'

/**
 * Sends one mailing as sections 4.1 and 8 of the document say, on a clock that it moves itself while it waits: after
 * silence or 5xx the same transactionId, after FAILED another one at most three times, after INDETERMINATE_FAILURE
 * nothing, and never a success without a sending in hand.
 */
export async function sendCarefully(intent: Intent): Promise<Belief> {
  const { clock } = intent.mock
  const began = clock.now()
  for (let recreated = 0; recreated <= 3; recreated++) {
    const transactionId = `intent-${recreated}`
    const state = await follow(intent, transactionId)
    if (state === 'CREATED') return 'sent'
    if (state === 'refused') return looked(intent, transactionId)
    if (state !== 'FAILED') return 'unknown'
    if (clock.now() - began > 15 * minute) break
  }
  return 'not-sent'
}

/** Repeats one transaction until it has come to an end, or its time is over. */
async function follow(intent: Intent, transactionId: string): Promise<string> {
  const { clock } = intent.mock
  const began = clock.now()
  let pause = second
  let last = 'nothing'
  for (;;) {
    const heard = await attempt(intent, transactionId)
    if (heard !== 'nothing' && 'refused' in heard) return 'refused'
    if (heard !== 'nothing') last = heard.state
    if (last !== 'PENDING' && last !== 'nothing') return last
    const budget = last === 'PENDING' ? 5 * minute : silenceBudget
    if (clock.now() - began + pause > budget) return last
    clock.advance(pause)
    pause = Math.min(pause * 2, longestPause)
  }
}

async function attempt(intent: Intent, transactionId: string): Promise<Heard> {
  const { mock, synchronizationId, user, payload } = intent
  const leaving = new AbortController()
  const request = new Request(`http://localhost${synchronizationPath(synchronizationId, '/sendings')}`, {
    method: 'POST',
    headers: { authorization: basic(user), 'content-type': halType },
    body: JSON.stringify({ ...payload, transactionId }),
    signal: leaving.signal,
  })
  const answer = mock.fetch(request).then(read, () => undefined)
  const seen = await withinPatience(answer, mock.clock)
  leaving.abort()
  if (!seen) return 'nothing'
  const { status, json } = seen
  if (status >= 400 && status < 500 && status !== 429 && status !== 408) return { refused: status }
  const isOurs = json?.transactionId === transactionId && json?.mailingSynchronizationId === synchronizationId
  const isKnown = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE'].includes(json?.state)
  return (status === 200 || status === 201) && isOurs && isKnown ? { state: json.state } : 'nothing'
}

async function read(response: Response): Promise<{ status: number; json: Json }> {
  const isHal = /^application\/hal\+json/.test(response.headers.get('content-type') ?? '')
  const text = await response.text().catch(() => '')
  return { status: response.status, json: isHal ? parsed(text) : undefined }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The answer, if it comes while the clock goes on for as long as the client waits. */
async function withinPatience<Value>(answer: Promise<Value>, clock: ManualClock): Promise<Value | undefined> {
  let settled = false
  const noted = answer.finally(() => {
    settled = true
  })
  for (let waited = 0; waited <= patience; waited += second) {
    for (let turn = 0; turn < 30 && !settled; turn++) await new Promise(setImmediate)
    if (settled) return noted
    clock.advance(second)
  }
  return undefined
}

/** After a refusal: whether an earlier attempt has made a sending after all. */
async function looked({ mock, user, synchronizationId }: Intent, transactionId: string): Promise<Belief> {
  const path = synchronizationPath(synchronizationId, '/sendings?includeAllStates=true')
  const { json } = await mock.as(user).get(path)
  const sendings: Json[] = json?._embedded?.['svc:sendings'] ?? []
  const ours = sendings.find(it => it.transactionId === transactionId)
  return ours === undefined ? 'not-sent' : ours.state === 'CREATED' ? 'sent' : 'unknown'
}
