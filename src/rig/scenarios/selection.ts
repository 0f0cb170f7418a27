import { problems, toProblem } from '../../service/problem.ts'
import { requestPath } from '../../service/request-input.ts'
import type { RequestContext } from '../request-context.ts'
import type { SpaceRig } from '../space-rig.ts'
import type { Scenario, SelectedScenario } from './scenario.ts'

/** The ways in which a request can choose a scenario, the first of which wins. */
export const selectionChannels = ['header', 'transaction-id', 'synchronization'] as const
export type SelectionChannel = (typeof selectionChannels)[number]

/** @throws an error whose message lists the names there are */
export type FindScenario = (name: string) => Promise<Scenario>

/** A request, as far as it can choose a scenario. */
type Chooser = Pick<RequestContext, 'rig' | 'incoming' | 'facts'>

/** Whether a request names a scenario itself, or its synchronization is bound to one. */
export const namesScenario = ({ rig, incoming, facts }: Chooser): boolean =>
  incoming.header('x-mock-scenario') !== undefined ||
  scenarioOfTestSynchronization(rig, incoming.target) !== undefined ||
  (facts.body.length > 0 && scenarioNameIn(facts.transactionId) !== undefined)

/**
 * The scenario that a request names, or that its synchronization is bound to; the first match wins. Undefined if the
 * scenario of the space applies.
 * @throws Problem 400 that lists the existing scenarios: a fault that silently does not apply proves nothing
 */
export async function selectScenario(
  { rig, incoming, facts }: Chooser,
  find: FindScenario,
  channels: ReadonlySet<SelectionChannel>,
): Promise<SelectedScenario | undefined> {
  const named = incoming.header('x-mock-scenario')
  if (named !== undefined && channels.has('header'))
    return { by: 'header', scenario: await findOrRefuse(find, named, 'X-Mock-Scenario') }
  const byId = channels.has('transaction-id') ? scenarioNameIn(facts.transactionId) : undefined
  if (byId !== undefined)
    return { by: 'transactionId', scenario: await findOrRefuse(find, byId, 'transactionId') }
  const bound = scenarioOfTestSynchronization(rig, incoming.target)
  if (bound === undefined || !channels.has('synchronization')) return undefined
  return { by: 'test synchronization', scenario: await findOrRefuse(find, bound, 'synchronization') }
}

async function findOrRefuse(find: FindScenario, name: string, field: string): Promise<Scenario> {
  try {
    return await find(name)
  } catch (error) {
    throw toProblem(error) ?? problems.field(field, (error as Error).message)
  }
}

/**
 * The name in a transaction ID of the form `mock:<name>:<anything>`. Every other ID, also one that only begins with `mock:`,
 * is an ordinary one.
 */
export const scenarioNameIn = (transactionId: string | undefined): string | undefined =>
  /^mock:([^:]+):./.exec(transactionId ?? '')?.[1]

const synchronizationPath = 'chronizations/'
const uuidLength = 36

function scenarioOfTestSynchronization({ space }: SpaceRig, target: string): string | undefined {
  const { testSynchronizations } = space.data.tables
  if (testSynchronizations.size === 0) return undefined
  const path = requestPath(target)
  const at = path.indexOf(synchronizationPath)
  if (at < 0) return undefined
  const start = at + synchronizationPath.length
  return testSynchronizations.get(path.slice(start, start + uuidLength))?.scenario
}
