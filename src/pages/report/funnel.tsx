import type { Statistics } from '../../service/sendings/statistics.ts'
import { count, share } from './words.ts'

interface Stage {
  readonly name: string
  readonly reached: number
  /** Of whom it is a share. */
  readonly of: number
  readonly ofWhom: string
}

/** From all recipients to those who clicked: how many of the former reached the latter. */
export function Funnel({ statistics }: { statistics: Statistics }) {
  const { sendingStatistics: sent, responseStatistics: response } = statistics
  const recipients = sent.recipientsCount
  const stages: Stage[] = [
    { name: 'Recipients', reached: recipients, of: recipients, ofWhom: '' },
    { name: 'Delivered', reached: sent.deliveredMailsCount, of: recipients, ofWhom: 'of the recipients' },
    {
      name: 'Opened',
      reached: response.openingRecipients,
      of: sent.deliveredMailsCount,
      ofWhom: 'of the delivered',
    },
    {
      name: 'Clicked',
      reached: response.clickingRecipients,
      of: response.openingRecipients,
      ofWhom: 'of those who opened',
    },
  ]
  return (
    <ol class="funnel">
      {stages.map(({ name, reached, of, ofWhom }) => (
        <li>
          <span class="funnel-name">{name}</span>
          <Bar part={reached} whole={recipients} />
          <span class="funnel-figure">
            <strong>{count(reached)}</strong>{' '}
            <span class="soft">{ofWhom !== '' && `${share(reached, of)} ${ofWhom}`}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}

/** Says nothing to those who do not see it: the figure stands beside it. */
function Bar({ part, whole }: { part: number; whole: number }) {
  const width = whole === 0 ? 0 : (part / whole) * 100
  return (
    <svg class="bar" width="100%" height="18" aria-hidden="true" focusable="false">
      <rect class="bar-room" width="100%" height="18" rx="3" />
      <rect class="bar-part" width={`${width.toFixed(2)}%`} height="18" rx="3" />
    </svg>
  )
}
