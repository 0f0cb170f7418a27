import type { EntryView } from '../../rig/entry-shape.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { CopyButton, Facts, Id } from '../components/basics.tsx'
import { Pretty } from '../components/json.tsx'
import { Time } from '../components/time.tsx'
import { type Follow, followIn } from '../followed.ts'
import type { PageCall } from '../page.ts'
import { userIn } from '../service-address.ts'
import { isToldTrue, tookText } from './request-row.tsx'
import { unreadWords } from './request-unread.ts'

type Body = NonNullable<EntryView['body']>
type Answer = NonNullable<EntryView['told']>

/** What the client sent. */
export function Asked({ call, rig, view }: { call: PageCall; rig: SpaceRig; view: EntryView }) {
  const { id, user, connection, transactionId, synchronizationId, headers, body, arrived, left } = view
  const { twin, twinOf } = view
  const now = rig.clock.now()
  const follow = follows(call, rig, view)
  const other = (of: string) => (
    <a href={call.inSpace(rig.space.name, `/requests/${encodeURIComponent(of)}`)}>{of}</a>
  )
  return (
    <section class="card" aria-labelledby="asked">
      <h2 id="asked">Request</h2>
      <Facts
        rows={[
          ['ID', <Id id={id} label="the request's ID" />],
          ['User', userIn(rig.space.name, user)],
          ['Arrived', <Time at={arrived.clock} now={now} />],
          left ? ['Client left', <Time at={left.clock} now={now} />] : undefined,
          ['Took', tookText(view)],
          transactionId === null
            ? undefined
            : ['Transaction ID', <Id id={transactionId} label="the transaction ID" />],
          synchronizationId === null
            ? undefined
            : ['Synchronization', <Id id={synchronizationId} label="the synchronization's ID" />],
          connection
            ? ['Connection', `${connection.number}, request ${connection.position} on it`]
            : undefined,
          twin === null ? undefined : ['Delivered again as', other(twin)],
          twinOf === null ? undefined : ['Second delivery of', other(twinOf)],
        ]}
      />
      <Headers headers={headers} id="asked-headers" />
      <BodyText body={body} follow={follow} nothing={unreadWords(view) ?? 'No body.'} />
    </section>
  )
}

/** What the client was told, and the true answer where that is another one. */
export function Answered({ call, rig, view }: { call: PageCall; rig: SpaceRig; view: EntryView }) {
  const follow = follows(call, rig, view)
  const { told, truth, delivered, bytesSent } = view
  const isOther = truth !== null && told !== null && !isToldTrue(view) && !isSame(told, truth)
  return (
    <>
      <section class="card" aria-labelledby="answered">
        <h2 id="answered">{delivered === 'handed' ? 'Answer' : 'Answer as it was to be'}</h2>
        {told ? (
          <>
            <Facts
              rows={[
                ['Status', told.status],
                ['Left', fate(delivered, bytesSent)],
              ]}
            />
            <Headers headers={told.headers} id="answered-headers" />
            <BodyText body={told.body} follow={follow} nothing="No body." />
          </>
        ) : (
          <p>{delivered === 'open' ? 'There is no answer yet.' : 'No answer was made.'}</p>
        )}
      </section>
      {isOther && (
        <section class="card" aria-labelledby="true-answer">
          <h2 id="true-answer">The true answer, which the client was not told</h2>
          <Facts rows={[['Status', truth.status]]} />
          <Headers headers={truth.headers} id="true-headers" />
          <BodyText body={truth.body} follow={follow} nothing="No body." />
        </section>
      )}
    </>
  )
}

function follows(call: PageCall, rig: SpaceRig, { user, headers: { host } }: EntryView): Follow {
  return followIn(call, rig.space.name, { user, host: typeof host === 'string' ? host : undefined })
}

const isSame = (a: Answer, b: Answer) => a.status === b.status && a.body?.text === b.body?.text

function fate(delivered: EntryView['delivered'], bytes: number): string {
  const count = bytes === 1 ? '1 byte' : `${bytes} bytes`
  switch (delivered) {
    case 'open':
      return 'not yet'
    case 'handed':
      return `whole, ${count}`
    case 'cut':
      return `cut, after ${count}`
    case 'none':
      return 'nothing of it'
    case 'aborted':
      return `the client left, after ${count}`
    case 'server-stopped':
      return `the mock was stopped, after ${count}`
  }
}

function Headers({ headers, id }: { headers: EntryView['headers']; id: string }) {
  const rows = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map(one => [name, one] as const),
  )
  return (
    <details id={id} class="headers">
      <summary>{rows.length === 1 ? '1 header' : `${rows.length} headers`}</summary>
      <dl>
        {rows.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function BodyText({
  body,
  follow,
  nothing,
}: {
  body: Omit<Body, 'sha256' | 'payloadSha256'> | null
  follow: Follow
  nothing: string
}) {
  if (!body || body.bytes === 0) return <p class="soft">{nothing}</p>
  const { text, encoding, bytes, isCut } = body
  return (
    <div class="snippet">
      <Pretty text={text} follow={follow} />
      <CopyButton text={text} label="Copy the body" words="Copy" />
      {(isCut || encoding === 'base64') && (
        <p class="soft">
          {encoding === 'base64' && 'No UTF-8, so shown as base64. '}
          {isCut && `Only its beginning was kept; it had ${bytes} bytes.`}
        </p>
      )}
    </div>
  )
}
