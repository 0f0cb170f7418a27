import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readySynchronization } from '../judge/exam/cases.ts'
import { longestRun } from '../judge/exam/run-exam.ts'
import { makeTemporaryFolder } from '../judge/exam/temporary-folder.ts'
import { VirtualTime } from '../judge/explore/virtual-time.ts'
import { exploreOrders, type PlayedOrders, type PlayOrder } from '../judge/orders/explore-orders.ts'
import { playJointCase } from '../judge/orders/joint-case.ts'
import type { OrderPlan } from '../judge/orders/order-plans.ts'
import {
  type AnswerPart,
  type AskedRequest,
  type Service,
  Stage,
  type Worker,
} from '../judge/orders/stage.ts'
import { seededChance } from '../rig/chance.ts'
import { assembleMock } from './assemble-mock.ts'
import { beginning, journalLimit, type VirtualExamOptions } from './virtual-exam.ts'
import { VirtualNetwork } from './virtual-network.ts'

/** Plays the orders of a plan to two workers. */
export type PlayOrders = (plan: OrderPlan) => Promise<PlayedOrders>

/**
 * Gives what plays orders to these workers. Time is virtual in this thread until the work has ended.
 * @param workers what they keep in variables must not be shared
 */
export async function withWorkers<Result>(
  workers: readonly Worker[],
  { seed, scenarios, place }: VirtualExamOptions,
  work: (play: PlayOrders) => Promise<Result>,
): Promise<Result> {
  await using folder = await makeTemporaryFolder(place, 'mailing-sync-orders-')
  await using mock = await assembleMock(
    { seed, scenarios, hints: false, journal: journalLimit, logLevel: 'error' },
    false,
  )
  const network = new VirtualNetwork(request => mock.fetch(request))
  const time = new VirtualTime(beginning)
  const restore = time.install({
    fetch: input => network.fetch(input as Request),
    chance: seededChance(seed, 'client'),
  })
  try {
    const [content] = mock.contents
    const host = { tools: mock, url: network.address, home: content!.fixture.space }
    const synchronizationId = readySynchronization(content!)
    const play: PlayOrder = (plan, choose) => {
      time.restart()
      const directory = mkdtempSync(join(folder.path, 'run-'))
      return time
        .during(
          playJointCase(plan, host, {
            ...{ seed, directory, synchronizationId, signal: new AbortController().signal },
            limit: longestRun({ isPlan: true }),
            play: (call, { journal }, disturbance, signal) => {
              const service: Service = {
                time,
                ask: (request, take, leaving) => void ask(network, request, take, leaving),
                latest: () => journal.entries().at(-1)?.id,
              }
              const stage = new Stage(workers, service, disturbance, choose)
              return time.byHand(() => stage.play(call, signal))
            },
          }),
        )
        .finally(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
    }
    return await work(plan => exploreOrders(plan, play))
  } finally {
    restore()
  }
}

/** Passes a request on, and its answer back part by part. */
async function ask(
  network: VirtualNetwork,
  { url, method, headers, body }: AskedRequest,
  take: (part: AnswerPart) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    const init = {
      method,
      headers,
      ...(body && { body: new Uint8Array(body) }),
      redirect: 'manual',
      signal,
    } as const
    const response = await network.fetch(new Request(url, init))
    const { status, statusText } = response
    take({ kind: 'head', status, statusText, headers: [...response.headers] })
    for await (const bytes of response.body ?? []) take({ kind: 'bytes', bytes })
    take({ kind: 'end' })
  } catch (error) {
    const { message, cause } = error as Error
    const why =
      cause instanceof Error
        ? { message: cause.message, code: (cause as NodeJS.ErrnoException).code }
        : undefined
    take({
      kind: 'error',
      message,
      cause: why && { message: why.message, ...(why.code && { code: why.code }) },
    })
  }
}
