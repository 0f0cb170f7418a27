import { Agent, request } from 'node:http'
import { basic, ids, type Json, synchronizationPath } from '../../mock.ts'

/** What a client was told: it must be true for ever. */
export interface Acknowledged {
  readonly space: string
  readonly kind: 'sending' | 'upload'
  readonly id: string
  readonly transactionId: string | null
}

/** The spaces that clients work in: one of the fixture, and a private space. */
export const spaces = ['demo', 'demo+crash'] as const

const clients = 8
/** Whoever is not ended by then will not be. */
const most = 10_000

/** Of a sending's name, where snapshots are to be taken. */
const nameLength = 40_000

/**
 * Clients that create, repeat and upload as fast as they are answered, until the mock is gone.
 * @param round tells transaction IDs of one round from those of another
 * @param told everything that is acknowledged goes here
 * @param isLarge whether so much is sent that snapshots are taken
 * @throws an error for a response that is wrong
 */
export async function traffic(
  url: string,
  round: string,
  told: Acknowledged[],
  isLarge: boolean,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const work = Array.from({ length: clients }, async (_, client) => {
    const space = spaces[client % spaces.length]!
    for (let n = 0; ; n++) {
      if (n * clients > most) throw new Error('the mock does not come to its end')
      const transactionId = `${round}-${client}-${n}`
      const made = await post(agent, url, space, '/sendings', {
        transactionId,
        name: isLarge && n % 2 === 0 ? 'n'.repeat(nameLength) : 'short',
      })
      if (!made) return
      if (made.status !== 201) throw new Error(`a sending was answered ${made.status}: ${made.text}`)
      told.push({ space, kind: 'sending', id: made.json.id, transactionId })
      const repeated = await post(agent, url, space, '/sendings', { transactionId })
      if (!repeated) return
      if (repeated.status !== 200 || repeated.json.id !== made.json.id)
        throw new Error(`a repeat was answered ${repeated.status}: ${repeated.text}`)
      if (n % 3 > 0) continue
      const uploaded = await post(agent, url, space, '/mailing-uploads', {})
      if (!uploaded) return
      if (uploaded.status !== 200)
        throw new Error(`an upload was answered ${uploaded.status}: ${uploaded.text}`)
      told.push({ space, kind: 'upload', id: uploaded.json.id, transactionId: null })
    }
  })
  try {
    await Promise.all(work)
  } finally {
    agent.destroy()
  }
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly json: Json
}

/** Undefined when no whole answer came: then the client knows nothing. */
function post(
  agent: Agent,
  url: string,
  space: string,
  rest: string,
  body: object,
): Promise<Answer | undefined> {
  return new Promise(resolve => {
    const headers = { authorization: basic(space), 'content-type': 'application/json' }
    const path = synchronizationPath(ids.ready, rest)
    const sent = request(`${url}${path}`, { method: 'POST', agent, headers }, answer => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', piece => {
        text += piece
      })
      answer.on('close', () =>
        resolve(answer.complete ? { status: answer.statusCode!, text, json: JSON.parse(text) } : undefined),
      )
    })
    sent.on('error', () => resolve(undefined))
    sent.end(JSON.stringify(body))
  })
}
