import { z } from 'zod'
import { statusOfSending } from '../../store/platform-status.ts'
import type { PlatformSending, Sending } from '../../store/rows.ts'
import type { Chance, ReadableSpace } from '../../store/space-data.ts'
import { assumed, type Claim } from '../claim.ts'
import { approvedSize } from '../mailings.ts'
import type { ServiceCall } from '../operation.ts'
import { problems } from '../problem.ts'
import { count, dateTime, group, member, resource, selfLink, uuid, type Values } from '../resource.ts'
import { formatDateTime } from '../response.ts'
import { stateOf, toKnownSending } from './lifecycle.ts'

const hour = 3_600_000

const quotient = z.number().min(0).max(1)
const rate = (says: string, further: readonly Claim[] = []) =>
  member(quotient, says, {
    further: [assumed('S statistics rates', 'Rates are quotients from 0 to 1.'), ...further],
    byDials: (schema, dials) =>
      dials['statistics-rates'] === 'percentages' ? z.number().min(0).max(100) : schema,
  })
const figure = (says: string) => member(count, says)
const date = (says: string) => member(dateTime.nullable(), says, { further: ['S statistics before start'] })

const figures = {
  responseStatistics: group(
    {
      clickingRecipients: figure('How many recipients clicked a link.'),
      ctor: rate('Unique clicks for each unique opening.'),
      openingRate: rate('Opening recipients for each recipient.'),
      openingRecipients: figure('How many recipients opened the mailing.'),
      totalClicks: figure('How many clicks there were.'),
      uniqueClickRate: rate('Clicking recipients for each recipient.'),
      unsubscribeClicks: figure('How many unsubscribed by a click in the mailing.'),
      listUnsubscribeClicks: figure('How many unsubscribed by the list-unsubscribe mechanism.'),
      unsubscribeRate: rate('Unsubscribed recipients for each recipient.', [
        assumed(
          'S unsubscribe rate',
          'unsubscribeRate counts those who unsubscribed in either way: by a click and by the list-unsubscribe mechanism.',
        ),
      ]),
    },
    'responseStatistics holds what the recipients did.',
  ),
  sendingStatistics: group(
    {
      averageMailSize: figure('The average size of a mail in bytes.'),
      bounceCount: figure('How many mails bounced.'),
      deliveredMailsCount: figure('How many mails were delivered.'),
      mailsPerHour: figure('The calculated number of mails in an hour.'),
      notSentMailsCount: figure('How many mails could not be sent.'),
      recipientsCount: figure('How many recipients there are.'),
      sentErrorCount: figure('How many sent mails ended in an error.'),
      startDate: date('When the sending started.'),
      endDate: date('When the sending finished.'),
    },
    'sendingStatistics holds how the sending went.',
  ),
}

export type Statistics = Values<typeof figures>

export const statisticsForm = resource<[Sending, Statistics]>()({
  name: 'SendingStatistics',
  kind: 'statistics',
  section: '2.5',
  members: { synchronizationId: member(uuid, 'Statistics name their synchronization by ID.'), ...figures },
  values: (_, { synchronizationId }, known) => ({ synchronizationId, ...known }),
  links: { self: selfLink((links, { synchronizationId, id }) => links.statistics(synchronizationId, id)) },
  linksSay: 'Statistics link to themselves.',
})

/** Every count is zero, every date null. */
const beforeStart = Object.fromEntries(
  Object.entries(figures).map(([name, { schema }]) => [
    name,
    Object.fromEntries(
      Object.entries(schema.shape).map(([figure, it]) => [figure, it instanceof z.ZodNullable ? null : 0]),
    ),
  ]),
) as Statistics

/** The figures as the dials show them. @throws Problem 404 before the sending starts, if the dial says so */
export function statisticsByDials({ space, dials }: ServiceCall, sending: Sending): Statistics {
  const now = space.clock.now()
  const whole = dials['statistics-rates'] === 'percentages' ? 100 : 1
  const known = statisticsOf(space, toKnownSending(sending, stateOf(sending, now), dials), now, whole)
  if (known === beforeStart && dials['statistics-before-start'] === 'not-found')
    throw problems.notFound(`statistics of sending ${sending.id}, which has not started`)
  return known
}

/** The figures of a sending at a time. All zero before it starts, and if it is never sent. @param whole the highest rate */
export function statisticsOf(space: ReadableSpace, sending: Sending, now: number, whole = 1): Statistics {
  const { tables } = space.data
  const sent =
    sending.platformSendingId === null ? undefined : tables.platformSendings.get(sending.platformSendingId)
  if (!sent || statusOfSending(sent, now) !== 'sent') return beforeStart
  const { mailingId, version } = tables.platformMailings.get(sent.platformMailingId)!
  const outcome = outcomeOf(sent, approvedSize(tables.mailings.get(mailingId)!, version), space.chance)
  return computeFigures(outcome, Date.parse(sent.startsAt), now, whole)
}

/**
 * The final outcome of a sending in recipients, and its speed. It depends on the seed and the sending alone. Typical shares
 * of newsletters: about 1 % bounce, a quarter to a half open, a tenth of those click.
 */
function outcomeOf(sent: PlatformSending, contentSize: number, chance: Chance) {
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
    /** Milliseconds until about two thirds of all openings have happened. */
    pace: between('pace', 3, 9) * hour,
  }
}

/** The figures at a time after the start. No figure ever shrinks. Sums and quotients agree with the figures beside them. */
function computeFigures(
  outcome: ReturnType<typeof outcomeOf>,
  starts: number,
  now: number,
  whole: number,
): Statistics {
  const elapsed = now - starts
  const lasts = Math.ceil((outcome.recipients / outcome.perHour) * hour)
  const isFinished = elapsed >= lasts
  const sentShare = isFinished ? 1 : elapsed / lasts
  const openShare = 1 - Math.exp(-elapsed / outcome.pace)
  const clickShare = 1 - Math.exp(-elapsed / (outcome.pace * 1.3))
  const grown = (final: number, share: number) => Math.min(final, Math.floor(final * share + 1e-9))
  // After five paces the remaining readers count as well.
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
  const rateOf = (part: number, of: number) => (of === 0 ? 0 : (part / of) * whole)
  const { recipients } = outcome
  const hours = Math.min(elapsed, lasts) / hour
  return {
    responseStatistics: {
      clickingRecipients,
      ctor: rateOf(clickingRecipients, openingRecipients),
      openingRate: rateOf(openingRecipients, recipients),
      openingRecipients,
      totalClicks: clickingRecipients === 0 ? 0 : totalClicks,
      uniqueClickRate: rateOf(clickingRecipients, recipients),
      unsubscribeClicks,
      listUnsubscribeClicks,
      unsubscribeRate: rateOf(unsubscribeClicks + listUnsubscribeClicks, recipients),
    },
    sendingStatistics: {
      averageMailSize: outcome.mailSize,
      bounceCount,
      deliveredMailsCount,
      mailsPerHour: hours === 0 ? 0 : Math.round(handled / hours),
      notSentMailsCount,
      recipientsCount: recipients,
      sentErrorCount,
      startDate: formatDateTime(starts),
      endDate: isFinished ? formatDateTime(starts + lasts) : null,
    },
  }
}
