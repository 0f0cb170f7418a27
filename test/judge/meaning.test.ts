import { describe, expect, it, test } from 'vitest'
import type { Evidence } from '../../src/judge/evidence.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { judge } from '../../src/judge/verdict.ts'
import type { Verdict } from '../../src/judge/verdict-shape.ts'
import { defaultDials } from '../../src/service/dials.ts'
import { answersOf, type Operation, operation } from '../../src/service/operation.ts'
import { type OperationId, operationIds, operations } from '../../src/service/operations.ts'
import { ids, synchronizationPath } from '../mock.ts'
import { onCreate } from '../rig/stage.ts'
import { accusedIn, notSent, sendingsPath, sent, type Trial, trial, unknown } from './stage.ts'

const second = 1_000
const minute = 60 * second
const day = 24 * 60 * minute

type Definitions = Readonly<Record<OperationId, Operation>>

describe('a member that a request for a sending may have', () => {
  const { createSending } = operations
  const body = createSending.body!
  /** As if the document had one more, of which the judge is told nowhere else. */
  const definitions: Definitions = {
    ...operations,
    createSending: { ...createSending, body: { ...body, members: { ...body.members, priority: ['4.1'] } } },
  }

  async function clientAsking(rules: readonly object[], ...bodies: readonly object[]): Promise<Trial> {
    const client = await trial(rules, {}, definitions)
    for (const body of bodies) {
      await client.post(body)
      client.wait(second)
    }
    return client
  }

  it('is compared on a repeat as soon as its definition has it (4.1/9)', async () => {
    const one = { transactionId: 'one' }
    const client = await clientAsking([], { ...one, priority: 'low' }, { ...one, priority: 'high' })
    const { findings, harm } = await client.verdict(sent)
    const error = { rule: 'R12', severity: 'error', status: 'guilty' }
    const sentence = expect.stringContaining('came again with another priority than')
    expect(findings).toContainEqual(expect.objectContaining({ ...error, sentence }))
    expect(harm.findings).toContainEqual(
      expect.objectContaining({
        kind: 'CONTENT',
        sentence: expect.stringMatching(/^It was sent with the priority of \S+, not with that of/),
      }),
    )
  })

  it('is the same on a repeat whatever the spelling of its time', async () => {
    const one = { transactionId: 'one' }
    const times = ['2030-01-01T10:00:00Z', '2030-01-01T11:00:00.000+01:00']
    const client = await clientAsking([], ...times.map(priority => ({ ...one, priority })))
    expect(await client.accused(sent)).toEqual([])
  })

  it.each([
    ['tells two mailings apart where it differs', 'high', []],
    ['does not where it is the same', 'low', ['R02 open']],
  ])('%s', async (_, priority, accusations) => {
    const lost = onCreate([{ phase: 'after', answer: { fault: 'reset' } }], {
      when: { transactionId: 'one' },
    })
    const [one, two] = [
      { transactionId: 'one', priority: 'low' },
      { transactionId: 'two', priority },
    ]
    const client = await clientAsking([lost], one, two, two)
    expect((await client.accused()).filter(it => it.startsWith('R02'))).toEqual(accusations)
  })
})

describe('an operation that ends a sending', () => {
  /** As if an upload were a cancellation, of which the judge is told nowhere else. */
  const definitions: Definitions = {
    ...operations,
    createMailingUpload: {
      ...operations.createMailingUpload,
      means: {
        ends: 'sending',
        which: ({ body: { sendingId, transactionId } }) => (sendingId ? { sendingId } : { transactionId }),
        toldBy: [200],
      },
    },
  }
  const onCancel = (step: object) => ({ on: 'createMailingUpload', steps: [{ times: 1, ...step }, {}] })
  const scheduleDate = '2031-01-01T10:00:00Z'
  const ask = (client: Trial, transactionId?: string) => client.post({ transactionId, scheduleDate })
  const cancel = (client: Trial, sendingId: string | undefined, transactionId?: string) =>
    client.post({ sendingId, transactionId }, synchronizationPath(ids.ready, '/mailing-uploads'))

  /** The ledger of a service that has done what its truth says. */
  function withoutEnded(evidence: Evidence): Evidence {
    const ended = new Set(evidence.attempts.map(({ ends, truth }) => truth?.isEnd && ends?.sendingId))
    const isEnded = ({ sendingId }: { readonly sendingId: string | null }) => ended.has(sendingId!)
    const mailings = evidence.ledger.mailings.map(it => (isEnded(it) ? { ...it, isOrphan: true } : it))
    const sent = evidence.sent.filter(it => !isEnded(it))
    return { ...evidence, sent, ledger: { ...evidence.ledger, mailings } }
  }

  async function verdictOn(
    does: (client: Trial) => Promise<unknown>,
    rules: readonly object[],
    end?: ClientEnd,
  ): Promise<Verdict> {
    const client = await trial(rules, {}, definitions)
    await does(client)
    return judge(withoutEnded(await client.evidence()), end)
  }

  /** It asks for a mailing, cancels it, and asks for it anew. */
  async function cancelAndAskAnew(client: Trial): Promise<void> {
    const { id } = await ask(client, 'one')
    client.wait(second)
    await cancel(client, id)
    client.wait(second)
    await ask(client, 'two')
  }

  const pending = onCreate([{ state: 'PENDING' }], { when: { transactionId: 'one' } })
  const reset = { phase: 'after', answer: { fault: 'reset' } }

  interface Deed {
    readonly rules?: readonly object[]
    readonly does: (client: Trial) => Promise<unknown>
  }

  const right: Record<string, Deed> = {
    'while it is scheduled': { does: cancelAndAskAnew },
    'while it is PENDING': { rules: [pending], does: cancelAndAskAnew },
    'that it found in a collection after silence': {
      rules: [onCreate([reset], { when: { transactionId: 'one' } })],
      async does(client) {
        await ask(client, 'one')
        const { _embedded } = await client.get(`${sendingsPath}?includeAllStates=true`)
        await cancel(client, _embedded['svc:sendings'].at(-1).id)
        client.wait(second)
        await ask(client, 'two')
      },
    },
    'that has no transactionId, after silence': {
      rules: [onCreate([{ times: 1, ...reset }, {}])],
      async does(client) {
        await ask(client)
        const { _embedded } = await client.get(sendingsPath)
        await cancel(client, _embedded['svc:sendings'].at(-1).id)
        client.wait(second)
        await ask(client)
      },
    },
    'a day after FAILED of another transactionId': {
      rules: [onCreate([{ state: 'FAILED' }], { when: { transactionId: 'none' } })],
      async does(client) {
        await ask(client, 'none')
        client.wait(minute)
        const { id } = await ask(client, 'one')
        client.wait(day)
        await cancel(client, id)
        await ask(client, 'two')
      },
    },
    'five times': {
      async does(client) {
        for (let nth = 1; nth <= 5; nth++) {
          const { id } = await ask(client, `nth-${nth}`)
          client.wait(second)
          await cancel(client, id)
          client.wait(second)
        }
        await ask(client, 'last')
      },
    },
  }

  describe.each(Object.entries(right))(
    'lets a client ask anew for a mailing %s',
    (_, { rules = [], does }) => {
      test.each([
        ['and does not say what it believes', undefined],
        ['and believes that it was sent', sent],
        ['and was to send one of two mailings', { ...unknown, expected: 2 }],
      ])('%s', async (_, end) => {
        const { outcome, findings, harm, suspicion } = await verdictOn(does, rules, end)
        expect(findings).toEqual([])
        expect([outcome, suspicion]).toEqual(['innocent', null])
        expect(harm).toMatchObject({ sent: 1, findings: [] })
      })
    },
  )

  test.each([
    ['PENDING', [pending]],
    ['silence', [onCreate([reset])]],
  ])('is enough after %s: its client need not repeat the request', async (_, rules) => {
    const does = async (client: Trial) => {
      await ask(client, 'one')
      await cancel(client, undefined, 'one')
    }
    const { findings } = await verdictOn(does, rules, notSent)
    expect(findings).toEqual([])
  })

  it('leaves each of several transactionIds to one mailing', async () => {
    const does = async (client: Trial) => {
      await cancelAndAskAnew(client)
      await ask(client, 'three')
      client.wait(second)
      await ask(client, 'two')
    }
    const rules = [onCreate([{ state: 'PENDING', times: 1 }, {}], { when: { transactionId: 'two' } })]
    const { findings, harm } = await verdictOn(does, rules, { ...sent, expected: 2 })
    expect(findings).toEqual([])
    expect(harm).toMatchObject({ sent: 2, findings: [] })
  })

  const wrong: Record<string, Deed & { readonly found: string; readonly end?: ClientEnd }> = {
    'without ending the first one': {
      async does(client) {
        await ask(client, 'one')
        client.wait(second)
        await ask(client, 'two')
      },
      found: 'R23 guilty',
    },
    'although the service refuses to end the first one': {
      rules: [onCancel({ phase: 'before', answer: { status: 409, by: 'service' } })],
      does: cancelAndAskAnew,
      found: 'R23 guilty',
    },
    'although the service refuses to end the first one, which is PENDING': {
      rules: [pending, onCancel({ phase: 'before', answer: { status: 409, by: 'service' } })],
      does: cancelAndAskAnew,
      found: 'R03 guilty',
    },
    'before it knows that the first one has ended': {
      rules: [onCancel(reset)],
      does: cancelAndAskAnew,
      found: 'R23 guilty',
    },
    'after a page of a gateway in place of the answer': {
      rules: [onCancel({ phase: 'before', answer: { fault: 'html-200' } })],
      does: cancelAndAskAnew,
      found: 'R23 guilty',
    },
    'after it has ended another sending': {
      async does(client) {
        const { id } = await ask(client, 'other')
        await cancel(client, id)
        await ask(client, 'one')
        client.wait(second)
        await ask(client, 'two')
      },
      found: 'R23 guilty',
    },
    'and takes the CREATED of the ended one for that of the new one': {
      rules: [onCreate([{ phase: 'before' }], { when: { transactionId: 'two' } })],
      does: cancelAndAskAnew,
      found: 'R24 guilty',
    },
  }

  test.each(Object.entries(wrong))(
    'convicts a client that asks anew %s',
    async (_, { rules = [], does, found }) => {
      expect(accusedIn(await verdictOn(does, rules, sent))).toContain(found)
    },
  )
})

test('an operation that changes something does not compile without what it means', () => {
  const { means: _, ...silent } = operations.createMailingUpload
  // @ts-expect-error: `means` is missing
  expect(operation({ ...silent, method: 'POST' })).not.toHaveProperty('means')
})

test.each(operationIds)('%s means what its definition can mean', id => {
  const { method, means, body, problems = [], ...definition }: Operation = operations[id]
  expect(means === undefined, 'whether it means nothing').toBe(method === 'GET')
  if (typeof means !== 'object') return
  const members = Object.keys(body?.members ?? {})
  if ('identifiedBy' in means)
    expect(members).toEqual(expect.arrayContaining([means.identifiedBy, means.scheduledBy]))
  const statuses = answersOf({ ...definition, problems } as unknown as Operation, defaultDials).map(
    it => it.status,
  )
  if ('ends' in means) expect([...statuses, ...problems]).toEqual(expect.arrayContaining([...means.toldBy]))
})
