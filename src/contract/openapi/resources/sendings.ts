import { z } from 'zod'
import { sendingState } from '../../../store/rows.ts'
import { count, dateTime, type Hal, number, type Resource, uuid } from './shapes.ts'

/** Spec 2.3, as it is created, read and listed, and its statistics (2.5). */
export function sendingResources(hal: Hal) {
  const { dials, link, pageLink } = hal
  const target = z.object({ mailingId: number.nullable(), sendingId: number.nullable() })
  const fields = {
    id: uuid,
    creationDate: dateTime,
    scheduleDate: dateTime.nullable(),
    mailingSynchronizationId: uuid,
    state: sendingState,
    transactionId: z.string().nullable(),
    target: dials['target-of-unsent'] === 'null' ? target.nullable() : target,
  }
  const namesMailing = dials['created-sending-mailing-id'] === 'present'
  const rels = { self: link, [hal.rel('report')]: pageLink }
  const statistics = { [hal.rel('statistics')]: link }
  const item = z.object({ ...fields, _links: hal.links({ ...rels, ...statistics }) })
  return {
    CreatedSending: {
      schema: z.object({
        ...fields,
        ...(namesMailing && { mailingId: uuid }),
        _links: hal.linksWithCuries(rels),
      }),
      section: '2.3',
    },
    Sending: { schema: z.object({ ...fields, _links: hal.linksWithCuries(rels) }), section: '2.3' },
    SendingItem: { schema: item, section: '2.3' },
    Sendings: { schema: hal.collection('sendings', item), section: '4.3' },
    SendingStatistics: { schema: statisticsOf(hal), section: '2.5' },
  } satisfies Record<string, Resource>
}

function statisticsOf(hal: Hal) {
  const rate = z
    .number()
    .min(0)
    .max(hal.dials['statistics-rates'] === 'percentages' ? 100 : 1)
  return z.object({
    synchronizationId: uuid,
    responseStatistics: z.object({
      clickingRecipients: count,
      ctor: rate,
      openingRate: rate,
      openingRecipients: count,
      totalClicks: count,
      uniqueClickRate: rate,
      unsubscribeClicks: count,
      listUnsubscribeClicks: count,
      unsubscribeRate: rate,
    }),
    sendingStatistics: z.object({
      averageMailSize: count,
      bounceCount: count,
      deliveredMailsCount: count,
      mailsPerHour: count,
      notSentMailsCount: count,
      recipientsCount: count,
      sentErrorCount: count,
      startDate: dateTime.nullable(),
      endDate: dateTime.nullable(),
    }),
    _links: hal.links({ self: hal.link }),
  })
}
