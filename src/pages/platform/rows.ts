import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import type { Ledger, LedgerMailing, LedgerSending } from '../../rig/ledger-shape.ts'
import { grouped } from '../sendings/lanes-grouped.ts'

/** A mailing on the platform with what was sent of it. */
export interface PlatformRow {
  readonly mailing: LedgerMailing
  readonly sendings: readonly LedgerSending[]
  /** Whether the judge says that it was sent too often: `open` where that hangs on what was meant. */
  readonly double: 'certain' | 'open' | undefined
}

/** What can be looked for. */
export const platformKinds = {
  sent: 'went out to lists',
  scheduled: 'scheduled',
  double: 'sent too often',
  orphan: 'orphaned',
  test: 'for tests',
  unsent: 'never sent',
} as const
export type PlatformKind = keyof typeof platformKinds

const holds: Record<PlatformKind, (row: PlatformRow) => boolean> = {
  sent: ({ sendings }) => sendings.some(({ kind, status }) => kind === 'list' && status === 'sent'),
  scheduled: ({ sendings }) => sendings.some(({ status }) => status === 'scheduled'),
  double: ({ double }) => double !== undefined,
  orphan: ({ mailing }) => mailing.isOrphan,
  test: ({ sendings }) => sendings.some(({ kind }) => kind === 'test'),
  unsent: ({ sendings }) => sendings.length === 0,
}

export const isOfKind = (kind: PlatformKind, row: PlatformRow): boolean => holds[kind](row)

/** The ledger by mailings, the one that was made last first. */
export function rowsOf({ mailings, sendings }: Ledger, harm: VerdictView['harm']): PlatformRow[] {
  const byMailing = grouped(sendings, ({ platformMailingId }) => [String(platformMailingId)])
  const doubles = new Map<string, 'certain' | 'open'>()
  for (const { kind, status, evidence } of harm.findings)
    if (kind === 'DOUBLE') for (const cause of evidence) doubles.set(cause, status)
  return mailings
    .map(mailing => {
      const own = byMailing.get(String(mailing.platformMailingId)) ?? []
      const causes = own.filter(({ kind }) => kind === 'list').map(({ cause }) => doubles.get(cause))
      return { mailing, sendings: own, double: causes.find(it => it !== undefined) }
    })
    .reverse()
}
