import { durationWords } from '../../rig/words.ts'
import { groupBy } from '../grouping.ts'
import { classifyBackoff } from '../rules/pauses.ts'
import type { Decision, Features } from './decisions.ts'
import { counters, type PauseModel } from './portrait-shape.ts'

/** Pauses below this many seconds are none. */
const noPause = 0.1
/** Share of the pauses that may lie below the range: near its time limit a client shortens them. */
const outliers = 0.05
const roundFactors = [1, 1.5, 2, 2.5, 3, 4, 5, 10]
/** A range that begins below this share of its end fits everything, and says nothing of a situation. */
const vagueShare = 0.2
/** What authors write: of the range of a random pause its ends are hardly ever seen. */
const roundLengths = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8, 9, 10]
const roundShares = [0, 0.25, 0.5, 0.75, 0.8, 0.9, 1]
/** By how much a pause may be early or late, as a share and in seconds. */
const tolerance = { share: 0.1, seconds: 0.25 }

type Paused = Decision & { readonly pause: number }
const isPaused = (it: Decision): it is Paused => it.pause !== undefined

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0

function roundLength(seconds: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(seconds, 1e-3)))
  const near = roundLengths.map(it => it * power).find(it => seconds <= it * 1.02 && seconds >= it * 0.93)
  return near ?? seconds
}

const roundShare = (share: number) =>
  roundShares.find(it => share <= it + 0.07 && share >= it - 0.02) ?? share

/**
 * Undefined where the decisions have no pauses of their own.
 * @param usual the client's pauses in all situations, which are taken where these ones fit: they are known from more runs
 */
export function learnPauses(decisions: readonly Decision[], usual?: PauseModel): PauseModel | undefined {
  const all = decisions.filter(isPaused)
  if (all.length === 0) return undefined
  const unasked = all.filter(({ features }) => features.retryAfter <= noPause)
  const unaskedModel = unasked.length > 0 ? bestModel(unasked) : undefined
  // Who pauses that long anyway shows nothing.
  const asked = all.filter(
    it =>
      it.features.retryAfter > noPause &&
      !(
        unaskedModel &&
        it.pause >= it.features.retryAfter &&
        isExpectedPause({ ...unaskedModel, heedsRetryAfter: null, count: 0, asked: 0 }, it, 0.05)
      ),
  )
  const heeding = asked.filter(({ pause, features }) => pause >= features.retryAfter * 0.98).length
  const heedsRetryAfter =
    asked.length === 0 ? null : heeding === asked.length ? 'always' : heeding === 0 ? 'never' : 'sometimes'
  const free = heedsRetryAfter === 'never' ? all : all.filter(it => !asked.includes(it))
  const fits = (model: PauseModel) => {
    const inside = free.filter(it => isExpectedPause({ ...model, heedsRetryAfter: null }, it, 0.05))
    return inside.length >= free.length * (1 - outliers)
  }
  const candidates = usual && usual.least >= vagueShare ? counters.map(by => ({ ...usual, by })) : []
  const shared = candidates.find(fits)
  const own = shared ?? bestModel(free.length > 0 ? free : all)
  return { ...own, heedsRetryAfter, count: free.length, asked: asked.length }
}

/** The one with the narrowest range, the earlier one of equals. */
const narrowest = <Model extends Pick<PauseModel, 'least'>>(models: readonly Model[]) =>
  models.reduce((one, other) => (other.least > one.least + 0.02 ? other : one))

function bestModel(pauses: readonly Paused[]) {
  const best = narrowest(counters.map(by => modelBy(pauses, by)))
  const groups = [...groupBy(pauses, ({ features }) => features[best.by])]
  const means = groups
    .sort(([one], [other]) => one - other)
    .map(([, them]) => them.reduce((sum, it) => sum + it.pause, 0) / them.length)
  return { ...best, growth: classifyBackoff(means) }
}

function modelBy(pauses: readonly Paused[], by: PauseModel['by']) {
  const groups = groupBy(pauses, ({ features }) => features[by])
  const most = new Map([...groups].map(([at, them]) => [at, Math.max(...them.map(({ pause }) => pause))]))
  const peak = Math.max(...most.values())
  const isLimited = [...most.values()].filter(it => it > peak * 0.9).length > 1
  const growing = [...most].filter(([, pause]) => !isLimited || pause < peak * 0.9)
  const ratios = growing.flatMap(([at, pause]) => {
    const next = most.get(at + 1)
    return next === undefined || pause < noPause ? [] : [next / pause]
  })
  const factors = peak < noPause ? [1] : [...roundFactors, Math.max(1, quantile(ratios, 0.5))]
  return narrowest(
    factors.map(factor => {
      const firsts = (factor > 1 && growing.length > 0 ? growing : [...most]).map(
        ([at, pause]) => pause / power(factor, at),
      )
      const first = roundLength(factor > 1 ? Math.max(...firsts) : peak)
      const reached = first * power(factor, Math.max(...most.keys()))
      const model = { by, first, factor, longest: isLimited ? roundLength(peak) : Math.max(peak, reached) }
      const shares = pauses.map(it => it.pause / Math.max(1e-3, wholeOf(model, it.features)))
      return { ...model, least: Math.min(1, roundShare(quantile(shares, outliers))) }
    }),
  )
}

/** The factor of the nth pause. Hundreds of them are no number any more. */
const power = (factor: number, nth: number) => Math.min(1e9, factor ** (nth - 1))

const wholeOf = (
  { by, first, factor, longest }: Pick<PauseModel, 'by' | 'first' | 'factor' | 'longest'>,
  features: Features,
) => Math.min(longest, first * power(factor, features[by]))

/** The shortest and the longest pause that the model expects, in seconds. */
export function pauseRange(model: PauseModel, features: Features): readonly [least: number, most: number] {
  const whole = wholeOf(model, features)
  const [least, most] = [whole * model.least, whole]
  const asked = features.retryAfter
  if (asked <= 0 || model.heedsRetryAfter === 'never' || model.heedsRetryAfter === null) return [least, most]
  return [
    model.heedsRetryAfter === 'always' ? Math.max(least, asked) : Math.min(least, asked),
    Math.max(most, asked),
  ]
}

/** Whether a pause lies in the stated range, or close to it. */
export function isExpectedPause(
  model: PauseModel,
  { features, pause }: Pick<Decision, 'features' | 'pause'>,
  seconds = tolerance.seconds,
): boolean {
  if (pause === undefined) return true
  const [least, most] = pauseRange(model, features)
  return pause >= least * (1 - tolerance.share) - seconds && pause <= most * (1 + tolerance.share) + seconds
}

const secondsWords = (seconds: number) => durationWords(Math.round(seconds * 100) * 10)

/** Such as "1 s, then × 2, at most 30 s, up to 50 % less, or as Retry-After says". */
export function pauseWords({ first, factor, longest, least, heedsRetryAfter, count }: PauseModel): string {
  if (count === 0) return `${heedsRetryAfter === 'always' ? '' : 'sometimes '}as Retry-After says`
  const isGrowing = factor > 1.05
  const growing = [
    secondsWords(isGrowing ? first : longest),
    ...(isGrowing ? [`then × ${Number(factor.toFixed(1))}`] : []),
    ...(isGrowing && longest < first * factor ** 12 ? [`at most ${secondsWords(longest)}`] : []),
    ...(least < 0.97 ? [`up to ${Math.round((1 - least) * 100)} % less`] : []),
  ].join(', ')
  const even =
    least < 0.97 && !isGrowing ? `${secondsWords(longest * least)} to ${secondsWords(longest)}` : growing
  const asked = {
    always: ', or as Retry-After says',
    sometimes: ', sometimes as Retry-After says',
    never: ', whatever Retry-After says',
  }
  return (longest < noPause ? 'no pause' : even) + (heedsRetryAfter === null ? '' : asked[heedsRetryAfter])
}
