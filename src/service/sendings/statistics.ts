import type { PlatformSending, Sending } from '../../store/rows.ts'
import type { Chance, Space } from '../../store/space.ts'
import type { Call } from '../call.ts'
import { problems } from '../problem.ts'
import { instant } from '../time.ts'
import { approvedSize } from '../versions.ts'

const hour = 3_600_000

/** Spec 2.5. */
export interface Statistics {
  readonly responseStatistics: {
    readonly clickingRecipients: number
    readonly ctor: number
    readonly openingRate: number
    readonly openingRecipients: number
    readonly totalClicks: number
    readonly uniqueClickRate: number
    readonly unsubscribeClicks: number
    readonly listUnsubscribeClicks: number
    readonly unsubscribeRate: number
  }
  readonly sendingStatistics: {
    readonly averageMailSize: number
    readonly bounceCount: number
    readonly deliveredMailsCount: number
    readonly mailsPerHour: number
    readonly notSentMailsCount: number
    readonly recipientsCount: number
    readonly sentErrorCount: number
    readonly startDate: string | null
    readonly endDate: string | null
  }
}

/**
 * The figures as a client is told them, by the dials.
 * @throws Problem 404 before the sending starts, if the dial says that there are none yet
 */
export function toldStatistics({ space, dials }: Call, sending: Sending): Statistics {
  const known = statisticsOf(space, sending, space.clock.now())
  const hasStarted = known.sendingStatistics.startDate !== null
  if (!hasStarted && dials['statistics-before-start'] === 'not-found')
    throw problems.notFound(`statistics of sending ${sending.id}, which has not started`)
  return dials['statistics-rates'] === 'percentages' ? inPercent(known) : known
}

const inPercent = ({ responseStatistics: rates, ...others }: Statistics): Statistics => ({
  responseStatistics: {
    ...rates,
    ctor: rates.ctor * 100,
    openingRate: rates.openingRate * 100,
    uniqueClickRate: rates.uniqueClickRate * 100,
    unsubscribeRate: rates.unsubscribeRate * 100,
  },
  ...others,
})

/** The figures of a sending at a time; all zero before it starts, and for one that never went out. */
export function statisticsOf(space: Space, sending: Sending, now: number): Statistics {
  const { tables } = space.data
  const sent =
    sending.platformSendingId === null ? undefined : tables.platformSendings.get(sending.platformSendingId)
  const starts = sent ? Date.parse(sent.startsAt) : Number.POSITIVE_INFINITY
  if (!sent || starts > now) return figures(outcomeOfNothing, 0, 0, null, null)

  const { mailingId, version } = tables.platformMailings.get(sent.platformMailingId)!
  const outcome = outcomeOf(sent, approvedSize(tables.mailings.get(mailingId)!, version), space.chance)
  return figures(outcome, now - starts, duration(outcome), sent.startsAt, instant(starts + duration(outcome)))
}

/** What a sending comes to in the end, in recipients, and how fast. Follows from the seed and the sending alone. */
interface Outcome {
  readonly recipients: number
  readonly notSent: number
  readonly errors: number
  readonly bounces: number
  readonly delivered: number
  readonly openers: number
  readonly clickers: number
  readonly clicks: number
  readonly unsubscribeClicks: number
  readonly listUnsubscribes: number
  readonly mailSize: number
  readonly perHour: number
  /** How long, in milliseconds, until about two thirds of those who will ever open have opened. */
  readonly pace: number
}

const outcomeOfNothing: Outcome = {
  recipients: 0,
  notSent: 0,
  errors: 0,
  bounces: 0,
  delivered: 0,
  openers: 0,
  clickers: 0,
  clicks: 0,
  unsubscribeClicks: 0,
  listUnsubscribes: 0,
  mailSize: 0,
  perHour: 0,
  pace: hour,
}

/** Shares as newsletters of the field see them: about 1 % bounce, a quarter to a half open, a tenth of those click. */
function outcomeOf(sent: PlatformSending, contentSize: number, chance: Chance): Outcome {
  const between = (purpose: string, low: number, high: number) =>
    low + (high - low) * chance.fraction('statistics', sent.id, purpose)
  const share = (of: number, purpose: string, low: number, high: number) =>
    Math.round(of * between(purpose, low, high))
  const { recipients } = sent
  const notSent = share(recipients, 'not sent', 0, 0.004)
  const errors = share(recipients, 'errors', 0, 0.003)
  const bounces = share(recipients, 'bounces', 0.002, 0.018)
  const delivered = recipients - notSent - errors - bounces
  const openers = share(delivered, 'openers', 0.22, 0.46)
  const clickers = share(openers, 'clickers', 0.05, 0.22)
  return {
    recipients,
    notSent,
    errors,
    bounces,
    delivered,
    openers,
    clickers,
    clicks: clickers + share(clickers, 'further clicks', 0.1, 0.9),
    unsubscribeClicks: share(clickers, 'unsubscribe clicks', 0, 0.03),
    listUnsubscribes: share(openers, 'list unsubscribes', 0, 0.004),
    mailSize: Math.round(contentSize * 1.37 + between('headers', 2_400, 3_600)),
    perHour: Math.round(between('speed', 40_000, 160_000)),
    pace: between('pace', 3, 9) * hour,
  }
}

const duration = ({ recipients, perHour }: Outcome) =>
  perHour === 0 ? 0 : Math.ceil((recipients / perHour) * hour)

/**
 * The figures after `elapsed` milliseconds. Each grows by itself and never shrinks, and each sum and quotient is
 * made from the figures beside it, so that they agree at every moment.
 */
function figures(
  outcome: Outcome,
  elapsed: number,
  lasts: number,
  startDate: string | null,
  endDate: string | null,
): Statistics {
  const isFinished = startDate !== null && elapsed >= lasts
  const sentShare = isFinished ? 1 : lasts === 0 ? 0 : elapsed / lasts
  const openShare = 1 - Math.exp(-elapsed / outcome.pace)
  const clickShare = 1 - Math.exp(-elapsed / (outcome.pace * 1.3))
  const grown = (final: number, share: number) => Math.min(final, Math.floor(final * share + 1e-9))
  // Beyond five paces nobody is waited for any more: the last reader counts too.
  const responded = (final: number, share: number) => (share > 0.9933 ? final : grown(final, share))

  const deliveredMailsCount = grown(outcome.delivered, sentShare)
  const bounceCount = grown(outcome.bounces, sentShare)
  const notSentMailsCount = grown(outcome.notSent, sentShare)
  const sentErrorCount = grown(outcome.errors, sentShare)
  const handled = deliveredMailsCount + bounceCount + notSentMailsCount + sentErrorCount

  const openingRecipients = Math.min(deliveredMailsCount, responded(outcome.openers, openShare))
  const clickingRecipients = Math.min(openingRecipients, responded(outcome.clickers, clickShare))
  const totalClicks = clickingRecipients + responded(outcome.clicks - outcome.clickers, clickShare)
  const unsubscribeClicks = Math.min(clickingRecipients, responded(outcome.unsubscribeClicks, clickShare))
  const listUnsubscribeClicks = Math.min(
    openingRecipients - unsubscribeClicks,
    responded(outcome.listUnsubscribes, openShare),
  )
  const quotient = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
  const { recipients } = outcome
  const hours = Math.min(elapsed, lasts) / hour
  return {
    responseStatistics: {
      clickingRecipients,
      ctor: quotient(clickingRecipients, openingRecipients),
      openingRate: quotient(openingRecipients, recipients),
      openingRecipients,
      totalClicks: clickingRecipients === 0 ? 0 : totalClicks,
      uniqueClickRate: quotient(clickingRecipients, recipients),
      unsubscribeClicks,
      listUnsubscribeClicks,
      unsubscribeRate: quotient(unsubscribeClicks + listUnsubscribeClicks, recipients),
    },
    sendingStatistics: {
      averageMailSize: outcome.mailSize,
      bounceCount,
      deliveredMailsCount,
      mailsPerHour: hours === 0 ? 0 : Math.round(handled / hours),
      notSentMailsCount,
      recipientsCount: recipients,
      sentErrorCount,
      startDate,
      endDate: isFinished ? endDate : null,
    },
  }
}
