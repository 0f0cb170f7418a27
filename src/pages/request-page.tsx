import { type Explanation, explain, explanationParts } from '../control/explain/explain.ts'
import { findRequest } from '../control/requests.ts'
import { members } from '../control/schemas.ts'
import { endQuery } from '../control/verdict.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import { JournalView } from '../rig/journal-view.ts'
import type { RequestRecord, RequestRecordView } from '../rig/request-record.ts'
import { unfitTls } from '../rig/side-ports.ts'
import type { RigView } from '../rig/space-view.ts'
import { countNoun, deliverySentence, informationalWords } from '../rig/words.ts'
import { statusOfSending } from '../store/platform-status.ts'
import { clientName, findClients } from './clients.ts'
import { Chip, Chips, SendingChip } from './components/chips.tsx'
import { Card, ClientName, CodeLink, CopyButton, Facts, Id, Live, Quoted } from './components/elements.tsx'
import { PrettyBody } from './components/json-view.tsx'
import { elapsedText, RequestTable, requestName, ToldChips, TruthChips } from './components/request-row.tsx'
import { shownVerdict } from './components/space-summary.tsx'
import { Time } from './components/times.tsx'
import { JudgeSentence } from './components/verdict-words.tsx'
import { curl } from './curl.ts'
import { spacePage } from './page.ts'
import type { PageCall, SpaceProps } from './page-call.ts'
import { ReportLink, recipientsText } from './platform-page.tsx'
import {
  createLinkResolver,
  credentialsOf,
  isUntrusted,
  type ResolveLink,
  serviceBase,
  userNameIn,
} from './service-links.ts'
import { Citations } from './timeline/lanes.ts'

interface RequestProps extends SpaceProps {
  readonly view: RequestRecordView
  readonly journal: JournalView
  readonly verdict: VerdictView | undefined
  readonly follow: ResolveLink
}

/** Maximum number of attempts shown; the list of requests has all. */
const maxAttempts = 20

/** All attempts with the same transaction ID, so that retries are read together. */
function OtherAttempts({ call, rig, journal, view, verdict }: RequestProps) {
  const { transactionId, synchronizationId } = view
  if (transactionId === null) return null
  const { reader } = rig
  const isSame = (it: RequestRecord) =>
    reader.transactionId(it) === transactionId && (reader.synchronizationId(it) ?? null) === synchronizationId
  const same = rig.journal.entries().filter(isSame)
  if (same.length < 2) return null
  const link = <CodeLink href={call.judged('/requests', { transactionId })}>{transactionId}</CodeLink>
  return (
    <Card id="attempts" title={[`${same.length} attempts with `, link]}>
      <RequestTable
        views={same.slice(-maxAttempts).map(it => journal.view(it))}
        journal={journal}
        verdict={verdict}
        call={call}
        now={rig.clock.now()}
        clientOf={findClients(rig)}
        current={view.id}
      />
    </Card>
  )
}

/** Headers that curl sets itself, or that belong to one connection or client. */
const headersOfCurl =
  /^(?:host|connection|content-length|transfer-encoding|accept-encoding|accept-language|user-agent|authorization|keep-alive|expect|te|upgrade|priority|forwarded|via|x-forwarded-.*|sec-.*|origin|referer|cookie)$/

/** A curl line that repeats the request; undefined when its body is not available as text. */
function curlOf(call: PageCall, rig: RigView, view: RequestRecordView): string | undefined {
  const { method, target, headers, user, body } = view
  if (body && (body.isCut || body.encoding !== 'utf8')) return undefined
  return curl({
    method,
    url: serviceBase(call, hostOf(view)) + target,
    // A wrong password is not on record, and another one would get another response.
    user: (view.told?.status === 401 ? undefined : credentialsOf(call, rig.space.name, user)) ?? user,
    headers: headerLines(headers).filter(
      ([name, value]) => !headersOfCurl.test(name.toLowerCase()) && !value.includes('(hidden)'),
    ),
    body: body?.text,
    isUntrusted: isUntrusted(call),
  })
}

/** The header Host; undefined for a request with several. */
const hostOf = ({ headers: { host } }: RequestRecordView) => (typeof host === 'string' ? host : undefined)

/** Headers with one value each. */
const headerLines = (headers: RequestRecordView['headers']) =>
  Object.entries(headers).flatMap(([name, value]) => [value].flat().map(one => [name, one] as const))

/** What the request caused on the platform, at once or later. */
function Effects({ call, rig, view }: RequestProps) {
  if (view.effects.length === 0) return null
  const now = rig.clock.now()
  const { sendings, platformSendings } = rig.space.data.tables
  const made = sendings.changes().map(({ row }) => row)
  const statusOf = (id: number) => statusOfSending(platformSendings.get(id)!, now)
  const reportOf = (id: number) => {
    const sending = made.find(it => it.platformSendingId === id)
    return sending && <ReportLink call={call} id={sending.id} />
  }
  return (
    <Card id="effects" title={['What it did on the ', <a href={call.judged('/platform')}>platform</a>]}>
      <ul>
        {view.effects.map(effect =>
          effect.what === 'mailing' ? (
            <li>
              <Chip tone="calm">mailing</Chip> <code>{effect.platformMailingId}</code> made{' '}
              <Time at={effect.at} now={now} />
            </li>
          ) : (
            <li>
              <SendingChip kind={effect.kind} status={statusOf(effect.platformSendingId)} /> sending{' '}
              <code>{effect.platformSendingId}</code> of mailing <code>{effect.platformMailingId}</code>{' '}
              {recipientsText(effect.recipients)} <Time at={effect.startsAt} now={now} />{' '}
              {reportOf(effect.platformSendingId)}
            </li>
          ),
        )}
      </ul>
    </Card>
  )
}

/** Says why a request body was not received completely; undefined when there was no body or it was complete. */
function describeUnreadBody(view: RequestRecordView): string | undefined {
  const { headers, body, read, ended, told, delivered } = view
  const length = Number(headers['content-length'] ?? 0)
  if (body || read || (length === 0 && headers['transfer-encoding'] === undefined)) return undefined
  const announced =
    length === 0 ? 'one was announced' : `${countNoun(length, 'byte was', 'bytes were')} announced`
  if (!ended) return `The body has not come whole so far: ${announced}.`
  return told && delivered !== 'aborted'
    ? `The body was not read: ${announced}; the response was made before.`
    : `The body did not come whole: ${announced}.`
}

type RecordedAnswer = NonNullable<RequestRecordView['told']>

function describeConnection(connection: NonNullable<RequestRecordView['connection']>) {
  const { number, position, unfitTls: unfit } = connection
  const place = `${number}, request ${position} on it`
  return unfit ? `${place}; one ${unfitTls[unfit]}, which a client has to refuse` : place
}

function RequestCard({ call, rig, view, follow }: RequestProps) {
  const { id, user, connection, transactionId, synchronizationId, arrived, left, twin, twinOf } = view
  const now = rig.clock.now()
  const other = (of: string) => <a href={call.requestAddress(of)}>{of}</a>
  return (
    <Card id="asked" title="Request">
      <Facts
        rows={[
          ['ID', <Id id={id} label="the request's ID" />],
          ['User', userNameIn(rig.space.name, user)],
          ['Arrived', <Time at={arrived.clock} now={now} />],
          left !== null && ['Client left', <Time at={left.clock} now={now} />],
          ['Took', elapsedText(view)],
          transactionId !== null && ['Transaction ID', <Id id={transactionId} label="the transaction ID" />],
          synchronizationId !== null && [
            'Synchronization',
            <Id id={synchronizationId} label="the synchronization's ID" />,
          ],
          connection !== null && ['Connection', describeConnection(connection)],
          twin !== null && ['Delivered again as', other(twin)],
          twinOf !== null && ['Second delivery of', other(twinOf)],
        ]}
      />
      <Content id="asked-headers" of={view} follow={follow} nothing={describeUnreadBody(view)} />
    </Card>
  )
}

/** The response, and the true response when it differs. */
function ResponseCard({ view, follow }: RequestProps) {
  const { told, truth, delivered, received, bytesSent } = view
  const isOther = told && truth && (told.status !== truth.status || told.body?.text !== truth.body?.text)
  return (
    <>
      <Card id="answered" title={delivered === 'handed' ? 'Response' : 'Intended response'}>
        {told ? (
          <>
            <Facts
              rows={[
                ...(told.informational ?? []).map(it => ['Before it', informationalWords(it)] as const),
                ['Status', told.status],
                ['Delivered', deliverySentence(delivered, bytesSent, received === false)],
              ]}
            />
            <Content id="answered-headers" of={told} follow={follow} />
          </>
        ) : (
          <p>{delivered === 'open' ? 'There is no response yet.' : 'No response was made.'}</p>
        )}
      </Card>
      {isOther && (
        <Card id="true-answer" title="The true response, which the client was not told">
          <Facts rows={[['Status', truth.status]]} />
          <Content id="true-headers" of={truth} follow={follow} />
        </Card>
      )}
    </>
  )
}

/** Headers and body of a request or a response. @param props.nothing why there is no body */
function Content(props: {
  id: string
  of: Pick<RequestRecordView | RecordedAnswer, 'headers' | 'body'>
  follow: ResolveLink
  nothing?: string | undefined
}) {
  const { headers, body } = props.of
  const lines = headerLines(headers)
  return (
    <>
      <details id={props.id} class="headers">
        <summary class="soft">{countNoun(lines.length, 'header')}</summary>
        <dl class="mono">
          {lines.map(([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {body && body.bytes > 0 ? (
        <div class="snippet">
          <PrettyBody text={body.text} follow={props.follow} />
          <CopyButton text={body.text} label="Copy the body" words="Copy" />
          {(body.isCut || body.encoding === 'base64') && (
            <p class="soft">
              {body.encoding === 'base64' && 'No UTF-8, so shown as base64. '}
              {body.isCut && `Only its beginning was kept; it had ${body.bytes} bytes.`}
            </p>
          )}
        </div>
      ) : (
        <p class="soft">{props.nothing ?? 'No body.'}</p>
      )}
    </>
  )
}

/** Maximum number of findings, and of further requests for each. */
const maxCited = 12

/** What the judge says of the request, in its sentences, with the other requests that belong to it. */
function Judged({ call, view, verdict }: RequestProps) {
  const all = [...(verdict?.harm.findings ?? []), ...(verdict?.findings ?? [])]
  const cited = all.filter(({ evidence }) => evidence.includes(view.id))
  const [unproved] = new Citations(verdict).unprovedOf(view.id)
  if (cited.length === 0 && !unproved) return null
  const ofRule = (rule: string) => cited.find(it => 'rule' in it && it.rule === rule)
  return (
    <div>
      <h3>Verdict</h3>
      {cited.slice(0, maxCited).map(finding => {
        const others = finding.evidence.filter(id => id !== view.id).slice(0, maxCited)
        return (
          <p>
            {'rule' in finding && (
              <>
                <a href={`${call.judged('/verdict')}#${finding.rule}`}>{finding.rule}</a>:{' '}
              </>
            )}
            <JudgeSentence text={finding.sentence} evidence={finding.evidence} href={call.requestAddress} />{' '}
            {'rule' in finding && finding === ofRule(finding.rule) && (
              <>
                <strong>Do:</strong> {finding.remedy}{' '}
              </>
            )}
            {others.length > 0 && (
              <span class="soft">
                See also {others.map(id => [<CodeLink href={call.requestAddress(id)}>{id}</CodeLink>, ' '])}
              </span>
            )}
          </p>
        )
      })}
      {unproved && (
        <p>
          <JudgeSentence text={unproved.title!} href={call.requestAddress} />
        </p>
      )}
    </div>
  )
}

/** A sentence in which control calls link to the page that does the same. */
const WithCalls = ({ text, call }: { text: string; call: PageCall }) => (
  <>
    {text
      .split(/((?:GET|PUT|DELETE) (?:…\/scenario|\/_mock\/operations))/)
      .map((part, at) =>
        at % 2 === 0 ? (
          <Quoted text={part} />
        ) : (
          <a href={part.endsWith('/scenario') ? call.here('/scenario') : call.at('/docs')}>{part}</a>
        ),
      )}
  </>
)

function Explained(props: RequestProps & { explanation: Explanation }) {
  const { call, view, verdict, explanation } = props
  const hasLane = verdict?.sendings.some(it => it.attempts.some(({ requestId }) => requestId === view.id))
  return (
    <section class="card explained" aria-labelledby="explained">
      <h2 id="explained">Explained</h2>
      <p class="lead">
        <Quoted text={explanation.summary} />
      </p>
      <Judged {...props} />
      <div class="columns slim">
        {explanationParts.map(
          ([title, part]) =>
            explanation[part].length > 0 && (
              <div>
                <h3>{title}</h3>
                {explanation[part].map(sentence => (
                  <p>
                    <WithCalls text={sentence} call={call} />
                  </p>
                ))}
              </div>
            ),
        )}
      </div>
      {hasLane && (
        <p>
          <a href={call.judged('/sendings', { request: view.id })}>Timeline of this sending</a>
        </p>
      )}
    </section>
  )
}

/** One request: the explanation, the truth, and what was sent and received. */
export default spacePage('requests', {
  query: members(endQuery),
  async show(call, rig) {
    const entry = findRequest(rig, call.params.id, call.tools)
    const journal = new JournalView(rig)
    const view = journal.view(entry)
    const verdict = await shownVerdict(call, rig)
    const citations = new Citations(verdict)
    const marks = citations.marksOf(view.id)
    const now = rig.clock.now()
    const line = curlOf(call, rig, view)
    const follow = createLinkResolver(call, rig.space.name, { user: view.user, host: hostOf(view) })
    const props = { call, rig, view, journal, verdict, follow }
    const entries = rig.journal.entries()
    const index = entries.indexOf(entry)
    const [earlier, later] = [entries[index - 1], entries[index + 1]]
    const outcome = [
      [<a href={call.judged('/verdict')}>Verdict</a>, marks.length > 0 && <Chips marks={marks} />],
      ['Told', <ToldChips view={view} />],
      ['True', <TruthChips {...{ view, journal, now }} href={call.requestAddress} />],
      ['Client', <ClientName name={clientName(view)} />],
    ]
    return {
      title: `Request ${view.id}`,
      content: (
        <Live
          id="request"
          on="request clock reset"
          class={`request${citations.accusation(view.id) ? ' harmed' : ''}${citations.isDouble(view.id) ? ' doubled' : ''}`}
        >
          <div class="flow">
            <h1 class="flush">{requestName(view)}</h1>
            <code class="soft">{view.id}</code>
            <nav class="row" aria-label="Other requests">
              <a href={call.judged('/requests')} rel="up">
                All requests
              </a>
              {earlier && (
                <a href={call.requestAddress(earlier.id)} rel="prev">
                  Earlier
                </a>
              )}
              {later && (
                <a href={call.requestAddress(later.id)} rel="next">
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
                  {describeUnreadBody(view) !== undefined && (
                    <span class="soft">The line lacks the body, which was not read</span>
                  )}
                </>
              )}
            </span>
          </div>
          <p class="mono">
            {view.method} {view.target}
          </p>
          <dl class="flow">
            {outcome.map(
              ([title, content]) =>
                content && (
                  <div class="row">
                    <dt>{title}</dt>
                    <dd>{content}</dd>
                  </div>
                ),
            )}
          </dl>
          <Explained {...props} explanation={explain(entry, rig, journal)} />
          <Effects {...props} />
          <OtherAttempts {...props} />
          <div class="columns">
            <RequestCard {...props} />
            <ResponseCard {...props} />
          </div>
        </Live>
      ),
    }
  },
})
