/** The program of a thread: plays the plans whose names it gets to the client of a module. */
import { once } from 'node:events'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import type { ClientFunction } from '../judge/exam/client.ts'
import { planOfName } from '../judge/explore/plans.ts'
import { UserError } from '../store/user-error.ts'
import { inVirtualTime } from './explore.ts'
import type { ThreadAnswer, ThreadData } from './module-players.ts'

const { module, seed, place, beats }: ThreadData & { readonly beats: Int32Array } = workerData
const port = parentPort!
const answer = (it: ThreadAnswer) => port.postMessage(it)
// While the client computes, no timer of this thread fires.
setInterval(() => Atomics.add(beats, 0, 1), 1_000)

try {
  await inVirtualTime(
    importClient,
    { seed },
    async player => {
      for (;;) {
        const [name] = await once(port, 'message')
        const { troubles, ...run } = await player.play(planOfName(name)!)
        answer({ run: { ...run, troubles: troubles.map(it => it.name) } })
      }
    },
    place,
  )
} catch (error) {
  answer({ refusal: (error as Error).message })
}

async function importClient(): Promise<ClientFunction> {
  const file = relative('', fileURLToPath(module))
  const exported = await import(module).catch((error: Error) => {
    throw new UserError(`cannot load the module ${file}: ${error.message}; "node ${file}" shows the line`)
  })
  if (typeof exported.default === 'function') return exported.default
  throw new UserError(
    `${file} has no default export that is a function; expected "export default async call => ...", which sends one mailing`,
  )
}
