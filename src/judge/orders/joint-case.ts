import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { type CaseHost, prepareCase } from '../exam/case-host.ts'
import { evaluateCase } from '../exam/case-result.ts'
import type { ClientCall } from '../exam/client.ts'
import type { CaseVerdict } from '../exam/exam-result.ts'
import { type CaseRun, waitForClosedRequests, watchClient } from '../exam/run-case.ts'
import { type Lanes, lanesOf } from './lanes.ts'
import { caseOfOrders, type OrderPlan, strikingScenario } from './order-plans.ts'
import type { Disturbance, JointRun } from './stage.ts'

/** What a run of two workers is played with. */
export interface JointCaseRun extends Pick<CaseRun, 'seed' | 'directory' | 'limit' | 'signal'> {
  readonly synchronizationId: string
  /** Plays the run. @returns undefined if it was broken off */
  readonly play: (
    call: Omit<ClientCall, 'signal'>,
    rig: SpaceRig,
    disturbance: Disturbance,
    signal: AbortSignal,
  ) => Promise<JointRun | undefined>
}

/** How a run of two workers ended. */
export interface JointOutcome {
  readonly verdict: CaseVerdict
  readonly lanes: Lanes
  readonly wasDisturbed: boolean
}

/** Plays one order of two workers in a space of its own and judges it. @returns undefined if it was broken off */
export async function playJointCase(
  plan: OrderPlan,
  host: CaseHost,
  run: JointCaseRun,
): Promise<JointOutcome | undefined> {
  const exam = caseOfOrders(plan, run.synchronizationId)
  // With the same name the same IDs are drawn, so that runs can be compared.
  const preparedCase = await prepareCase(exam, 'plan', host, { seed: run.seed, speed: 1 })
  const { rig, call } = preparedCase
  try {
    const watch = watchClient(preparedCase, run.limit, run.signal)
    const state = mkdtempSync(join(run.directory, 'client-'))
    const { trouble } = plan
    const strike =
      typeof trouble === 'object' ? () => rig.scenarios.arm(strikingScenario(trouble)) : undefined
    const disturbance = { mayKill: trouble === 'killed', mayOvertake: trouble === 'overtaken', strike }
    const joint = await run
      .play({ ...call, state }, rig, disturbance, watch.signal)
      .finally(() => watch.end())
    if (!joint) return undefined
    await waitForClosedRequests(rig)
    const verdict = await evaluateCase(preparedCase, {
      endings: joint.endings.filter(it => it !== undefined),
      stop: watch.stop(),
      limit: run.limit,
      realSeconds: 0,
    })
    return { verdict, lanes: lanesOf(joint, verdict), wasDisturbed: joint.wasDisturbed }
  } finally {
    await host.tools.spaces.remove(rig.space.name)
  }
}
