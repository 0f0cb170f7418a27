import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMock } from '../../src/index.ts'
import type { SpaceControl } from '../../src/lib/control-client.ts'
import { ids, type Json, synchronizationPath, synchronizationsPath } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { answerEffects, pathOf, wireEffects } from '../rig/faults/effects.ts'
import { faultServer } from '../rig/faults/fault-server.ts'
import { nodeStacks } from './stacks/node-stacks.ts'
import { programStacks } from './stacks/program-stacks.ts'
import type { Outcome } from './stacks/stack.ts'

const mock = await createMock()
const { url } = await mock.listen()
afterAll(() => mock.close())

const ample = 20_000
const soon = 1_000

/** What a stack makes of each fault that notices all that can be noticed: status and length of the body, or an error. */
const attentive = Object.fromEntries(
  Object.entries({ ...wireEffects, ...answerEffects }).flatMap(([name, { stack }]) =>
    stack === undefined ? [] : [[name, stack]],
  ),
)

function jsonOf(outcome: Outcome): Json {
  if ('error' in outcome) throw new Error(`an answer was expected, and ${outcome.error} came`)
  return JSON.parse(outcome.text)
}

for (const stack of [...nodeStacks, ...programStacks])
  describe.skipIf(!stack.isHere)(
    titleOr(`with ${stack.name}`, stack.isHere ? undefined : 'it is not installed here'),
    () => {
      let started: ReturnType<typeof stack.start>
      beforeAll(() => {
        started = stack.start()
      })
      afterAll(() => started.stop?.())

      async function stage() {
        const space: SpaceControl = await mock.privateSpace()
        const ask = (path: string, patience: number, body?: object) =>
          started.ask({
            method: body ? 'POST' : 'GET',
            url: path.startsWith('/') ? url + path : path,
            authorization: space.authorization,
            patience,
            ...(body && { body: JSON.stringify(body) }),
          })
        return { space, ask }
      }

      it('a client finds a mailing that is ready, and repeats until its sending is CREATED', async () => {
        const { space, ask } = await stage()
        const approved: Json[] = jsonOf(await ask('/mailings?isApproved=true', ample))._embedded[
          'svc:mailings'
        ]
        const synchronizations: Json[] = jsonOf(await ask(synchronizationsPath, ample))._embedded[
          'svc:mailing-synchronizations'
        ]
        const ready = synchronizations.find(it => it.readyForSending)
        expect(approved.map(it => it.id)).toContain(ready.mailingId)
        await space.arm('pending-then-created')
        const states: string[] = []
        while (states.at(-1) !== 'CREATED') {
          const { state } = jsonOf(
            await ask(ready._links['svc:sendings'].href, ample, { transactionId: 'story' }),
          )
          states.push(state)
          await space.clock.advance('5s')
        }
        expect(states).toEqual(['PENDING', 'PENDING', 'CREATED'])
        expect(await space.sent()).toMatchObject([{ transactionId: 'story' }])
        expect((await space.verdict({ believes: 'sent' })).outcome).toBe('innocent')
      })

      it('a connection that is reset, and a response that never comes, are what its documentation calls them', async () => {
        const { space, ask } = await stage()
        const path = synchronizationPath(ids.ready, '/sendings')
        await space.faults.arm({ on: 'createSending', answer: { fault: 'reset' } })
        const outcome = await ask(path, ample, { transactionId: 'reset' })
        const isRepeated = stack.reset === undefined
        if (isRepeated) expect(jsonOf(outcome)).toMatchObject({ state: 'CREATED' })
        else expect(outcome).toEqual({ error: stack.reset })
        await space.faults.arm({ on: 'createSending', answer: { fault: 'hang' } })
        expect(await ask(path, soon, { transactionId: 'hang' })).toEqual({ error: stack.hang })
        const met = await space.requests({ operation: 'createSending' })
        const resets = isRepeated ? ['reset', 'reset'] : ['reset']
        expect(met.map(it => it.transactionId)).toEqual([...resets, 'hang'])
        expect(await space.sent()).toHaveLength(2)
      })

      it.each(Object.entries({ ...attentive, ...stack.takes }))('%s is %s', async (fault, expected) => {
        await using server = await faultServer()
        const [path, settings] = pathOf(fault).split('?')
        const query = settings === undefined ? '' : `?${encodeURIComponent(settings)}`
        const outcome = await started.ask({
          method: 'POST',
          url: `${server.url}/${path}${query}`,
          authorization: 'none',
          patience: wireEffects[fault]?.ending === 'open' ? soon : ample,
          body: '{}',
        })
        const seen =
          'error' in outcome ? `error ${outcome.error}` : `${outcome.status} ${outcome.text.length}`
        if (typeof expected === 'string') expect(seen).toBe(expected)
        else expect(seen).toMatch(expected)
        // One call, several arrivals. How often such a stack gives up before its fifth depends on what it has seen of the end.
        const isRepeated = stack.reset === undefined && /^(close|reset|reset-upload)$/.test(fault)
        expect(server.arrived.length).toBeGreaterThan(isRepeated ? 1 : 0)
        expect(server.arrived.length).toBeLessThanOrEqual(isRepeated ? 5 : 1)
      })
    },
  )
