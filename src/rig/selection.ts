import { problems } from '../service/problem.ts'
import type { Visit } from './passage.ts'
import type { RequestFacts } from './request-facts.ts'
import type { Scenario } from './scenarios/scenario.ts'
import type { Selected, SpaceRig } from './space-rig.ts'

/** @throws an error whose message lists the names there are */
export type FindScenario = (name: string) => Scenario | Promise<Scenario>

/**
 * The scenario that a request names, or that its synchronization is bound to; the first match wins. Undefined where
 * that of the space applies.
 * @throws Problem 400 listing the scenarios there are: a fault that silently does not strike proves nothing
 */
export async function select(
  rig: SpaceRig,
  visit: Visit,
  facts: RequestFacts,
  find: FindScenario,
): Promise<Selected | undefined> {
  const named = visit.header('x-mock-scenario')
  if (named !== undefined) return { by: 'header', scenario: await found(find, named, 'X-Mock-Scenario') }
  const { transactionId } = facts
  if (transactionId?.startsWith(inTransactionId))
    return {
      by: 'transactionId',
      scenario: await found(find, scenarioIn(transactionId), 'transactionId'),
    }
  const bound = scenarioOfTestSynchronization(rig, visit.target)
  if (bound === undefined) return undefined
  return { by: 'test synchronization', scenario: await found(find, bound, 'synchronization') }
}

/** Whether a request could name a scenario itself, found out without reading anything. */
export function namesScenario(rig: SpaceRig, visit: Visit, body: Uint8Array): boolean {
  return (
    visit.header('x-mock-scenario') !== undefined ||
    scenarioOfTestSynchronization(rig, visit.target) !== undefined ||
    (body.length > 0 && mayNameScenario(Buffer.from(body.buffer, body.byteOffset, body.length)))
  )
}

/** Whether a text that begins with `mock:` may stand in it. Any character of a text may be written as an escape. */
function mayNameScenario(body: Buffer): boolean {
  if (body.length > short) return body.includes(inTransactionId) || body.includes('\\')
  // By hand: with bodies as short as nearly all are, calling native code is what costs.
  for (let at = 0; at < body.length; at++)
    if (body[at] === backslash || (body[at] === colon && body[at - 1] === k)) return true
  return false
}

const short = 512
const backslash = 0x5c
const colon = 0x3a
const k = 0x6b

async function found(find: FindScenario, name: string, field: string): Promise<Scenario> {
  try {
    return await find(name)
  } catch (error) {
    throw problems.field(field, (error as Error).message)
  }
}

const inTransactionId = 'mock:'

/** `mock:<name>:<anything>`; what merely begins like it names a scenario as well, and is loud when there is none. */
function scenarioIn(transactionId: string): string {
  const end = transactionId.indexOf(':', inTransactionId.length)
  return transactionId.slice(inTransactionId.length, end < 0 ? undefined : end)
}

const inPath = 'chronizations/'
const uuidLength = 36

/** The scenario that the synchronization of this path is bound to. */
function scenarioOfTestSynchronization({ space }: SpaceRig, target: string): string | undefined {
  const { testSynchronizations } = space.data.tables
  if (testSynchronizations.size === 0) return undefined
  const at = target.indexOf(inPath)
  if (at < 0) return undefined
  const start = at + inPath.length
  return testSynchronizations.get(target.slice(start, start + uuidLength))?.scenario
}
