import { realTime } from '../rig/clock.ts'
import { refuseSpaceName } from '../rig/rigs.ts'
import { problems } from '../service/problem.ts'
import { Tables } from '../store/content.ts'
import { homeOf } from '../store/tenant-directory.ts'
import { CallButton, CallFeedback } from './components/call-forms.tsx'
import { Snippet } from './components/elements.tsx'
import { Time } from './components/times.tsx'
import type { PageCall, PageContent } from './page-call.ts'
import { problemPage } from './problem-page.tsx'
import { credentialsOf, firstRequestLine } from './service-links.ts'

/**
 * Shown in place of any page of a space that is not open. Once the space opens, the requested page loads. Pages that
 * still show the space learn from it that the space is gone. Undefined when the space is open.
 */
export async function notOpenPage(call: PageCall, name: string): Promise<PageContent | undefined> {
  const { spaces } = call.tools
  const wrong = refuseSpaceName(name, spaces)
  if (wrong === undefined && (await spaces.getExisting(name))) return undefined
  const awaited = { status: 404, awaitedSpace: name, events: call.at('/events') }
  if (wrong !== undefined) return { ...problemPage(call, problems.notFound(`space ${wrong}`)), ...awaited }
  return {
    ...awaited,
    title: `Space ${name}`,
    content: (
      <div class="narrow">
        <h1>
          Space <bdi>{name}</bdi>
        </h1>
        <WaysToOpen call={call} name={name} />
      </div>
    ),
  }
}

/** How to open the space. Pages of the removed space copy this into their banner. */
function WaysToOpen({ call, name }: { call: PageCall; name: string }) {
  const { spaces } = call.tools
  const home = homeOf(name)
  const hasMadeRoom = spaces.wasEvicted(name)
  const limits = '(--space-limit, --space-idle)'
  const user = credentialsOf(call, name)?.split(':')[0]
  const tables = new Tables(spaces.directory.contentOf(name)!)
  return (
    <section
      id="not-open"
      data-gone={`This space was removed${hasMadeRoom ? ` to make room for others ${limits}` : ''}.`}
    >
      <p data-lead>
        {hasMadeRoom ? `It was evicted ${limits}, and starts again when it is used. ` : 'It is not open. '}
        This page shows it as soon as it opens.
      </p>
      <p>
        It is a private space of{' '}
        <a href={call.inSpace(home)}>
          <bdi>{home}</bdi>
        </a>
        : it begins with the same mailings and users, and has its own data, clock and scenario. It opens with
        the first request of one of its users
        {user !== undefined && (
          <>
            , such as <code>{user}</code>
          </>
        )}
        :
      </p>
      <RefusedRequests call={call} name={name} />
      <Snippet
        text={firstRequestLine(call, { name, data: { tables } })}
        label="Copy the line that makes the first request"
      />
      <CallFeedback>
        <CallButton
          method="PUT"
          href={call.inSpace(name)}
          then={requestedAddress(call, name)}
          done="It is open."
          class="main"
        >
          Open it now
        </CallButton>
      </CallFeedback>
    </section>
  )
}

/** The latest requests of its users that were refused: with a wrong password, a space never opens. */
function RefusedRequests({ call, name }: { call: PageCall; name: string }) {
  const refused = call.tools.rigs.rejectedLogins.latest.filter(({ account }) => account?.spaceName === name)
  const [latest] = refused
  if (!latest) return null
  return (
    <p>
      <strong>
        {refused.length === 1 ? 'A request' : `${refused.length} requests`} of its users{' '}
        {refused.length === 1 ? 'was' : 'were'} refused with 401.
      </strong>{' '}
      {latest.reason}: {latest.method} <code>{latest.path}</code>{' '}
      <Time at={latest.at} now={realTime()} of="real" />
    </p>
  )
}

/** The requested address; for a single request or mailing that of the space, because the new space does not have it. */
function requestedAddress(call: PageCall, name: string): string {
  const { pathname, search } = new URL(call.request.url)
  const parts = pathname.split('/').filter(Boolean)
  return parts.length > 4 ? call.inSpace(name) : call.at(pathname.slice('/_mock'.length) + search)
}
