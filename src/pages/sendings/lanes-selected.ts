import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import type { Finding, Harm, Sending } from './lanes.ts'
import { grouped } from './lanes-grouped.ts'

/** Which sendings are shown. */
export const kinds = {
  found: 'with findings or harm',
  disturbed: 'disturbed',
  calm: 'undisturbed',
} as const
export type Kind = keyof typeof kinds

/** Findings and harm, by the request that they cite. */
export class Citations {
  readonly #findings: ReadonlyMap<string, readonly Finding[]>
  readonly #harm: ReadonlyMap<string, readonly Harm[]>

  constructor({ findings, harm }: Pick<VerdictView, 'findings' | 'harm'>) {
    this.#findings = grouped(findings, it => it.evidence)
    this.#harm = grouped(harm.findings, it => it.evidence)
  }

  /** Findings that cite a request. */
  of(requestId: string): readonly Finding[] {
    return this.#findings.get(requestId) ?? []
  }

  /** Each once, in the verdict's order. */
  findingsOf(sending: Sending): Finding[] {
    return distinct(sending, this.#findings)
  }

  harmOf(sending: Sending): Harm[] {
    return distinct(sending, this.#harm)
  }
}

/** The sendings of a kind that a query asks for, the latest first. @param request ID of one of their attempts */
export function selected(
  sendings: readonly Sending[],
  citations: Citations,
  { only, request }: { readonly only?: Kind | undefined; readonly request?: string | undefined },
): Sending[] {
  return sendings
    .filter(
      sending =>
        (only === undefined || isOf(only, sending, citations)) &&
        (request === undefined || sending.attempts.some(({ requestId }) => requestId === request)),
    )
    .sort((one, other) => begin(one) - begin(other))
    .reverse()
}

export function isOf(kind: Kind, sending: Sending, citations: Citations): boolean {
  if (kind === 'found')
    return citations.findingsOf(sending).length > 0 || citations.harmOf(sending).length > 0
  const isDisturbed = sending.attempts.some(({ disturbance }) => disturbance !== null)
  return kind === 'disturbed' ? isDisturbed : !isDisturbed
}

const begin = ({ attempts }: Sending) => Date.parse(attempts[0]!.arrived.real)

function distinct<It>({ attempts }: Sending, by: ReadonlyMap<string, readonly It[]>): It[] {
  return [...new Set(attempts.flatMap(({ requestId }) => by.get(requestId) ?? []))]
}
