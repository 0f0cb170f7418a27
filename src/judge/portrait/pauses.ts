import { durationWords } from '../../rig/words.ts'
import { groupBy, maximum } from '../grouping.ts'
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
/** By how much a pause may be early or late, as a share and in seconds. What is learned is measured more closely. */
const tolerance = { share: 0.1, seconds: 0.25, learning: 0.05 }

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
 * Null where the decisions have no pauses of their own.
 * @param usual the client's pauses in all situations, which are taken where these ones fit: they are known from more runs
 */
export function learnPauses(
  decisions: readonly Decision[],
  usual: PauseModel | null = null,
): PauseModel | null {
  const all = decisions.filter(isPaused)
  if (all.length === 0) return null
  const isOwn = (model: Backoff, { pause, features }: Paused) =>
    isWithin(pause, ownRange(model, features), tolerance.learning)
  const unasked = all.filter(({ features }) => features.retryAfter <= noPause)
  const unaskedModel = unasked.length > 0 && bestModel(unasked)
  // Who pauses that long anyway shows nothing.
  const isAnyway = (it: Paused) =>
    unaskedModel && it.pause >= it.features.retryAfter && isOwn(unaskedModel, it)
  const asked = all.filter(it => it.features.retryAfter > noPause && !isAnyway(it))
  const heeding = asked.filter(({ pause, features }) => pause >= features.retryAfter * 0.98).length
  const heedsRetryAfter =
    asked.length === 0 ? null : heeding === asked.length ? 'always' : heeding === 0 ? 'never' : 'sometimes'
  const free = heedsRetryAfter === 'never' ? all : all.filter(it => !asked.includes(it))
  const candidates = usual && usual.least >= vagueShare ? counters.map(by => ({ ...usual, by })) : []
  const shared = candidates.find(
    model => free.filter(it => isOwn(model, it)).length >= free.length * (1 - outliers),
  )
  const model = shared ?? bestModel(free.length > 0 ? free : all)
  return { ...model, heedsRetryAfter, count: free.length, asked: asked.length }
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
  const most = [...groups].map(([at, them]) => [at, maximum(them.map(({ pause }) => pause))] as const)
  const peak = maximum(most.map(([, pause]) => pause))
  const isLong = (pause: number) => pause > peak * 0.9
  const isLimited = most.filter(([, pause]) => isLong(pause)).length > 1
  const growing = isLimited ? most.filter(([, pause]) => !isLong(pause)) : most
  const ratios = growing.flatMap(([at, pause]) => {
    const next = most.find(([nth]) => nth === at + 1)?.[1]
    return next === undefined || pause < noPause ? [] : [next / pause]
  })
  const factors = peak < noPause ? [1] : [...roundFactors, Math.max(1, quantile(ratios, 0.5))]
  return narrowest(
    factors.map(factor => {
      const firsts = (growing.length > 0 ? growing : most).map(([at, pause]) => pause / power(factor, at))
      const first = roundLength(factor > 1 ? maximum(firsts) : peak)
      const reached = first * power(factor, maximum(most.map(([at]) => at)))
      const model = { by, first, factor, longest: isLimited ? roundLength(peak) : Math.max(peak, reached) }
      const shares = pauses.map(it => it.pause / Math.max(1e-3, wholeOf(model, it.features)))
      return { ...model, least: Math.min(1, roundShare(quantile(shares, outliers))) }
    }),
  )
}

/** The factor of the nth pause. Hundreds of them are no number any more. */
const power = (factor: number, nth: number) => Math.min(1e9, factor ** (nth - 1))

/** Pauses as they are where no response asks for one. */
type Backoff = Pick<PauseModel, 'by' | 'first' | 'factor' | 'longest' | 'least'>

const wholeOf = ({ by, first, factor, longest }: Omit<Backoff, 'least'>, features: Features) =>
  Math.min(longest, first * power(factor, features[by]))

/** In seconds. */
type Range = readonly [least: number, most: number]

function ownRange(model: Backoff, features: Features): Range {
  const whole = wholeOf(model, features)
  return [whole * model.least, whole]
}

/** The shortest and the longest pause that the model expects. */
export function pauseRange(model: PauseModel, features: Features): Range {
  const [least, most] = ownRange(model, features)
  const { heedsRetryAfter } = model
  const asked = features.retryAfter
  if (asked <= 0 || heedsRetryAfter === 'never' || heedsRetryAfter === null) return [least, most]
  return [
    heedsRetryAfter === 'always' ? Math.max(least, asked) : Math.min(least, asked),
    Math.max(most, asked),
  ]
}

const isWithin = (pause: number, [least, most]: Range, seconds: number) =>
  pause >= least * (1 - tolerance.share) - seconds && pause <= most * (1 + tolerance.share) + seconds

/** Whether a pause lies in the stated range, or close to it. */
export const isExpectedPause = (
  model: PauseModel,
  { features, pause }: Pick<Decision, 'features' | 'pause'>,
): boolean => pause === undefined || isWithin(pause, pauseRange(model, features), tolerance.seconds)

const secondsWords = (seconds: number) => durationWords(Math.round(seconds * 100) * 10)

const retryAfterWords = {
  always: ', or as Retry-After says',
  sometimes: ', sometimes as Retry-After says',
  never: ', whatever Retry-After says',
}

/** Such as "1 s, then × 2, at most 30 s, up to 50 % less, or as Retry-After says". */
export function pauseWords({ first, factor, longest, least, heedsRetryAfter, count }: PauseModel): string {
  if (count === 0) return `${heedsRetryAfter === 'always' ? '' : 'sometimes '}as Retry-After says`
  const asked = heedsRetryAfter === null ? '' : retryAfterWords[heedsRetryAfter]
  if (longest < noPause) return `no pause${asked}`
  const isDrawn = least < 0.97
  if (factor <= 1.05)
    return `${isDrawn ? `${secondsWords(longest * least)} to ` : ''}${secondsWords(longest)}${asked}`
  const limit = longest < first * factor ** 12 ? `, at most ${secondsWords(longest)}` : ''
  const drawn = isDrawn ? `, up to ${Math.round((1 - least) * 100)} % less` : ''
  return `${secondsWords(first)}, then × ${Number(factor.toFixed(1))}${limit}${drawn}${asked}`
}
