import { readFileSync } from 'node:fs'
import { defaultNames } from '../service/links.ts'
import { homeOf } from '../store/tenant-directory.ts'
import { CallFeedback } from './components/call-forms.tsx'
import { Card, Facts, Field, Id, Snippet } from './components/elements.tsx'
import { shellWord } from './curl.ts'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'
import {
  firstRequestLine,
  isUntrusted,
  listUsers,
  readySynchronization,
  serviceBase,
} from './service-links.ts'

const mostUsers = 20

function Connection({ call, rig: { space } }: SpaceProps) {
  const base = serviceBase(call)
  const users = listUsers(call, space.name)
  const [user] = users
  /** The variables that an exam gives to clients, so that the same client runs here as well. */
  const environment = {
    URL: base,
    USER: user?.name,
    PASSWORD: user?.password,
    SYNCHRONIZATION_ID: readySynchronization(space),
  }
  const lines = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [`export MAILING_SYNC_${name}=${shellWord(value)}`],
  )
  return (
    <Card id="connection-title" title="Connect a client">
      {call.tools.isAlone && (
        <p class="soft">
          Control calls have a port of their own here; the address below is that of the service, where nothing
          in between, such as a container, gives its port another number.
        </p>
      )}
      <Facts
        rows={[
          ['Base URL', <Id id={base} label="base URL" />],
          ...users.slice(0, mostUsers).map(it => ['User', <User of={it} />] as const),
          users.length > mostUsers && ['', `and ${users.length - mostUsers} more users`],
          isUntrusted(call) && ['HTTPS', <a href={call.at('/docs/https.md')}>what clients have to trust</a>],
        ]}
      />
      <h3>As environment</h3>
      <Snippet text={lines.join('\n')} label="Copy the environment" />
      <p class="soft">
        An exam gives a client the same variables. Tests with a{' '}
        <a href={call.at('/docs/testing-recipes.md')}>kit for pytest, JUnit or PHPUnit</a> need none of them:
        they start a mock of their own. To let them use this one, set <code>MAILING_SYNC_URL</code> to the
        base URL above.
      </p>
      <h3>With curl</h3>
      <Snippet text={firstRequestLine(call, space)} label="Copy the curl line" />
    </Card>
  )
}

const User = ({ of: { name, password, rights } }: { of: ReturnType<typeof listUsers>[number] }) => (
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
  </>
)

/** How a test gets a space of its own. */
function PrivateCopy({ call, rig }: SpaceProps) {
  const { name } = rig.space
  const home = homeOf(name)
  const [user = { name: home }] = listUsers(call, home)
  return (
    <CallFeedback class="card">
      <h2>Get a private space</h2>
      <p>
        {name === home ? (
          <>
            Append a plus and any word to the user name, and the client works in a private, fresh copy of this
            space, with data, clock, scenario and record of its own:
          </>
        ) : (
          <>
            This is a private space of <a href={call.inSpace(home, '/connect')}>{home}</a>. Another word
            behind the plus is another copy:
          </>
        )}{' '}
        <code>{user.name}+my-test</code>. The password stays the same.
      </p>
      <form class="filter" data-open-copy={call.at('/spaces')} data-home={home}>
        <Field
          label={`${home}+`}
          name="word"
          required
          maxlength={100}
          placeholder="my-test"
          spellcheck={false}
        />
        <button type="submit">Open this copy</button>
      </form>
    </CallFeedback>
  )
}

/** A first sending in some languages, and a test with the kit for it, as docs/connect.md has them. */
export const firstPrograms = (platformSegment: string) =>
  readFileSync(new URL('../../docs/connect.md', import.meta.url), 'utf8')
    .split(/^## /m)
    .slice(1)
    // Before the programs the variables that they read are told, for a shell.
    .filter(section => !section.includes('```sh'))
    .map(section => {
      const [language = ''] = section.split('\n', 1)
      const [sending = '', test] = [...section.matchAll(/^```\w+\n(.+?)\n```$/gms)].map(([, it]) => it!)
      return { language, sending: sending.replace(defaultNames.platformSegment, platformSegment), test }
    })

/** What a client needs to work in the space, and a first sending to copy. */
export default spacePage('connect', {
  show(call, rig) {
    return {
      scripts: ['browser/data-forms.js'],
      content: (
        <div class="columns broad">
          <div>
            <Connection call={call} rig={rig} />
            <PrivateCopy call={call} rig={rig} />
          </div>
          <Card id="programs" title="A first sending">
            <p class="soft">Each of these reads the environment and needs no packages.</p>
            {firstPrograms(call.tools.names.platformSegment).map(({ language, sending, test }, at) => (
              <details name="programs" open={at === 0}>
                <summary>{language}</summary>
                <Snippet text={sending} label={`Copy the ${language} program`} />
                {test && <p class="soft">A test of your client with the kit in examples/kits:</p>}
                {test && <Snippet text={test} label={`Copy the ${language} test`} />}
              </details>
            ))}
          </Card>
        </div>
      ),
    }
  },
})
