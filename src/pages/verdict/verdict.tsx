import { endOf, verdictAnswer, verdictQuery } from '../../rig/control/verdict.ts'
import type { RuleInWords, VerdictView } from '../../rig/control/verdict-shape.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Empty, Live, Snippet } from '../components/basics.tsx'
import { firstRequest } from '../first-request.ts'
import { type PageCall, page } from '../page.ts'
import { EndForm } from './end.tsx'
import { Findings } from './findings.tsx'
import { Harm } from './harm.tsx'
import { Outcome } from './outcome.tsx'
import { endPairs, searchOf, type VerdictQuery } from './query.ts'
import { OnRecord, Unstruck } from './record.tsx'
import { Rules } from './rules.tsx'

type Call = PageCall<{ readonly space: string }, VerdictQuery>

/** The judge's reading of a space, as a person reads it. */
export default page('/spaces/{space}/verdict', {
  query: verdictQuery,
  async show(call) {
    // Asked for by name, a program's form is given to a browser as well.
    if (call.query.format !== undefined) return verdictAnswer(call)
    const rig = await call.rig()
    const { verdict, rules } = await call.tools.verdict(rig, endOf(call.query))
    return {
      title: 'Verdict',
      space: rig,
      tab: 'verdict',
      content: (
        <>
          <h1>Verdict</h1>
          <div class="verdict">
            <Live id="verdict" on="request clock scenario reset" class="verdict-main">
              <Seen call={call} rig={rig} verdict={verdict} rules={rules} />
            </Live>
            <aside class="verdict-aside" aria-label="What the judge does not know, and what it goes by">
              <EndForm action={call.inSpace(rig.space.name, '/verdict')} query={call.query} />
              <Live id="verdict-record" on="request clock scenario reset">
                <Unstruck unstruck={verdict.unstruck} href={call.inSpace(rig.space.name, '/scenario')} />
                <OnRecord verdict={verdict} href={call.inSpace(rig.space.name, '/data')} />
              </Live>
              <Forms call={call} rig={rig} />
            </aside>
          </div>
          <Rules rules={rules} />
        </>
      ),
    }
  },
})

function Seen(props: { call: Call; rig: SpaceRig; verdict: VerdictView; rules: readonly RuleInWords[] }) {
  const { call, rig, verdict, rules } = props
  const { name } = rig.space
  if (rig.journal.count === 0)
    return (
      <Empty title="Nothing to judge yet">
        <p>
          The judge reads what a client of this space asks, what it is told and what truly goes out, and holds
          it against the rules of conduct below. This line makes a first request:
        </p>
        <Snippet text={firstRequest(call, rig.space)} label="Copy the line" />
      </Empty>
    )
  const end = endPairs(call.query)
  const places = {
    request: (id: string) => call.inSpace(name, `/requests/${encodeURIComponent(id)}`),
    lane: (id: string) => call.inSpace(name, `/sendings${searchOf({ request: id, ...end })}`),
  }
  return (
    <>
      <Outcome verdict={verdict} sendings={call.inSpace(name, `/sendings${searchOf(end)}`)} />
      <Harm harm={verdict.harm} places={places} platform={call.inSpace(name, '/platform')} />
      <Findings verdict={verdict} rules={rules} places={places} />
    </>
  )
}

function Forms({ call, rig }: { call: Call; rig: SpaceRig }) {
  const address = (format: string) =>
    call.inSpace(rig.space.name, `/verdict${searchOf({ ...endPairs(call.query), format })}`)
  return (
    <p class="soft">
      The same <a href={address('text')}>as text</a> or <a href={address('json')}>as JSON</a>, for a test to
      look at.
    </p>
  )
}
