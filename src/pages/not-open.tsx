import { refuseSpaceName } from '../rig/control/space-name.ts'
import { problems } from '../service/problem.ts'
import { homeOf } from '../store/space-names.ts'
import { Snippet } from './components/basics.tsx'
import { CallButton, Told } from './components/calls.tsx'
import { firstRequest } from './first-request.ts'
import type { PageCall, Shown } from './page.ts'
import { problemPage } from './problem.tsx'
import { userOf } from './service-address.ts'

/**
 * What stands at the pages of a space that is not open: it turns into the page that was asked for as soon as the space
 * opens, and tells pages that show the space as it was that it is gone. Undefined where it is there.
 */
export async function notOpenPage(call: PageCall, name: string): Promise<Shown | undefined> {
  const { spaces } = call.tools
  const wrong = refuseSpaceName(name, spaces)
  if (wrong === undefined && (await spaces.existing(name))) return undefined
  const awaited = { status: 404, awaits: name, events: call.at('/events') }
  if (wrong !== undefined) return { ...problemPage(call, problems.notFound(`space ${wrong}`)), ...awaited }
  return {
    ...awaited,
    title: `Space ${name}`,
    content: (
      <div class="narrow">
        <h1>
          Space <bdi>{name}</bdi>
        </h1>
        <Ways call={call} name={name} />
      </div>
    ),
  }
}

/** How the space opens. A page of the space as it was before takes it along when it learns that it is gone. */
function Ways({ call, name }: { call: PageCall; name: string }) {
  const { spaces } = call.tools
  const home = homeOf(name)
  const hasMadeRoom = spaces.hasMadeRoom(name)
  const user = userOf(call, name)?.split(':')[0]
  return (
    <section
      id="not-open"
      data-gone={
        hasMadeRoom
          ? 'This space had to make room for others (--space-limit, --space-idle).'
          : 'This space was removed.'
      }
    >
      <p data-lead>
        {hasMadeRoom
          ? 'It had to make room for others (--space-limit, --space-idle), and begins anew when it is used again. '
          : 'It is not open yet. '}
        This page turns live by itself when it opens.
      </p>
      <p>
        It is a private copy of{' '}
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
      <Snippet text={lineFor(call, name)} label="Copy the line that makes the first request" />
      <Told>
        <CallButton
          method="PUT"
          href={call.inSpace(name)}
          then={asked(call, name)}
          done="It is open."
          class="main"
        >
          Open it now
        </CallButton>
      </Told>
    </section>
  )
}

const lineFor = (call: PageCall, name: string) =>
  firstRequest(call, { name, data: { tables: call.tools.spaces.beginning(name)!.tables() } })

/** The page that was asked for; of a single request or mailing of before the space itself, since it will not be there. */
function asked(call: PageCall, name: string): string {
  const { pathname, search } = new URL(call.request.url)
  const parts = pathname.split('/').filter(Boolean)
  return parts.length > 4 ? call.inSpace(name) : call.at(pathname.slice('/_mock'.length) + search)
}
