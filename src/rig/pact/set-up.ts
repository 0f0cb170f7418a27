import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import { checked } from '../control/checked.ts'
import type { SpaceRig } from '../space-rig.ts'
import type { ProviderState, Values } from './provider-state.ts'
import { recognised } from './recognised.ts'
import { Scene } from './scene.ts'

/** What a verifier asks for. */
export interface Asked {
  readonly state: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A state that was asked for, its parameters checked but for what earlier states give. */
export interface Wanted {
  readonly state: ProviderState
  readonly given: Readonly<Record<string, unknown>>
}

/** @throws Problem 400 for a state that nobody knows, or a parameter that is given twice */
export function wanted({ state: name, params }: Asked): Wanted {
  const { state, named } = recognised(name)
  for (const [parameter, text] of Object.entries(named))
    if (parameter in params && String(params[parameter]) !== text)
      throw problems.field(
        `params.${parameter}`,
        `the state says ${JSON.stringify(text)}; seen: ${JSON.stringify(params[parameter])}`,
      )
  const given = { ...params, ...named }
  checkedParams(state, given)
  return { state, given }
}

/** What states of the same interaction have given; undefined where it is over, since a request has come in. */
export const providedBefore = ({ provided, requests }: SpaceRig): Values | undefined =>
  provided?.requests === requests ? provided.values : undefined

/**
 * Brings a space into a state.
 * @param before values of the states of the same interaction that were set up in it
 * @throws Problem 400 naming a parameter that cannot be
 */
export async function setUp(rig: SpaceRig, { state, given }: Wanted, before: Values): Promise<Values> {
  const taken = Object.fromEntries(
    state.takes.filter(name => name in before).map(name => [name, before[name]]),
  )
  const params = checkedParams(state, { ...taken, ...given })
  const values = await state.setUp(new Scene(rig), params as never)
  rig.provided = { requests: rig.requests, values: { ...before, ...values } }
  return values
}

/** @throws Problem 400 */
function checkedParams(state: ProviderState, given: object): object {
  return checked(z.strictObject({ params: state.params }), { params: given }).params
}
