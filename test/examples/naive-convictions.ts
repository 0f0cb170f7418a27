import type { ClientOptions, Send } from '../../examples/clients/client.d.ts'
import { naiveClients } from '../../examples/clients/naive.mjs'
import { collectEvidence } from '../../src/judge/evidence.ts'
import { ids, startMock, type TestMock } from '../mock.ts'
import { scenarioOf } from '../rig/stage.ts'
import { type Convicted, Findings } from './convictions.ts'

/** What the first attempts meet, whatever its transaction ID; then all is well. Libraries do not wait on our clock. */
const steps: Readonly<Record<string, object>> = {
  // Once more at once could be the machinery of HTTP, twice is a loop.
  'lost-answers': { phase: 'after', answer: { fault: 'reset' }, times: 2 },
  'error-500': { phase: 'before', answer: { status: 500 }, times: 1 },
  pending: { state: 'PENDING', times: 1 },
  failed: { state: 'FAILED', times: 1 },
  'indeterminate-for-ever': { state: 'INDETERMINATE_FAILURE', truth: 'not-sent', times: 1 },
  redirect: { phase: 'before', answer: { fault: 'redirect-301' }, times: 1 },
  'many-errors': { phase: 'before', answer: { status: 500 }, times: 5 },
}

/** For a library that waits between its attempts, this would take half a minute. */
const onlyWithoutPauses = 'many-errors'

/** Plays the same short cases to each naive use of a library over a real socket, and judges. */
export async function naiveConvictions(): Promise<readonly Convicted[]> {
  const mock = await startMock()
  const server = await mock.listen()
  try {
    return await Promise.all(naiveClients.map(client => convicted(mock, server.url, client)))
  } finally {
    await server.close()
  }
}

async function convicted(
  mock: TestMock,
  url: string,
  { name, fault, rules }: (typeof naiveClients)[number],
): Promise<Convicted> {
  const { send }: { send: Send } = await import(`../../examples/clients/${name}/send.mjs`)
  const found = new Findings()
  const trials = Object.entries(steps).filter(
    ([trial]) => trial !== onlyWithoutPauses || name === 'naive-cockatiel',
  )
  await Promise.all(
    trials.map(async ([trial, step]) => {
      const user = `demo+${name}-${trial}`
      await mock.as(user).get('/mailings')
      mock
        .rig(user)
        .scenarios.arm(
          scenarioOf([{ on: 'createSending', per: 'client-request', steps: [step, { state: 'CREATED' }] }]),
        )
      const believes = await send(optionsFor(url, user))
      found.note(trial, await collectEvidence(mock.rig(user)), { believes })
    }),
  )
  return { id: name, fault, rules, convictions: found.convictions, suspectedIn: found.suspectedIn }
}

function optionsFor(url: string, user: string): ClientOptions {
  return {
    fetch,
    sleep: milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds)),
    now: () => performance.now(),
    url,
    user,
    password: 'demo',
    synchronizationId: ids.ready,
    // None of them remembers anything.
    state: '',
  }
}
