import { durationWords } from '../../rig/words.ts'
import { groupBy, maximum } from '../grouping.ts'
import { classifyBackoff } from '../rules/pauses.ts'
import type { Decision, Features } from './decisions.ts'
import { counters, type PauseModel } from './portrait-shape.ts'

/** Pauses below this many seconds are none. */
const noPause = 0.1
/** Share of the pauses that may lie below the range: near its time limit a client shortens them. */
const outliers = 0.05
const growingFactors = [1.5, 2, 2.5, 3, 4, 5, 10]
const roundFactors = [1, ...growingFactors]
/** A range that begins below this share of its end fits everything, and says nothing of a situation. */
const vagueShare = 0.2
/** What authors write: of the range of a random pause its ends are hardly ever seen. */
const roundLengths = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5, 8, 9, 10]
const roundShares = [0, 0.25, 0.5, 0.75, 0.8, 0.9, 1]
/** By how much a pause may be early or late, as a share and in seconds. What is learned is measured more closely. */
const tolerance = { share: 0.1, seconds: 0.25, learning: 0.05 }

/** Lengths that authors write are multiples of this many seconds. */
const roundStep = 0.05
/** By how much lengths that are the same may differ, as a share and in seconds. */
const exactness = { share: 0.015, seconds: 0.002 }
/** Lengths that grow by one factor: fewer do so by chance. */
const fewestGrowing = 4
/** Lengths up to which each is named. */
const maxNamedLengths = 4

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
  const model = chooseModel(free.length > 0 ? free : all, usual)
  return { ...model, heedsRetryAfter, count: free.length, asked: asked.length }
}

const isOwn = (model: Backoff, { pause, features }: Paused) =>
  isWithin(pause, ownRange(model, features), tolerance.learning)

/** Whether chance has a part in the pauses. */
const isDrawn = ({ least, lengths }: Pick<PauseModel, 'least' | 'lengths'>) => !lengths && least < 0.97

/** An exact model of these pauses, if there is one, comes before a drawn one that is known from more runs. */
function chooseModel(pauses: readonly Paused[], usual: PauseModel | null): Learned {
  const doFit = (model: Backoff) =>
    pauses.filter(it => isOwn(model, it)).length >= pauses.length * (1 - outliers)
  const isShareable = usual && !usual.lengths && usual.least >= vagueShare
  const shared = isShareable ? counters.map(by => ({ ...usual, by })).find(doFit) : undefined
  if (shared && !isDrawn(shared)) return shared
  const own = bestModel(pauses)
  const all = distinctLengths(pauses)
  // In virtual time a pause that is drawn is the same in all runs that begin alike: that alone does not make it exact.
  const isExact = () =>
    all.every(isRound) && (all.length > 1 || new Set(pauses.map(it => it.features.requests)).size > 2)
  // Of a client that counts otherwise, a row of few lengths shows no limit.
  const isPartial = () => usual?.lengths && own.factor > 1 && own.longest < usual.longest * 0.9
  if (!isDrawn(own) && !isPartial() && (!shared || isExact())) return own
  const isUsual = (length: number) => usual?.lengths?.some(it => isSameLength(it, length)) === true
  const lengths = all.every(isUsual) ? all : exactLengths(all)
  if (!lengths) return shared ?? own
  const longest = lengths.at(-1)!
  return { ...own, first: longest, factor: 1, longest, least: lengths[0]! / Math.max(1e-3, longest), lengths }
}

const isSameLength = (one: number, other: number) =>
  Math.abs(one - other) <= other * exactness.share + exactness.seconds

const isRound = (length: number) =>
  length < noPause || Math.abs(length - Math.round(length / roundStep) * roundStep) <= exactness.seconds

/** The shortest first. */
function distinctLengths(pauses: readonly Paused[]): number[] {
  const lengths: number[] = []
  for (const { pause } of pauses.toSorted((one, other) => one.pause - other.pause))
    if (lengths.length === 0 || !isSameLength(pause, lengths.at(-1)!)) lengths.push(pause)
  return lengths
}

/**
 * The lengths without those that were cut short at a limit, if they are exact although no counter tells which one comes, since the
 * client counts otherwise; undefined if chance has a part in them. What is drawn is hardly ever round, and does not grow by one factor.
 */
function exactLengths(all: readonly number[]): number[] | undefined {
  const mostOthers = all.length > fewestGrowing ? Math.max(1, all.length * outliers) : 0
  const candidates = [{ fewest: 2, lengths: all.filter(isRound) }, ...growingLengths(all)]
  return candidates.find(
    ({ fewest, lengths }) => lengths.length >= fewest && all.length - lengths.length <= mostOthers,
  )?.lengths
}

/** Those that grow by one factor from one of the shortest on, with the longest, which may be a limit. */
const growingLengths = (all: readonly number[]) =>
  all.slice(0, 2).flatMap(first =>
    growingFactors.map(factor => {
      const isOnWay = (length: number) =>
        length >= first &&
        isSameLength(length, first * factor ** Math.round(Math.log(length / first) / Math.log(factor)))
      const lengths = all.filter((it, at) => at === all.length - 1 || isOnWay(it))
      return { fewest: fewestGrowing + (isOnWay(lengths.at(-1)!) ? 0 : 1), lengths, factor }
    }),
  )

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

type Learned = Omit<PauseModel, 'heedsRetryAfter' | 'count' | 'asked'>

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

const exactLengthWords = (length: number) =>
  length < noPause
    ? 'no pause'
    : length < 1 || length >= 60
      ? secondsWords(length)
      : `${Number(length.toFixed(2))} s`

/** Such as "1 s, 1.5 s or 2.25 s". */
function exactWords(lengths: readonly number[]): string {
  const [first, last] = [exactLengthWords(lengths[0]!), exactLengthWords(lengths.at(-1)!)]
  if (lengths.length <= maxNamedLengths)
    return [lengths.slice(0, -1).map(exactLengthWords).join(', '), last].join(' or ')
  const growing = growingLengths(lengths).find(it => it.lengths.length === lengths.length)
  const words = growing ? `${first}, then × ${growing.factor}, at most ${last}` : `${first} to ${last}`
  return `${words}, by a count of its own`
}

/** Such as "1 s, then × 2, at most 30 s, up to 50 % less, or as Retry-After says". */
export function pauseWords(model: PauseModel): string {
  const { first, factor, longest, heedsRetryAfter, count, least, lengths } = model
  if (count === 0) return `${heedsRetryAfter === 'always' ? '' : 'sometimes '}as Retry-After says`
  const asked = heedsRetryAfter === null ? '' : retryAfterWords[heedsRetryAfter]
  if (longest < noPause) return `no pause${asked}`
  if (lengths) return exactWords(lengths) + asked
  const drawn = isDrawn(model)
  if (factor <= 1.05)
    return `${drawn ? `${secondsWords(longest * least)} to ` : ''}${secondsWords(longest)}${asked}`
  const limit = longest < first * factor ** 12 ? `, at most ${secondsWords(longest)}` : ''
  const less = drawn ? `, up to ${Math.round((1 - least) * 100)} % less` : ''
  return `${secondsWords(first)}, then × ${Number(factor.toFixed(1))}${limit}${less}${asked}`
}
