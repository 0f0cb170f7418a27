import type { SpaceRig } from '../../rig/space-rig.ts'
import { homeOf } from '../../store/space-names.ts'
import { Facts, Id, Snippet } from '../components/basics.tsx'
import { Told } from '../components/calls.tsx'
import { curl, shellWord } from '../curl.ts'
import type { PageCall } from '../page.ts'
import { serviceBase } from '../service-address.ts'
import { usersOf } from './users.ts'

/** So many users are listed. */
const mostUsers = 20

/** What a client needs to work in the space. */
export function Connection({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { space } = rig
  const base = serviceBase(call)
  const users = usersOf(call, space.name)
  const [user] = users
  return (
    <section class="card" aria-labelledby="connection-title">
      <h2 id="connection-title">Connect a client</h2>
      {call.tools.isAlone && (
        <p class="soft">
          Control calls have a port of their own here; the address below is that of the service, where nothing
          in between, such as a container, gives its port another number.
        </p>
      )}
      <Facts
        rows={[
          ['Base URL', <Id id={base} label="base URL" />],
          ...users.slice(0, mostUsers).map(
            ({ name, password, rights }) =>
              [
                'User',
                <>
                  <Id id={name} label={`user ${name}`} />{' '}
                  {password === undefined ? (
                    <span class="soft">with the password in your fixture</span>
                  ) : (
                    <>
                      password <Id id={password} label={`password of ${name}`} />
                    </>
                  )}{' '}
                  <span class="soft">may {rights.join(' and ')}</span>
                </>,
              ] as const,
          ),
          users.length > mostUsers ? ['', `and ${users.length - mostUsers} more users`] : undefined,
        ]}
      />
      <h3>As environment</h3>
      <Snippet text={environment(base, user, readySynchronization(rig))} label="Copy the environment" />
      <h3>With curl</h3>
      <Snippet
        text={curl({
          method: 'GET',
          url: `${base}/mailings`,
          user: user && [user.name, user.password].filter(it => it !== undefined).join(':'),
        })}
        label="Copy the curl line"
      />
    </section>
  )
}

/** The variables that clients get from an exam, so that one that runs in it runs here as well. */
function environment(
  base: string,
  user: { readonly name: string; readonly password: string | undefined } | undefined,
  synchronizationId: string | undefined,
): string {
  const variables = [
    ['URL', base],
    ['USER', user?.name],
    ['PASSWORD', user?.password],
    ['SYNCHRONIZATION_ID', synchronizationId],
  ] as const
  return variables
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`export MAILING_SYNC_${name}=${shellWord(value)}`],
    )
    .join('\n')
}

/** The first synchronization that is ready for sending. */
function readySynchronization({ space }: SpaceRig): string | undefined {
  const { synchronizations, mailings } = space.data.tables
  for (const { id, mailingId } of synchronizations.rows()) if (mailings.get(mailingId)?.approved) return id
  return undefined
}

/** How a test gets a world of its own. */
export function PrivateCopy({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { name } = rig.space
  const home = homeOf(name)
  const [user = { name: home }] = usersOf(call, home)
  return (
    <Told class="card">
      <h2>Get a private copy</h2>
      <p>
        {name === home ? (
          <>
            Put a plus and any word behind the user name, and the client works in a copy of this space, fresh
            from its beginning, with data, clock, scenario and record of its own:
          </>
        ) : (
          <>
            This is a private copy of <a href={call.inSpace(home, '/data')}>{home}</a>. Another word behind
            the plus is another copy:
          </>
        )}{' '}
        <code>{user.name}+my-test</code>. The password stays the same.
      </p>
      <form class="filter" data-open-copy={call.at('/spaces')} data-home={home}>
        <label>
          {home}+
          <input
            name="word"
            required
            maxlength={100}
            placeholder="my-test"
            autocomplete="off"
            spellcheck={false}
          />
        </label>
        <button type="submit">Open this copy</button>
      </form>
    </Told>
  )
}
