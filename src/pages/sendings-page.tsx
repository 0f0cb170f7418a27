import { z } from 'zod'
import { matchesText, searchText } from '../control/requests.ts'
import { members } from '../control/schemas.ts'
import { toSpaceDocument } from '../control/spaces.ts'
import { endQuery } from '../control/verdict.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import { countNoun, statusCountWords } from '../rig/words.ts'
import { Empty, Live, NoneAlike, Snippet } from './components/elements.tsx'
import { KindLinks, keysOf, Pager, pageNumber, pageOf, TransactionSearch } from './components/listing.tsx'
import {
  countIntended,
  hasUnrecorded,
  IntendedCount,
  RecordSince,
  shownVerdict,
} from './components/space-summary.tsx'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'
import { firstRequestLine } from './service-links.ts'
import { buildLanes, Citations, selectSendings, sendingKinds } from './timeline/lanes.ts'
import { Timeline } from './timeline/timeline-view.tsx'

const sendingsQuery = members({
  only: z.enum(keysOf(sendingKinds)).optional(),
  transactionId: searchText.optional(),
  request: z.string().max(60, 'expected the ID of a request').optional(),
  page: pageNumber,
  ...endQuery,
})

type Props = SpaceProps<z.output<typeof sendingsQuery>>

const defaultQuery = { page: 1 }

const perPage = 50

/** Each intended sending as a lane: its attempts, what the client was told, and what was true. */
export default spacePage('sendings', {
  query: sendingsQuery,
  async show(call, rig) {
    const verdict = (await shownVerdict(call, rig)) ?? (await call.tools.verdict(rig)).verdict
    return {
      content: (
        <>
          <TransactionSearch
            action={call.here('/sendings')}
            target="sendings"
            query={call.query}
            defaults={defaultQuery}
          />
          <Live id="sendings" on="request clock reset" class="sendings">
            <RecordSince call={call} rig={rig} />
            {verdict.sendings.length === 0 ? (
              <NoSendings call={call} rig={rig} hint={verdict.hint} />
            ) : (
              <Found call={call} rig={rig} verdict={narrowTo(call.query.transactionId, verdict)} />
            )}
          </Live>
          {call.hasCalls && (
            <p>
              <a href={call.judged('/capsule')} download>
                Save all that happened here as one file
              </a>
              : <code>mailing-sync-mock open</code> shows it on any machine (docs/failures.md).
            </p>
          )}
        </>
      ),
    }
  },
})

/** The verdict with only the sendings that had a transaction ID. @param wanted the ID, or its beginning with `*` */
function narrowTo(wanted: string | undefined, verdict: VerdictView): VerdictView {
  if (wanted === undefined) return verdict
  const isWanted = (id: string | null) => id !== null && matchesText(id, wanted, true)
  return { ...verdict, sendings: verdict.sendings.filter(it => it.transactionIds.some(isWanted)) }
}

function Found({ call, rig, verdict }: Props & { verdict: VerdictView }) {
  const { query: asked } = call
  const { sendings, harm } = verdict
  const citations = new Citations(verdict)
  const found = selectSendings(sendings, citations, asked)
  const list = pageOf(found, asked.page, perPage)
  const isSure = harm.findings.some(
    ({ kind, status, evidence }) => kind === 'DOUBLE' && status === 'certain' && evidence.length > 0,
  )
  const address = (changed: object) => call.judged('/sendings', { ...asked, ...changed }, defaultQuery)
  return (
    <>
      <KindLinks
        label="Which sendings"
        kinds={[
          [undefined, sendings.length, 'All'],
          ...keysOf(sendingKinds)
            .map(kind => {
              const { words, has } = sendingKinds[kind]
              const { length } = sendings.filter(it => has(it, citations))
              if (kind !== 'double') return [kind, length, words] as const
              const known = verdict.complete ? words : `known to be ${words}`
              return [kind, length, length > 0 && !isSure ? `${words}?` : known] as const
            })
            // Where all were refused, or none, this would tell nothing.
            .filter(([kind, count]) => kind !== 'refused' || (count > 0 && count < sendings.length)),
        ]}
        chosen={asked.request ? null : asked.only}
        address={only => address({ page: 1, request: undefined, only })}
      >
        {asked.request && <span aria-current="true">the one of request {asked.request}</span>}
      </KindLinks>
      <p class="soft">
        {countIntended(verdict) > 0 && [<IntendedCount verdict={verdict} />, '. ']}An intended sending counts
        once here, however often it was sent. In all the <a href={call.judged('/platform')}>platform</a> has{' '}
        {statusCountWords(toSpaceDocument(call, rig))}.
      </p>
      {found.length === 0 && <NoneAlike what="No sending" all={call.judged('/sendings')} />}
      <Timeline
        call={call}
        lanes={buildLanes(rig, list.shown, citations)}
        now={rig.clock.now()}
        areAll={!(asked.only ?? asked.request ?? asked.transactionId)}
      />
      <Pager list={list} address={page => address({ page })} />
    </>
  )
}

/** @param props.hint of the verdict: why the requests that came asked for none */
function NoSendings({ call, rig, hint }: Props & { hint: string | undefined }) {
  const { count, dropped } = rig.journal
  const isFirst = count === 0
  if (dropped > 0)
    return (
      <Empty title="No sendings on record">
        <p>
          {countNoun(dropped, 'earlier request is', 'earlier requests are')} no longer on record:{' '}
          <code>--journal</code> says how many are. What they sent is on{' '}
          <a href={call.judged('/platform')}>Platform</a>.
        </p>
      </Empty>
    )
  return (
    <Empty title={hasUnrecorded(rig) ? 'No sendings since then' : 'No sendings yet'}>
      <p>
        {!isFirst && (
          <>
            {hint ?? 'Requests have come, but none of them asks for a sending.'}{' '}
            <a href={call.judged('/requests')}>Show them</a>.{' '}
          </>
        )}
        What a client asks to be sent appears here by itself, each with all that was tried for it. This line
        makes a first one:
      </p>
      <Snippet text={firstRequestLine(call, rig.space)} label="Copy the line for a first sending" />
      <p>
        And this one meets with trouble: scenario <code>reset-after</code> sends the mailing, then breaks the
        connection. Repeat it to see how it goes on.
      </p>
      <Snippet
        text={firstRequestLine(call, rig.space, 'mock:reset-after:first-try')}
        label="Copy the line for a sending in trouble"
      />
    </Empty>
  )
}
