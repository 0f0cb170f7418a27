import { durationWords } from '../../rig/words.ts'
import { groupBy } from '../grouping.ts'
import { classifyBackoff } from '../rules/pauses.ts'
import type { Decision, Features } from './decisions.ts'

const counters = ['attempts', 'times', 'requests', 'ids'] as const

/**
 * How long a client pauses in one situation: its nth pause is `first` times `factor` for each one before it, `longest` at
 * most, of which it takes between the shares `least` and 1. Seconds.
 */
export interface PauseModel {
  /** What the pauses are counted by. */
  readonly by: (typeof counters)[number]
  readonly first: number
  readonly factor: number
  readonly longest: number
  readonly least: number
  /** Whether it waits as long as Retry-After asks; null where no response asked. */
  readonly heedsRetryAfter: 'always' | 'sometimes' | 'never' | null
  /** How many pauses it was learned from: those for which no response asked, and those for which one did. */
  readonly count: number
  readonly asked: number
  /** Whether they grow; unknown where there are too few. */
  readonly growth: 'grows' | 'constant' | 'unknown'
}

/** Pauses below this many seconds are none. */
const noPause = 0.1
/** Share of the pauses that may lie below the range: near its time limit a client shortens them. */
const outliers = 0.05
const roundFactors = [1, 1.5, 2, 2.5, 3, 4, 5, 10]
/** By how much a pause may be early or late, as a share and in seconds. */
const tolerance = { share: 0.1, seconds: 0.25 }

type Paused = Decision & { readonly pause: number }
const isPaused = (it: Decision): it is Paused => it.pause !== undefined

const quantile = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

/**
 * Undefined where the decisions have no pauses of their own.
 * @param usual the client's pauses in all situations, which are taken where these ones fit: they are known from more runs
 */
export function learnPauses(decisions: readonly Decision[], usual?: PauseModel): PauseModel | undefined {
  const all = decisions.filter(isPaused)
  if (all.length === 0) return undefined
  const asked = all.filter(({ features }) => features.retryAfter > noPause)
  const heeding = asked.filter(({ pause, features }) => pause >= features.retryAfter * 0.98).length
  const heedsRetryAfter =
    asked.length === 0 ? null : heeding === asked.length ? 'always' : heeding === 0 ? 'never' : 'sometimes'
  const free = heedsRetryAfter === 'never' ? all : all.filter(it => !asked.includes(it))
  const fits = (model: PauseModel) => {
    const ranges = free.map(it => [it, pauseRange({ ...model, heedsRetryAfter: null }, it.features)] as const)
    const inside = ranges.filter(([it, range]) => isWithin(range, it.pause, tolerance.share))
    return inside.length >= free.length * (1 - outliers)
  }
  const shared = usual && counters.map(by => ({ ...usual, by })).find(fits)
  const own = shared ?? bestModel(free.length > 0 ? free : all)
  return { ...own, heedsRetryAfter, count: free.length, asked: asked.length }
}

function bestModel(pauses: readonly Paused[]) {
  const models = counters.map(by => modelBy(pauses, by))
  const best = models.reduce((one, other) => (other.least > one.least + 0.02 ? other : one))
  return { ...best, growth: growthOf(pauses, best.by) }
}

/** @param share by which it may be outside */
const isWithin = ([least, most]: readonly [number, number], pause: number, share: number) =>
  pause >= least * (1 - share) && pause <= most * (1 + share)

function modelBy(pauses: readonly Paused[], by: PauseModel['by']) {
  const most = new Map<number, number>()
  for (const { pause, features } of pauses)
    most.set(features[by], Math.max(most.get(features[by]) ?? 0, pause))
  const numbers = [...most.keys()].sort((one, other) => one - other)
  const longest = Math.max(...most.values())
  const ratios = numbers.flatMap(at => {
    const [one = 0, other] = [most.get(at), most.get(at + 1)]
    return other === undefined || one < noPause || other > longest * 0.98 ? [] : [other / one]
  })
  const ratio =
    ratios.length === 0
      ? 1
      : quantile(
          ratios.sort((one, other) => one - other),
          0.5,
        )
  const factors = longest < noPause ? [1] : [...roundFactors, Math.max(1, ratio)]
  const candidates = factors.map(factor => {
    const scaled = numbers.filter(at => most.get(at)! < longest * 0.98 || at === numbers[0])
    const first = Math.min(longest, Math.max(...scaled.map(at => most.get(at)! / factor ** (at - 1))))
    const model = { by, first, factor, longest }
    const shares = pauses.map(it => it.pause / Math.max(1e-3, wholeOf(model, it.features)))
    return {
      ...model,
      least: Math.min(
        1,
        quantile(
          shares.sort((one, other) => one - other),
          outliers,
        ),
      ),
    }
  })
  return candidates.reduce((one, other) => (other.least > one.least + 0.02 ? other : one))
}

const wholeOf = (
  { by, first, factor, longest }: Pick<PauseModel, 'by' | 'first' | 'factor' | 'longest'>,
  features: Features,
) => Math.min(longest, first * factor ** (features[by] - 1))

/** Whether the mean pauses, by their counter, grow. */
function growthOf(pauses: readonly Paused[], by: PauseModel['by']): PauseModel['growth'] {
  const groups = groupBy(pauses, ({ features }) => features[by])
  const sorted = [...groups].sort(([one], [other]) => one - other)
  return classifyBackoff(sorted.map(([, them]) => them.reduce((sum, it) => sum + it.pause, 0) / them.length))
}

/** The shortest and the longest pause that the model expects, in seconds. */
export function pauseRange(model: PauseModel, features: Features): readonly [least: number, most: number] {
  const whole = wholeOf(model, features)
  const [least, most] = [whole * model.least, whole]
  if (features.retryAfter <= 0 || model.heedsRetryAfter === 'never' || model.heedsRetryAfter === null)
    return [least, most]
  const asked = features.retryAfter
  return model.heedsRetryAfter === 'always'
    ? [Math.max(least, asked), Math.max(most, asked)]
    : [Math.min(least, asked), Math.max(most, asked)]
}

/** Whether a pause lies in the stated range. */
export function isExpectedPause(model: PauseModel, { features, pause }: Paused | Decision): boolean {
  if (pause === undefined) return true
  const [least, most] = pauseRange(model, features)
  return (
    pause >= least * (1 - tolerance.share) - tolerance.seconds &&
    pause <= most * (1 + tolerance.share) + tolerance.seconds
  )
}

const secondsWords = (seconds: number) => durationWords(Math.round(seconds * 100) * 10)

/** Such as "1 s, then × 2, at most 30 s, up to 50 % less at random, or as Retry-After says". */
export function pauseWords({ first, factor, longest, least, heedsRetryAfter, count }: PauseModel): string {
  if (count === 0) return 'as Retry-After says'
  const growing = Math.abs(factor - 1) > 0.05
  const own =
    longest < noPause
      ? 'no pause'
      : least < 0.97 && !growing
        ? `${secondsWords(longest * least)} to ${secondsWords(longest)}`
        : [
            secondsWords(growing ? first : longest),
            ...(growing ? [`then × ${Number(factor.toFixed(1))}`] : []),
            ...(growing && longest < first * factor ** 12 ? [`at most ${secondsWords(longest)}`] : []),
            ...(least < 0.97 ? [`up to ${Math.round((1 - least) * 100)} % less`] : []),
          ].join(', ')
  const asked = {
    always: ', or as Retry-After says',
    sometimes: ', sometimes as Retry-After says',
    never: ', whatever Retry-After says',
  }
  return heedsRetryAfter === null ? own : own + asked[heedsRetryAfter]
}
