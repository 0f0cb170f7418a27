import { beforeAll, describe, expect, it } from 'vitest'
import { clientOf, mutants } from '../../../examples/clients/mutants/registry.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import type { ClientFunction } from '../../../src/judge/exam/client.ts'
import { planName, singlePlans } from '../../../src/judge/explore/plans.ts'
import { type ClientTraces, drawPortrait } from '../../../src/judge/portrait/portrait.ts'
import { type Portrait, portrait as shape } from '../../../src/judge/portrait/portrait-shape.ts'
import { portraitLines, portraitMarkdown, reactionWords } from '../../../src/judge/portrait/portrait-text.ts'
import type { RunTrace } from '../../../src/judge/portrait/trace.ts'
import { runExam } from '../../../src/lib/run-exam.ts'
import { explore, explored } from '../explore/clients.ts'

/** Learned from every plan of one trouble, unless others are named. */
const portray = async (
  client: ClientFunction,
  portraitOf?: Portrait,
  plans: readonly string[] = singlePlans().map(planName),
): Promise<Portrait> => (await explore(client, { plans, portraitOf })).portrait!

/** A plan for each thing that a client may get. */
const fewPlans = [
  ...[
    'undisturbed',
    '500-nothing',
    'reset-nothing',
    'hang-nothing',
    'limited-nothing',
    'refused-nothing',
    '503-nothing',
  ],
  ...['told-pending', 'told-failed', 'told-unsure-sent', 'json-pending', 'killed-nothing'],
]

const mutant = (id: string) => explored(clientOf(mutants.find(it => it.id === id)!))

let right: Portrait
beforeAll(async () => {
  right = await portray(explored(reference))
})

const actionsAfter = ({ situations }: Portrait, name: string) =>
  situations.find(it => it.name === name)?.rows.map(({ action }) => action)

describe('the portrait of the reference client', () => {
  it('nothing differs from the document, and every situation is explained', () => {
    const odd = right.situations.filter(
      it => it.isExplained !== 'yes' || it.rows.some(row => row.objection !== null),
    )
    expect(odd).toEqual([])
  })

  it('after 5xx it repeats the same ID with growing pauses, or as Retry-After says', () => {
    const [row] = right.situations.find(({ name }) => name === '5xx')!.rows
    expect(reactionWords(row!)).toMatch(
      /^repeats the same ID, .*then × 2.*, up to 50 % less, or as Retry-After says$/,
    )
  })

  it('its table fits on a terminal, and every row names a run that shows it', () => {
    expect(portraitLines(right).length).toBeLessThanOrEqual(30)
    expect(right.situations.flatMap(({ rows }) => rows).every(({ shownBy }) => shownBy.name !== '')).toBe(
      true,
    )
  })

  it('it has the form of its schema, and nothing changes when it is drawn again', async () => {
    expect(shape.parse(JSON.parse(JSON.stringify(right)))).toEqual(right)
    expect((await portray(explored(reference), right, fewPlans)).changes).toEqual([])
  })
})

describe('the portrait of a client with one mistake', () => {
  it.each([
    ['M7', ['FAILED']],
    ['M24', ['5xx', '429']],
  ])('%s differs from the reference client in the situations %j alone', async (id, situations) => {
    const { changes } = await portray(mutant(id), right, fewPlans)
    expect(new Set(changes!.flatMap(it => it.situations))).toEqual(new Set(situations))
  })

  it('M7 repeats the same ID after FAILED, where the document wants a new one', async () => {
    const it = await portray(mutant('M7'), undefined, fewPlans)
    const [row] = it.situations.find(({ name }) => name === 'FAILED')!.rows
    expect(row).toMatchObject({ action: 'same ID', objection: 'the same ID stays FAILED: take a new one' })
    expect(portraitMarkdown(it)).toContain('≠ the same ID stays FAILED')
  })
})

describe('a client of which little can be known', () => {
  it('of one that sends nothing only the beginning is known', async () => {
    const it = await portray(async () => 'unknown', undefined, fewPlans)
    expect(actionsAfter(it, 'first attempt')).toEqual(['end: unknown'])
    expect(it.situations.length).toBe(1)
    expect(it.unseen).toContain('5xx')
    expect(it.accuracy).toBeNull()
  })

  it('one that makes one attempt ends after every answer', async () => {
    const once: ClientFunction = async ({ url, user, password, synchronizationId }) => {
      const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/hal+json' }
      const signal = AbortSignal.timeout(20_000)
      const body = JSON.stringify({ transactionId: crypto.randomUUID() })
      const response = await fetch(url + path, { method: 'POST', headers, body, signal }).catch(
        () => undefined,
      )
      return response?.ok ? 'sent' : 'unknown'
    }
    const it = await portray(once, undefined, fewPlans)
    expect(actionsAfter(it, '5xx')).toEqual(['end: unknown'])
    expect(actionsAfter(it, 'PENDING')).toEqual(['end: sent'])
    expect(it.patience).toBe(20)
  })

  it('one whose decisions a coin makes is not deterministic', async () => {
    let state = 1
    const isHeads = () => {
      state = (state * 48_271) % 2_147_483_647
      return state % 2 === 0
    }
    const coin: ClientFunction = async call => (isHeads() ? explored(reference)(call) : 'unknown')
    const it = await portray(coin, undefined, fewPlans)
    expect(it.situations[0]).toMatchObject({ name: 'first attempt', isExplained: 'not deterministic' })
    expect(portraitLines(it).join('\n')).toContain('not deterministic')
  })

  /** Repeats the same ID once a second, until it stops at what it got. */
  const stopsAt =
    (isEnd: (status: number, text: string) => boolean): ClientFunction =>
    async ({ url, user, password, synchronizationId }) => {
      const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/hal+json' }
      const body = JSON.stringify({ transactionId: crypto.randomUUID() })
      for (let nth = 0; nth < 6; nth++) {
        const response = await fetch(url + path, { method: 'POST', headers, body }).catch(() => undefined)
        const text = await response?.text().catch(() => '')
        if (response && isEnd(response.status, text ?? '')) break
        await new Promise(resolve => setTimeout(resolve, 1_000))
      }
      return 'unknown'
    }

  it('one that decides by the text of a body that is no sending knows more than the table shows, and is deterministic', async () => {
    const forms = ['json-pending', 'json-failed', 'json-unsure-sent', 'json-sent', 'unknown-state-sent']
    const plans = ['undisturbed', 'foreign-sent', 'maintenance-nothing', ...forms]
    const it = await portray(
      stopsAt((_, text) => text.includes('FAILED')),
      undefined,
      plans,
    )
    const damaged = it.situations.find(({ name }) => name === 'damaged')
    expect(damaged!.isExplained).toBe('more history than this table shows')
    expect(it.situations.filter(({ isExplained }) => isExplained === 'not deterministic')).toEqual([])
  })

  it('one that stops at 502 and not at 504 is deterministic, and has a row for each status that was seen often enough', async () => {
    const client = stopsAt(status => status === 502)
    const only = ['gateway-502-sent', 'gateway-502-not-sent', 'gateway-504-sent']
    const { portrait } = await runExam({ client, depth: 0, only })
    const seldom = portrait!.situations.find(({ name }) => name === '5xx')
    expect(seldom).toMatchObject({ decisions: 2, isExplained: 'more history than this table shows' })
    const often = ['500-nothing', '503-nothing', '500-7-times-nothing', '500-nothing+502-nothing']
    const { situations } = await portray(client, undefined, ['502-nothing', ...often])
    const { rows } = situations.find(({ name }) => name === '5xx')!
    const shown = rows.map(({ when: [question], action }) => [action, question?.value])
    expect(shown).toContainEqual(['end: unknown', ['502']])
    expect(shown).toContainEqual(['same ID', ['500', '503']])
  })

  it('one that counts its pauses anew after another kind of answer has exact pauses: none of them is drawn', async () => {
    const client: ClientFunction = async ({ url, user, password, synchronizationId }) => {
      const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/hal+json' }
      const body = JSON.stringify({ transactionId: crypto.randomUUID() })
      let latest: number | undefined
      let inRow = 0
      for (let nth = 0; nth < 8; nth++) {
        const signal = AbortSignal.timeout(20_000)
        const response = await fetch(url + path, { method: 'POST', headers, body, signal }).catch(
          () => undefined,
        )
        const text = await response?.text().catch(() => '')
        if (text?.includes('"state":"CREATED"')) return 'sent'
        inRow = response?.status === latest ? inRow + 1 : 0
        latest = response?.status
        await new Promise(resolve => setTimeout(resolve, 1_000 * 1.5 ** inRow))
      }
      return 'unknown'
    }
    const troubles = ['500-nothing', 'told-pending', 'reset-nothing']
    const pairs = troubles.flatMap(first => troubles.map(second => `${first}+${second}`))
    const longer = ['500-nothing+told-pending+500-nothing', '500-nothing+500-nothing+500-nothing']
    const { situations } = await portray(client, undefined, [...troubles, ...pairs, ...longer])
    const pauses = situations.flatMap(({ rows }) =>
      rows.flatMap(row => (row.pause ? [reactionWords(row)] : [])),
    )
    expect(pauses).toContain('repeats the same ID, 1 s, 1.5 s or 2.25 s')
    expect(pauses.filter(it => / less| to /.test(it))).toEqual([])
  })

  /** Repeats the same ID until a response says CREATED, whatever Content-Type it has. */
  const believesAnyType: ClientFunction = async call =>
    (await stopsAt((_, text) => text.includes('"state":"CREATED"'))(call)) && 'sent'

  it('one that believes CREATED under a wrong media type passes that case, and its portrait objects to nothing', async () => {
    const only = ['wrong-content-type', 'happy-path', 'error-500-before']
    const { portrait, cases } = await runExam({ client: believesAnyType, depth: 0, only })
    expect(cases.map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
    const { rows } = portrait!.situations.find(({ name }) => name === 'damaged')!
    expect(rows).toMatchObject([{ action: 'end: sent', objection: null }])
  })

  it('a row has the objection to what it says, not to the few other things that were done there', () => {
    const run = (nth: number): ClientTraces['runs'][number] => {
      const step = { id: 1, got: '500', until: 0 }
      const steps = [
        { ...step, at: 0 },
        { ...step, at: 1_000 + nth, until: 1_000 + nth },
      ]
      const only = nth === 0 ? steps.slice(0, 1) : steps
      const trace: RunTrace = {
        ...{ wish: '', isTwoMailings: false },
        starts: [{ at: nth, until: 2_000, steps: only, end: nth === 0 ? 'sent' : null }],
      }
      return { name: `run-${nth}`, isPlan: false, trace, severity: undefined }
    }
    const runs = Array.from({ length: 60 }, (_, nth) => run(nth))
    const { situations } = drawPortrait({ runs, leftOut: 0 }, { client: '', seed: 1, reproduce: () => null })!
    const [row] = situations.find(({ name }) => name === '5xx')!.rows
    expect(row).toMatchObject({ action: 'same ID', others: 1, objection: null })
  })

  const unpredictable = ({ situations }: Portrait) =>
    situations.filter(({ isExplained }) => isExplained === 'not deterministic').map(({ name }) => name)

  it('one that decides by the time is deterministic, one that throws a coin after the same answers is not', async () => {
    const plans = ['500-nothing', ...fewPlans.slice(1).map(it => `500-nothing+${it}`)]
    const byTime = stopsAt(() => Date.now() % 7 > 2)
    expect(unpredictable(await portray(byTime, undefined, plans))).toEqual([])
    let calls = 0
    const byCoin = stopsAt(() => ++calls % 3 === 0)
    expect(unpredictable(await portray(byCoin, undefined, plans))).toContain('5xx')
  })

  /** Sends a body until it is stopped, or as often as is said. */
  const sendsOften =
    (pause: number, most = Infinity, isParallel = false): ClientFunction =>
    async ({ url, user, password, synchronizationId }) => {
      const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
      const headers = { authorization, 'content-type': 'application/hal+json' }
      const transactionId = crypto.randomUUID()
      const body = isParallel ? JSON.stringify({ transactionId }) : '{}'
      const requests: Promise<unknown>[] = []
      for (let nth = 0; nth < most; nth++) {
        requests.push(fetch(url + path, { method: 'POST', headers, body }).catch(() => undefined))
        if (!isParallel) await requests.pop()
        await new Promise(resolve => setTimeout(resolve, pause))
      }
      await Promise.all(requests)
      return 'unknown'
    }

  it('one that sends without end is shown as far as it was let', async () => {
    const it = await portray(sendsOften(10), undefined, ['undisturbed', '500-nothing'])
    expect(actionsAfter(it, 'CREATED')).toEqual(['no ID'])
    expect(it.stopped).toBe(it.runs)
    expect(portraitLines(it).join('\n')).toMatch(/In 2 runs the client was stopped: .* is not known/)
  })

  it('one that sends three requests at once is seen to send while it waits', async () => {
    const plans = ['slow-29s-sent', 'hang-nothing', 'undisturbed']
    const it = await portray(sendsOften(100, 3, true), undefined, plans)
    const [row] = it.situations.find(({ name }) => name === 'still waiting')!.rows
    expect(row).toMatchObject({ action: 'same ID', objection: 'the attempt is still running' })
  })

  it('of one that is killed in most runs nothing is claimed of what it would have done then', async () => {
    const plans = ['killed-nothing', 'killed-pending', 'killed-failed', 'killed-sent']
    const it = await portray(explored(reference), undefined, plans)
    expect(actionsAfter(it, 'started again')).toEqual(['same ID'])
    expect(it.unseen).toEqual(expect.arrayContaining(['no response', '5xx', '429']))
    expect(it.accuracy).toBeNull()
    expect(portraitLines(it).join('\n')).toContain('Never seen: ')
  })

  it('an interrupted exam has the portrait of the runs that ended', async () => {
    const interruption = new AbortController()
    let calls = 0
    const client: ClientFunction = call => {
      if (++calls === 5) interruption.abort()
      return explored(reference)(call)
    }
    const plans = singlePlans().map(planName)
    const { portrait, ended } = await explore(client, { plans, signal: interruption.signal })
    expect(ended).toBe('it was interrupted')
    expect(portrait!.runs).toBeGreaterThan(0)
    expect(portrait!.runs).toBeLessThan(50)
    expect(portraitLines(portrait!).join('\n')).toContain('Never seen: ')
  })
})
