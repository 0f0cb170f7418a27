import { settledRig } from '../../rig/control/request-documents.ts'
import { entryOf } from '../../rig/control/requests-found.ts'
import { JournalView } from '../../rig/entry-view.ts'
import { explain } from '../../rig/explain/explain.ts'
import { CopyButton, Live } from '../components/basics.tsx'
import { page } from '../page.ts'
import { Attempts } from './request-attempts.tsx'
import { curlOf } from './request-curl.ts'
import { Effects } from './request-effects.tsx'
import { Answered, Asked } from './request-exchange.tsx'
import { Explained } from './request-explained.tsx'
import { nameOf, Told, Truth } from './request-row.tsx'
import { unreadWords } from './request-unread.ts'

/** One request: why it was answered so, what is true, and what went over the wire. */
export default page('/spaces/{space}/requests/{id}', {
  async show(call) {
    const rig = await settledRig(call)
    const entry = entryOf(rig, call.params.id)
    const journal = new JournalView(rig)
    const view = journal.entry(entry)
    const { effects } = journal
    const explanation = explain(entry, { rig, effects, twin: journal.twin(entry.id) })
    const now = rig.clock.now()
    const line = curlOf(call, rig, view)
    const at = (id: string) => call.inSpace(rig.space.name, `/requests/${encodeURIComponent(id)}`)
    const entries = rig.journal.entries()
    const index = entries.indexOf(entry)
    return {
      title: `Request ${view.number}`,
      space: rig,
      tab: 'requests',
      content: (
        <Live id="request" on="request clock reset" class="request">
          <div class="request-head">
            <h1>{nameOf(view)}</h1>
            <span class="soft">request {view.number}</span>
            <nav class="row" aria-label="Other requests">
              <a href={call.inSpace(rig.space.name, '/requests')}>All requests</a>
              {entries[index - 1] && (
                <a href={at(entries[index - 1]!.id)} rel="prev">
                  Earlier
                </a>
              )}
              {entries[index + 1] && (
                <a href={at(entries[index + 1]!.id)} rel="next">
                  Later
                </a>
              )}
            </nav>
            <span class="request-copy">
              {line === undefined ? (
                <span class="soft">The body was not kept whole, so there is no curl line</span>
              ) : (
                <>
                  <CopyButton text={line} label="Copy as curl" words="Copy as curl" />{' '}
                  {unreadWords(view) !== undefined && (
                    <span class="soft">The line lacks the body, which was not read</span>
                  )}
                </>
              )}
            </span>
          </div>
          <p class="mono request-target">
            {view.method} {view.target}
          </p>
          <dl class="told-true">
            <div>
              <dt>Told</dt>
              <dd>
                <Told view={view} />
              </dd>
            </div>
            <div>
              <dt>True</dt>
              <dd>
                <Truth view={view} journal={journal} now={now} />
              </dd>
            </div>
          </dl>
          <Explained explanation={explanation} />
          <Effects call={call} space={rig.space.name} view={view} now={now} />
          <Attempts call={call} rig={rig} journal={journal} view={view} />
          <div class="columns">
            <Asked call={call} rig={rig} view={view} />
            <Answered call={call} rig={rig} view={view} />
          </div>
        </Live>
      ),
    }
  },
})
