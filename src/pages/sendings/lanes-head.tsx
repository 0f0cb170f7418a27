import { CopyButton } from '../components/basics.tsx'
import { Chip, type Mark } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'
import { dayAndTime, timeOfDay } from '../relative.ts'
import { harmWords } from '../verdict/words.ts'
import { type Lane, letterOf } from './lanes.ts'

/** So many transaction IDs are named. */
const named = 4

/** Whose lane it is, when it began, and what came of it. */
export function LaneHead({ call, space, lane }: { call: PageCall; space: string; lane: Lane }) {
  const { sending, mailing, steps } = lane
  const { transactionIds, basis } = sending
  const { clock } = steps[0]!.begins
  return (
    <header class="lane-head">
      <h2 class="lane-name" id={`${lane.id}-name`}>
        {transactionIds.slice(0, named).map((id, at) => (
          <TransactionId id={id} letter={transactionIds.length > 1 ? letterOf(at) : undefined} />
        ))}
        {transactionIds.length > named && (
          <span class="soft">and {transactionIds.length - named} more transaction IDs</span>
        )}
      </h2>
      <p class="lane-outcome">
        {outcome(lane).map(({ tone, words, title }) => (
          <Chip tone={tone} {...(title !== undefined && { title })}>
            {words}
          </Chip>
        ))}
        {lane.before.map(({ startsAt }) => (
          <time class="soft" datetime={startsAt}>
            {dayAndTime(Date.parse(startsAt))}
          </time>
        ))}
      </p>
      <p class="lane-of soft">
        <time
          datetime={new Date(clock).toISOString()}
          title={`${new Date(clock).toISOString()} (the space's clock)`}
        >
          {timeOfDay(clock, true)}
        </time>{' '}
        {mailing ? (
          <a href={call.inSpace(space, `/mailings/${encodeURIComponent(mailing.id)}`)}>{mailing.name}</a>
        ) : (
          <code>{sending.synchronizationId}</code>
        )}
        {basis === 'inferred' && (
          <span title="Nobody has said that these mean one mailing; it looks so">
            {' '}
            (taken for one mailing)
          </span>
        )}
      </p>
    </header>
  )
}

function TransactionId({ id, letter }: { id: string | null; letter: string | undefined }) {
  return (
    <span class="lane-id">
      {letter && <span class="lane-letter">{letter}</span>}
      {id === null ? (
        <em class="soft">no transactionId</em>
      ) : (
        <>
          <code>{id}</code>
          <CopyButton text={id} label="Copy the transaction ID" />
        </>
      )}
    </span>
  )
}

/** What came of it, whoever is to blame. */
export function outcome(lane: Lane): Mark[] {
  const { before, sent, scheduled, harm } = lane
  const isNothing = before.length === 0 && sent === 0 && scheduled === 0
  const kinds = [...new Map(harm.map(it => [it.kind, it])).values()]
  return [
    ...(isNothing ? [{ tone: 'calm', words: 'nothing went out' } as const] : []),
    ...(before.length > 0 ? [beforeMark] : []),
    ...(sent > 0 ? [sentMark(lane)] : []),
    ...(scheduled > 0
      ? [{ tone: 'info', words: scheduled === 1 ? 'scheduled' : `${scheduled} scheduled` } as const]
      : []),
    ...kinds
      // That it went out more than once is said already.
      .filter(({ kind }) => kind !== 'DOUBLE' || sent < 2)
      .map(
        ({ kind, sentence }): Mark => ({
          tone: kind === 'ORPHAN' ? 'odd' : 'bad',
          words: harmWords[kind].words,
          title: sentence,
        }),
      ),
  ]
}

const beforeMark: Mark = {
  tone: 'good',
  words: 'went out before this record',
  title: 'The request that brought it about is not on record any more',
}

function sentMark({ sent, harm, findings }: Lane): Mark {
  if (sent === 1) return { tone: 'good', words: 'went out' }
  const double = harm.find(({ kind }) => kind === 'DOUBLE')
  const words = sent === 2 ? 'went out twice' : `went out ${sent} times`
  if (double?.status === 'certain') return { tone: 'bad', words, title: double.sentence }
  // Where nothing else is wrong they may well be mailings of their own.
  const tone = findings.length > 0 ? 'warn' : 'info'
  return { tone, words, title: 'Whether that was meant, nobody has said' }
}
