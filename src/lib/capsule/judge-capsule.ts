import type { Capsule } from '../../control/capsule/capsule-file.ts'
import { type ClientReport, clientReport } from '../../control/verdict.ts'
import { junitXml, xmlElement } from '../../judge/exam/report-text.ts'
import { type AcceptedRules, judgeSpace } from '../../judge/verdict.ts'
import type { Verdict } from '../../judge/verdict-shape.ts'
import { UserError } from '../../store/user-error.ts'
import { describeDifference } from './difference.ts'
import { type ReplayEnd, replayCapsule } from './replay.ts'

export interface CapsuleJudgement {
  readonly space: string
  readonly verdict: Verdict
  readonly text: string
  /** What was different when the space was played again; undefined if nothing was. */
  readonly difference: string | undefined
}

/**
 * The verdict on the space of a capsule, which is played again for it.
 * @param end what only the person or program that ran the client knows
 * @throws UserError where the capsule cannot be judged again and something is to be known that its own verdict does not say
 */
export async function judgeCapsule(
  capsule: Capsule,
  end: ClientReport & ReplayEnd = {},
  accepted?: AcceptedRules,
): Promise<CapsuleJudgement> {
  const { at, before, ...told } = end
  const isAsked =
    accepted !== undefined || at !== undefined || Object.values(told).some(it => it !== undefined)
  await using played = await replayCapsule(capsule, { at, before })
  const { lost } = capsule.history
  const difference = played.difference && describeDifference(played.difference, capsule)
  const why = lost ?? difference
  if (why !== undefined && isAsked)
    throw new UserError(`the capsule can only tell the verdict that it was taken with: ${why}`)
  if (why !== undefined)
    return {
      space: capsule.space,
      verdict: capsule.verdict as Verdict,
      text: capsule.verdictText,
      difference,
    }
  const { verdict, text } = await judgeSpace(
    played.rig,
    clientReport({ ...(at === undefined && before === undefined && recordedEnd(capsule)), ...given(told) }),
    played.mock.rigs.rejectedLogins,
    accepted,
  )
  return { space: capsule.space, verdict, text: text(), difference }
}

/** What was said of the client at the end when the capsule was taken. Those of earlier versions have only what their verdict says. */
export const recordedEnd = ({ end, verdict }: Pick<Capsule, 'end' | 'verdict'>): ClientReport => {
  const { believes, expected } = verdict.harm
  return end ?? (believes === null ? {} : { believes, expected: expected ?? undefined })
}

const given = (told: ClientReport): ClientReport =>
  Object.fromEntries(Object.entries(told).filter(([, it]) => it !== undefined))

/** A test case with the space's name, failed for the reason for which a test with this verdict fails. */
export function judgementJunit({ space, verdict, text }: CapsuleJudgement): string {
  const { failure, outcome } = verdict
  const failures = failure === null ? 0 : 1
  return junitXml(
    { name: 'mailing-sync-mock judge', tests: 1, failures, errors: 0, skipped: 0 },
    {},
    { outcome },
    [
      {
        attributes: { classname: 'mailing-sync-mock', name: space },
        inside: failure === null ? [] : [xmlElement('failure', { type: outcome, message: failure }, text)],
      },
    ],
  )
}
