import type { AttemptShown, CaseVerdict } from '../exam/exam-result.ts'
import type { JointRun, LaneEntry } from './stage.ts'

/** Something that a worker did, or that happened to it, in words. */
export interface LaneLine {
  /** Seconds on the service's clock since the run began. */
  readonly at: number
  /** 1 or 2. */
  readonly worker: number
  readonly what: string
}

/** What two workers did, in order. */
export interface Lanes {
  readonly lines: readonly LaneLine[]
  /** Position of the line from which on both took the mailing for theirs: each had decided to ask for a sending of its own. Null if that never was. */
  readonly both: number | null
}

/** What a run shows to a reader. */
export function lanesOf(
  { entries, endings }: JointRun,
  verdict: Pick<CaseVerdict, 'attempts' | 'effects'>,
): Lanes {
  const start = entries[0]?.at ?? 0
  const attempts = new Map(verdict.attempts.map(it => [it.id, it]))
  const letters = new Map<string, string>()
  const letterOf = (id: string) => {
    if (!letters.has(id)) letters.set(id, String.fromCharCode(65 + (letters.size % 26)))
    return letters.get(id)!
  }
  const lines: LaneLine[] = []
  const positions: number[] = []
  for (const [at, entry] of entries.entries()) {
    positions[at] = lines.length
    const what = wordsOf(entry, attempts, letterOf)
    if (what !== undefined)
      lines.push({ at: Math.round(entry.at - start) / 1000, worker: entry.worker, what })
  }
  const decisions = verdict.effects.flatMap(({ cause }) => decisionOf(entries, cause) ?? [])
  const workers = new Set(decisions.map(({ worker }) => worker))
  const first = decisions.toSorted((one, other) => one.at - other.at)
  const second = workers.size > 1 ? first.find(({ worker }) => worker !== first[0]!.worker) : undefined
  const isWhole = endings.length > 0
  return { lines, both: second && isWhole ? positions[second.at]! : null }
}

/** Where a worker decided to send what a request sent: the last thing that it learnt before it asked. */
function decisionOf(
  entries: readonly LaneEntry[],
  cause: string,
): { at: number; worker: number } | undefined {
  const processed = entries.findIndex(({ event }) => event.kind === 'process' && event.request === cause)
  if (processed < 0) return undefined
  const { worker } = entries[processed]!
  const own = (at: number, kinds: readonly string[]) =>
    entries.findLastIndex(
      (it, position) => position < at && it.worker === worker && kinds.includes(it.event.kind),
    )
  const asked = own(processed, ['ask'])
  return { at: own(asked, ['start', 'wake', 'answer', 'file']), worker }
}

function wordsOf(
  { event }: LaneEntry,
  attempts: ReadonlyMap<string, AttemptShown>,
  letterOf: (id: string) => string,
): string | undefined {
  switch (event.kind) {
    case 'start':
      return 'starts'
    case 'wake':
      return 'a wait ends'
    case 'kill':
      return 'is killed'
    case 'abandon':
      return 'gives its request up'
    case 'file': {
      const { name, reads, writes } = event.call
      const outcome = event.outcome === 'ok' || event.outcome === '' ? '' : ` (${event.outcome})`
      return `${name} ${[...reads, ...writes].map(it => it.slice(1) || 'the store').join(', ')}${outcome}`
    }
    case 'ask': {
      const { method, url } = event.request
      return `asks: ${method} ${lastPart(url)}`
    }
    case 'process': {
      const attempt = attempts.get(event.request)
      if (!attempt) return 'its request is processed'
      const { isCreation, transactionId, truth, operation, method } = attempt
      const what = isCreation
        ? `send, ID ${transactionId === null ? 'none' : letterOf(transactionId)}`
        : (operation ?? method)
      return `${event.request} is processed: ${what} → ${truth}`
    }
    case 'answer':
      return `gets the answer to ${event.request}: ${attempts.get(event.request)?.told ?? ''}`
    case 'end':
      return event.ending.error === undefined
        ? `ends: "${event.ending.believes}"`
        : `${event.ending.isWithoutBelief ? 'ends' : 'throws'}: ${event.ending.error}`
  }
}

function lastPart(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname.split('/').at(-1)! + search
}
