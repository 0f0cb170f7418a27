/** The program of a thread: plays the cases and plans whose names it gets to the client of a module. */
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { allCases, readySynchronization } from '../judge/exam/cases.ts'
import { caseOfPlan, planOfName } from '../judge/explore/plans.ts'
import { importClient } from './client-module.ts'
import type { ThreadAnswer, ThreadData, ThreadTask } from './module-players.ts'
import { inVirtualTime } from './virtual-exam.ts'

const { module, beats, ...options }: ThreadData & { readonly beats: Int32Array } = workerData
const port = parentPort!
const answer = (it: ThreadAnswer) => port.postMessage(it)
// While the client computes, no timer of this thread fires.
setInterval(() => Atomics.add(beats, 0, 1), 1_000)

try {
  await inVirtualTime(
    () => importClient(module),
    options,
    async (player, { scenarios, contents }) => {
      const content = contents[0]!
      const cases = await allCases({ scenarios, content })
      const synchronizationId = readySynchronization(content)
      for (;;) {
        const [{ name, isPlan, isKept }] = (await once(port, 'message')) as [ThreadTask]
        const exam = isPlan
          ? caseOfPlan(planOfName(name)!, synchronizationId)
          : cases.find(it => it.name === name)
        answer({ play: await player.play(exam!, undefined, isKept) })
      }
    },
  )
} catch (error) {
  answer({ refusal: (error as Error).message })
}
