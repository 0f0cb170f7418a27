import { z } from 'zod'
import { Empty, Live, Snippet } from '../components/basics.tsx'
import { firstRequest } from '../first-request.ts'
import { type PageCall, page } from '../page.ts'
import { type JudgedSpace, SpaceRow } from './space-row.tsx'
import { openRigs } from './spaces-open.ts'
import { verdictKept } from './verdict-kept.ts'

/** So many spaces are shown, those used last first; the rest is found by name. */
const most = 100

/** Every space at a glance. */
export default page('/', {
  query: z.object({ name: z.string().max(200).optional() }),
  async show(call) {
    const { name = '' } = call.query
    const rigs = await openRigs(call.tools)
    const found = rigs.filter(rig => rig.space.name.includes(name))
    const shown = await Promise.all(
      found.slice(0, most).map(async rig => ({ rig, verdict: await verdictKept(call.tools, rig) })),
    )
    const isQuiet = rigs.every(({ journal }) => journal.count === 0)
    return {
      title: 'Spaces',
      events: call.at('/events'),
      content: (
        <>
          <h1>Spaces</h1>
          {rigs.length > 5 && <Filter call={call} name={name} />}
          <Live id="spaces" on="request space scenario clock reset">
            {isQuiet && <Welcome call={call} />}
            <SpaceTable call={call} spaces={shown} />
            <p class="soft">
              {found.length > most ? `The ${most} used last of ${found.length}. ` : ''}
              {found.length === 0 ? 'No open space has this in its name. ' : ''}
              {evictedText(call.tools.spaces.evicted)}
            </p>
          </Live>
          <Next call={call} />
        </>
      ),
    }
  },
})

const evictedText = (count: number) =>
  count === 0 ? '' : `${count} private ${count === 1 ? 'copy' : 'copies'} had to make room.`

function Filter({ call, name }: { call: PageCall; name: string }) {
  return (
    <search aria-label="Find a space">
      <form
        class="filter"
        action={call.root}
        hx-get={call.root}
        hx-target="#spaces"
        hx-select="#spaces"
        hx-swap="outerMorph"
        hx-push-url="true"
        hx-trigger="input delay:250ms, submit"
      >
        <label>
          Name
          <input name="name" value={name} maxlength={200} placeholder="demo+…" spellcheck={false} />
        </label>
      </form>
    </search>
  )
}

function SpaceTable({ call, spaces }: { call: PageCall; spaces: readonly JudgedSpace[] }) {
  if (spaces.length === 0) return null
  return (
    <table class="requests spaces">
      <thead>
        <tr>
          <th scope="col">Space</th>
          <th scope="col" class="number">
            Requests
          </th>
          <th scope="col">Last one</th>
          <th scope="col" class="number">
            Went out
          </th>
          <th scope="col">Verdict</th>
          <th scope="col">Disturbed by</th>
          <th scope="col">Clock</th>
          <th scope="col">Used</th>
        </tr>
      </thead>
      <tbody>
        {spaces.map(({ rig, verdict }) => (
          <SpaceRow call={call} rig={rig} verdict={verdict} />
        ))}
      </tbody>
    </table>
  )
}

function Welcome({ call }: { call: PageCall }) {
  const { spaces } = call.tools
  const space = spaces.opened(spaces.homes()[0]!)
  return (
    <Empty title="Nobody has asked for anything yet">
      <p>
        Point your client at this mock, and what it does appears here by itself. This line makes a first
        request:
      </p>
      {space && <Snippet text={firstRequest(call, space)} label="Copy the line" />}
      <p>
        A user name with a plus, such as <code>{spaces.homes()[0]}+anything</code>, opens a private copy of
        the space: one for each test.
      </p>
    </Empty>
  )
}

/** Where to go from here. */
function Next({ call }: { call: PageCall }) {
  const home = call.tools.spaces.homes()[0]!
  return (
    <nav class="row next" aria-label="Where to go next">
      <a href={call.at('/docs')}>API reference</a>
      <a href={call.inSpace(home, '/scenario')}>Scenarios to try</a>
      <a href={call.inSpace(home, '/data')}>Connection settings</a>
      <a href={call.at('/control/openapi.json')}>Control API as OpenAPI</a>
    </nav>
  )
}
