import { CopyButton } from './components/basics.tsx'
import { Chip, type Mark } from './components/chips.tsx'
import { type Lane, letterOf } from './lanes.ts'
import type { PageCall } from './page.ts'
import { timeOfDay } from './relative.ts'
import { harmWords } from './verdict-words.ts'

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
            , taken for one mailing
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
export function outcome({ sent, scheduled, harm }: Lane): Mark[] {
  const double = harm.find(({ kind }) => kind === 'DOUBLE')
  const isGrave = double?.status === 'certain'
  const others = harm.filter(({ kind }) => kind !== 'DOUBLE' && kind !== 'ORPHAN')
  return [
    ...(sent === 0 && scheduled === 0 ? [{ tone: 'calm', words: 'nothing went out' } as const] : []),
    ...(sent === 1 ? [{ tone: 'good', words: 'went out' } as const] : []),
    ...(sent > 1
      ? [
          {
            tone: isGrave || !double ? 'bad' : 'warn',
            words: sent === 2 ? 'went out twice' : `went out ${sent} times`,
            ...(double && { title: double.sentence }),
          } as const,
        ]
      : []),
    ...(scheduled > 0
      ? [{ tone: 'info', words: scheduled === 1 ? 'scheduled' : `${scheduled} scheduled` } as const]
      : []),
    ...(double && sent < 2
      ? [{ tone: 'bad', words: harmWords.DOUBLE.words, title: double.sentence } as const]
      : []),
    ...others.map(
      ({ kind, sentence }) => ({ tone: 'bad', words: harmWords[kind].words, title: sentence }) as const,
    ),
    ...(harm.some(({ kind }) => kind === 'ORPHAN')
      ? [{ tone: 'odd', words: harmWords.ORPHAN.words, title: harmWords.ORPHAN.sense } as const]
      : []),
  ]
}
