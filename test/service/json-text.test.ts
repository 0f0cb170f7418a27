import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sendingId } from '../../src/contract/examples/fixture-ids.ts'
import { defaultDials } from '../../src/service/dials.ts'
import { Links } from '../../src/service/links.ts'
import { quoteJson } from '../../src/service/resource.ts'
import { createdSendingForm, sendingForm, sendingItemForm } from '../../src/service/sendings/routes.ts'
import type { Sending } from '../../src/store/rows.ts'

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'a', '\ud800', 'ß', '\x7f', '\u2028') }),
)

it('a text is quoted as JSON quotes it, whatever stands in it', () => {
  fc.assert(
    fc.property(text, it => {
      expect(quoteJson(it)).toBe(JSON.stringify(it))
    }),
  )
})

it('a sending is written as JSON writes it, whatever its client put into it', () => {
  const links = new Links(
    'http://mock.example/a-b',
    { relationPrefix: 'svc', platformSegment: 'mailing-platform' },
    'demo',
  )
  const id = sendingId(1)
  const number = fc.option(fc.integer({ min: 1 }))
  fc.assert(
    fc.property(
      fc.option(text),
      fc.uuid(),
      number,
      number,
      (transactionId, synchronizationId, mailing, sent) => {
        const date = '2026-01-12T09:30:00.142Z'
        const sending: Sending = {
          id,
          synchronizationId,
          creationDate: date,
          scheduleDate: null,
          transactionId,
          name: null,
          subject: null,
          plan: [{ state: 'CREATED' }],
          step: 0,
          stepSince: date,
          stepAttempts: 1,
          platformMailingId: mailing,
          platformSendingId: sent,
          cause: '1',
        }
        const members = sendingForm.values(defaultDials, sending, 'CREATED')
        expect(members).toMatchObject({ id, transactionId, target: { mailingId: mailing, sendingId: sent } })
        const self = { href: links.sending(synchronizationId, id) }
        const report = { href: links.report(id) }
        const rels = { self, 'svc:report': report }
        const curies = links.curies
        expect(sendingForm.render(links, defaultDials, sending, 'CREATED')).toBe(
          JSON.stringify({ ...members, _links: { ...rels, curies } }),
        )
        expect(createdSendingForm.render(links, defaultDials, sending, 'CREATED', id)).toBe(
          JSON.stringify({ ...members, mailingId: id, _links: { ...rels, curies } }),
        )
        expect(sendingItemForm.render(links, defaultDials, sending, 'CREATED')).toBe(
          JSON.stringify({
            ...members,
            _links: { ...rels, 'svc:statistics': { href: links.statistics(synchronizationId, id) } },
          }),
        )
      },
    ),
  )
})
