import { z } from 'zod'
import { demonstrationSpace } from '../control/demonstrations.ts'
import { endQuery } from '../control/verdict.ts'
import { Tables } from '../store/content.ts'
import { Card, Empty } from './components/elements.tsx'
import { keysOf } from './components/listing.tsx'
import { VerdictChips } from './components/space-summary.tsx'
import { page } from './page.ts'
import type { PageCall } from './page-call.ts'
import { listUsers, readySynchronization } from './service-links.ts'
import { buildLanes, Citations } from './timeline/lanes.ts'
import { Timeline } from './timeline/timeline-view.tsx'

/** What goes wrong, by the name in the address: the button, the scenario, and what is to be seen. */
const troubles = {
  lost: ['Lose the response', 'hang-after', 'The mailing is sent, and the response never arrives.'],
  pending: ['PENDING', 'pending-then-created', 'Twice the service says PENDING: nothing is decided yet.'],
  failed: ['FAILED', 'failed-once', 'The first transaction fails for good, with status 200.'],
  indeterminate: [
    'INDETERMINATE_FAILURE',
    'indeterminate-not-sent',
    'The service does not know whether it sent the mailing, and says so with status 200.',
  ],
  failing: [
    '500',
    'error-500-after',
    'The mailing is sent, and the first response for each transactionId is 500.',
  ],
  twice: [
    'Click twice',
    { rules: [{ on: 'createSending', steps: [{ delay: '20s' }] }] },
    'A user clicks twice. The wrong client starts again; the right one sees that it is at work already.',
  ],
} as const

const clients = {
  wrong: [
    'A wrong client',
    'It makes a transaction ID for each request, and takes every status below 400 for "sent".',
  ],
  right: [
    'A right client',
    'It stores one transaction ID and repeats it until the state is CREATED; after FAILED it takes a new one, and after INDETERMINATE_FAILURE it stops.',
  ],
} as const

const breakQuery = z.object({
  trouble: z.enum(keysOf(troubles)).optional(),
  wrong: endQuery.believes,
  right: endQuery.believes,
})

type Call = PageCall<z.output<typeof breakQuery>>

/** A wrong client and a right one in the same trouble, to compare. The page's script runs both. */
export default page({
  query: breakQuery,
  show(call) {
    const home = call.tools.spaces.directory.names()[0]!
    const { trouble } = call.query
    return {
      title: 'Break it',
      events: call.at('/events'),
      scripts: ['browser/break-it.js'],
      content: (
        <>
          <h1>Break it</h1>
          <Buttons call={call} home={home} />
          {trouble && (
            <div class="columns">
              {keysOf(clients).map(client => (
                <Run call={call} client={client} space={demonstrationSpace(home, client)} />
              ))}
            </div>
          )}
        </>
      ),
    }
  },
})

/** The buttons, with what the script needs; a reason where it can do nothing. */
function Buttons({ call, home }: { call: Call; home: string }) {
  const { spaces, isAlone, names } = call.tools
  const [user] = listUsers(call, home)
  const content = spaces.directory.contentOf(home)
  const synchronization = content && readySynchronization({ data: { tables: new Tables(content) } })
  if (isAlone || user?.password === undefined || synchronization === undefined)
    return (
      <Empty title="This needs the default fixture, and the service on the port of this page">
        <p>Start a mock without further settings to see it.</p>
      </Empty>
    )
  return (
    <form
      data-break-it={home}
      data-user={user.name}
      data-password={user.password}
      data-path={`/integrations/${names.platformSegment}/mailing-synchronizations/${synchronization}/sendings`}
    >
      <p>
        Two clients send one mailing, each to a private space of its own. Choose what goes wrong, and compare
        what was told with what is true. Their clocks run 60 times as fast as real time.
      </p>
      <ul class="plain columns slim">
        {Object.entries(troubles).map(([trouble, [words, scenario, sense]]) => (
          <li>
            <button
              type="button"
              disabled
              data-trouble={trouble}
              data-scenario={JSON.stringify(scenario)}
              aria-pressed={String(trouble === call.query.trouble)}
              aria-describedby={`sense-${trouble}`}
            >
              {words}
            </button>
            <p id={`sense-${trouble}`} class="soft">
              {sense}
            </p>
          </li>
        ))}
      </ul>
      <output data-outcome>
        {!call.query.trouble &&
          'The verdict on both clients appears here, with a timeline of their requests, after a click.'}
      </output>
    </form>
  )
}

/** What a client did: the verdict, its lanes, and where to read on. */
async function Run({ call, client, space }: { call: Call; client: keyof typeof clients; space: string }) {
  const [title, conduct] = clients[client]
  const { spaces, rigs, verdict: judge, run } = call.tools
  const found = spaces.getOpen(space)
  if (!found) return <Empty title={`${title} has not run`} />
  const rig = await rigs.of(found)
  const believes = call.query[client]
  const end = believes && { believes, expected: 1, workers: call.query.trouble === 'twice' ? 2 : 1 }
  // Its pages and the page of all spaces judge it alike.
  if (end) run.noteEnd(rig, end)
  const own = call.within(space, end)
  const { verdict } = await judge(rig, end)
  const { verdict: open } = await judge(rig)
  const lanes = buildLanes(rig, verdict.sendings, new Citations(verdict))
  return (
    <div class="side">
      <Card id={client} title={title}>
        <p>{conduct}</p>
        <p>
          While nobody says how it ended: <VerdictChips verdict={open} />
        </p>
        <p>
          {believes && `The client reports: ${believes.replace('-', ' ')}. One mailing was wanted. Verdict: `}
          <VerdictChips verdict={verdict} /> <a href={own.judged('/verdict')}>Why</a>
        </p>
        {verdict.harm.findings[0] && <p>{verdict.harm.findings[0].sentence}</p>}
      </Card>
      <Timeline call={own} lanes={lanes} now={rig.clock.now()} areAll />
    </div>
  )
}
