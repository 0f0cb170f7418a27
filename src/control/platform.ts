import { z } from 'zod'
import { type Ledger, ledgerOf, ledgerShape } from '../rig/ledger.ts'
import { searchText, wholeNumber } from './requests.ts'
import { route, textAnswer, textFormat } from './route.ts'
import { document, members } from './schemas.ts'
import { platformText } from './text.ts'

const maxRows = 10_000

export const platformRoutes = [
  route('GET /spaces/{space}/platform', 'getPlatform', {
    rel: 'platform',
    summary: 'What truly happened on the platform, whatever clients were told',
    description:
      'Since the space began: the content that it began with is left out unless it is asked for. What is due by now is on record before this answers.',
    query: members({
      synchronizationId: searchText.optional(),
      transactionId: searchText.optional(),
      seeded: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to show what the fixture had on its platform as well'),
      limit: wholeNumber(1, maxRows)
        .prefault('1000')
        .describe(`How many of each list at most, the latest: 1 to ${maxRows}, 1000 unless given`),
      ...textFormat.shape,
    }),
    answer: document({
      complete: z.boolean().describe('Whether the lists hold everything; the sums do in any case'),
      ...ledgerShape,
    }),
    text: true,
    async handle(call) {
      const rig = await call.upToDateRig()
      const { seeded, limit, format: _, ...filter } = call.query
      const ledger = ledgerOf(rig, { ...filter, seeded: seeded === 'true' })
      const shown = latestRows(ledger, limit)
      if (call.wantsText) return textAnswer(platformText(rig.space.name, shown))
      return { ...shown, _links: call.spaceLinks('/platform', 'requests', 'space') }
    },
  }),
]

/** The ledger with at most `limit` rows of each list, the latest ones. */
function latestRows({ summary, mailings, sendings }: Ledger, limit: number) {
  const { byTransaction } = summary
  return {
    complete: Math.max(byTransaction.length, mailings.length, sendings.length) <= limit,
    summary: { ...summary, byTransaction: byTransaction.slice(-limit) },
    mailings: mailings.slice(-limit),
    sendings: sendings.slice(-limit),
  }
}
