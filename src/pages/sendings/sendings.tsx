import { endOf } from '../../rig/control/verdict.ts'
import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import { ledgerOf } from '../../rig/ledger.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Empty, Live, Snippet } from '../components/basics.tsx'
import { firstRequest } from '../first-request.ts'
import { type PageCall, page } from '../page.ts'
import { RecordSince, unexplained } from '../record-since.tsx'
import { endPairs, searchOf } from '../verdict/query.ts'
import { Episodes } from './lanes-episode.tsx'
import { Citations, isOf, type Kind, kinds, selected } from './lanes-selected.ts'
import { lanesOf } from './lanes-steps.ts'
import { query, type SendingsQuery, search } from './query.ts'

/** So many sendings stand on a page. */
const perPage = 25

type Call = PageCall<{ readonly space: string }, SendingsQuery>

/** Each sending that was meant as a lane: what was tried for it, what was told, and what was true. */
export default page('/spaces/{space}/sendings', {
  query,
  async show(call) {
    const rig = await call.rig()
    const { verdict } = await call.tools.verdict(rig, endOf(call.query))
    return {
      title: 'Sendings',
      space: rig,
      tab: 'sendings',
      content: (
        <>
          <h1>Sendings</h1>
          <Live id="sendings" on="request clock reset" class="sendings">
            <RecordSince call={call} rig={rig} />
            {verdict.sendings.length === 0 ? (
              <Nothing call={call} rig={rig} />
            ) : (
              <Found call={call} rig={rig} verdict={verdict} />
            )}
          </Live>
        </>
      ),
    }
  },
})

function Found({ call, rig, verdict }: { call: Call; rig: SpaceRig; verdict: VerdictView }) {
  const { name } = rig.space
  const { query: asked } = call
  const citations = new Citations(verdict)
  const found = selected(verdict.sendings, citations, asked)
  const pages = Math.max(1, Math.ceil(found.length / perPage))
  const at = Math.min(asked.page, pages)
  const lanes = lanesOf(
    rig,
    ledgerOf(rig, { seeded: true }),
    found.slice((at - 1) * perPage, at * perPage),
    citations,
  )
  const now = rig.clock.now()
  return (
    <>
      <Kinds call={call} verdict={verdict} citations={citations} />
      {found.length === 0 && (
        <Empty title="No sending is like that">
          <p>
            <a
              href={call.inSpace(
                name,
                `/sendings${search(asked, { only: undefined, request: undefined, page: 1 })}`,
              )}
            >
              Show all sendings
            </a>
          </p>
        </Empty>
      )}
      <Episodes
        call={call}
        space={name}
        lanes={lanes}
        now={now}
        isTable={asked.as === 'rows'}
        areAll={!asked.only && !asked.request}
        verdict={call.inSpace(name, `/verdict${searchOf(endPairs(asked))}`)}
      />
      {pages > 1 && <Pager call={call} at={at} pages={pages} name={name} />}
    </>
  )
}

/** Which sendings are shown, and what the lines mean. */
function Kinds({ call, verdict, citations }: { call: Call; verdict: VerdictView; citations: Citations }) {
  const { query: asked } = call
  const address = (changed: Parameters<typeof search>[1]) =>
    call.inSpace(verdict.space, `/sendings${search(asked, { page: 1, request: undefined, ...changed })}`)
  const { sendings } = verdict
  const isRows = asked.as === 'rows'
  return (
    <div class="kinds-row">
      <nav class="kind-links" aria-label="Which sendings">
        <a
          href={address({ only: undefined })}
          aria-current={asked.only || asked.request ? undefined : 'true'}
        >
          All {sendings.length}
        </a>
        {Object.entries(kinds).map(([kind, words]) => (
          <a href={address({ only: kind })} aria-current={asked.only === kind ? 'true' : undefined}>
            {sendings.filter(it => isOf(kind as Kind, it, citations)).length} {words}
          </a>
        ))}
        {asked.request && <span aria-current="true">the one of request {asked.request}</span>}
      </nav>
      <p class="lanes-legend soft">
        {isRows ? (
          ''
        ) : (
          <>
            <strong>Above</strong> each line: what the client was told. <strong>Below</strong>: what is true.{' '}
          </>
        )}
        <a href={call.inSpace(verdict.space, `/sendings${search(asked, { as: isRows ? 'lanes' : 'rows' })}`)}>
          {isRows ? 'As lanes' : 'As tables'}
        </a>
      </p>
    </div>
  )
}

function Pager({ call, at, pages, name }: { call: Call; at: number; pages: number; name: string }) {
  const address = (page: number) => call.inSpace(name, `/sendings${search(call.query, { page })}`)
  return (
    <nav class="row pager" aria-label="Pages">
      {at > 1 ? <a href={address(at - 1)}>Newer</a> : <span class="soft">Newer</span>}
      <span>
        Page {at} of {pages}
      </span>
      {at < pages ? <a href={address(at + 1)}>Older</a> : <span class="soft">Older</span>}
    </nav>
  )
}

function Nothing({ call, rig }: { call: Call; rig: SpaceRig }) {
  const isFirst = rig.journal.count === 0
  return (
    <Empty title={unexplained(rig) > 0 ? 'No sendings since then' : 'No sendings yet'}>
      <p>
        {isFirst ? '' : 'Requests have come, but none of them asks for a sending. '}
        What a client asks to be sent appears here by itself, each with all that was tried for it. This line
        makes a first one:
      </p>
      <Snippet text={firstRequest(call, rig.space)} label="Copy the line for a first sending" />
      <p>
        And this one meets with trouble: scenario <code>reset-after</code> sends the mailing, then breaks the
        connection. Repeat it to see how it goes on.
      </p>
      <Snippet
        text={firstRequest(call, rig.space, 'mock:reset-after:first-try')}
        label="Copy the line for a sending in trouble"
      />
    </Empty>
  )
}
