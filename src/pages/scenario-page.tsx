import { faultGroups } from '../rig/faults/fault.ts'
import { faults } from '../rig/faults/fault-registry.ts'
import type { ActiveScenario } from '../rig/scenarios/active-scenario.ts'
import { lossParts } from '../rig/scenarios/loss-matrix.ts'
import type { OneShotFaultView } from '../rig/scenarios/one-shot-faults.ts'
import type { ChosenScenario } from '../rig/scenarios/space-scenarios.ts'
import type { RigView } from '../rig/space-view.ts'
import { countNoun } from '../rig/words.ts'
import { operationIds } from '../service/operations.ts'
import { sendingState } from '../store/rows.ts'
import { CallButton, CallFeedback, CallForm } from './components/call-forms.tsx'
import { Chip, scenarioWords } from './components/chips.tsx'
import { Card, Empty, Facts, Field, Live, Select } from './components/elements.tsx'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'
import { CatalogueList, readCatalogue, scenarioQuery } from './scenario-catalogue.tsx'
import { EditButton, Editor } from './scenario-editor.tsx'
import { describeExpectation, describeScenarioRule, Rules, Steps } from './scenario-rules.tsx'

const maxFaults = 50

/** Faults that fire a limited number of times: to arm, watch and disarm. */
function OneShotFaults({ call, rig }: SpaceProps) {
  const href = call.here('/faults')
  return (
    <CallFeedback class="card">
      <h2>One-shot faults</h2>
      <p class="soft">
        Used up by the requests that they disturb; they take precedence over the scenario. Without a number of
        times one fires once; with “bound” for five seconds, after which the mailing goes out. A reset or a
        restart disarms them.
      </p>
      <ArmForm href={href} />
      <Live id="faults" on="scenario request reset">
        <ArmedFaultList rig={rig} href={href} />
      </Live>
    </CallFeedback>
  )
}

const statusAnswers = [
  [500, 'a problem with status 500', {}],
  [502, "a proxy's page with status 502", { body: 'gateway-html' }],
  [503, 'a problem with status 503 and Retry-After: 2', { retryAfter: 2 }],
  [504, "a proxy's page with status 504", { body: 'gateway-html' }],
  [429, 'a problem with status 429 and Retry-After: 2', { retryAfter: 2 }],
] as const

const operations = [['*', 'every operation'] as const, ...operationIds.map(id => [id, id] as const)]
const phases = Object.entries(lossParts.phases).map(([it, words]) => [it, `${it}: ${words}`] as const)
const states = sendingState.options.map(it => [it, it] as const)
const truths = Object.entries({
  sent: 'sent',
  'not-sent': 'not sent',
  'never-starts': 'never started',
  stopped: 'stopped by the platform',
})

/** Fields are named as in the rule, so that refusals name the field that was filled in. */
function ArmForm({ href }: { href: string }) {
  return (
    <CallForm href={href} class="filter fault-form" label="Arm a fault" done="It is armed.">
      <Select label="Operation" name="on" options={operations} chosen="createSending" />
      <label for="fault-kind">
        Fault
        <FaultKinds />
      </label>
      <Select label="When" name="phase" options={phases} chosen="after" />
      <Field label="Times" name="times" type="number" min="1" max="1000000" placeholder="1" />
      <button type="submit" class="main">
        Arm
      </button>
      <details>
        <summary class="soft">More: which request, state, delay, hold</summary>
        <div class="filter">
          <Field label="Only for transaction ID" name="when.transactionId" maxlength={200} />
          <Select label="State of the sending" name="state" options={states} none="as usual" />
          <Select label="In truth" name="truth" options={truths} none="as the state says" />
          <Field label="Delay" name="delay" size={6} placeholder="30s" />
          <Field label="Hold until released, as" name="hold" size={10} placeholder="gate" />
        </div>
      </details>
    </CallForm>
  )
}

function FaultKinds() {
  return (
    <select id="fault-kind" name="answer" data-type="json" autocomplete="off">
      <option value="">none: the true response</option>
      {faultGroups.map(group => (
        <optgroup label={group}>
          {[...faults.values()]
            .filter(it => it.group === group)
            .map(({ name, applies, description }) => (
              <option value={JSON.stringify({ fault: name })} title={description} selected={name === 'reset'}>
                {applies === 'before body' ? `${name} (only before)` : name}
              </option>
            ))}
        </optgroup>
      ))}
      <optgroup label="responses">
        {statusAnswers.map(([status, words, rest]) => (
          <option value={JSON.stringify({ status, ...rest })}>{words}</option>
        ))}
      </optgroup>
    </select>
  )
}

function ArmedFaultList({ rig, href }: { rig: RigView; href: string }) {
  const all = rig.faults.all().reverse()
  if (all.length === 0) return <p class="soft">None is armed.</p>
  return (
    <>
      <ul class="plain entries">
        {all.slice(0, maxFaults).map(fault => (
          <ArmedFault fault={fault} href={`${href}/${fault.id}`} />
        ))}
      </ul>
      {all.length > maxFaults && <p class="soft">and {all.length - maxFaults} earlier ones</p>}
      <CallButton method="DELETE" href={href} class="danger" done="None is armed any more.">
        {rig.faults.live.size > 0 ? 'Disarm all' : 'Remove all'}
      </CallButton>
    </>
  )
}

function ArmedFault({ fault: { id, rule, hits, left }, href }: { fault: OneShotFaultView; href: string }) {
  const struck = hits.hits > 0 ? `fired ${hits.hits}×` : 'never fired'
  const rest = Number.isFinite(left) ? `${left} left` : 'until its time is over'
  const tone = hits.hits > 0 ? 'info' : 'warn'
  const [verb, done] = left === 0 ? ['Remove', 'removed'] : ['Disarm', 'disarmed']
  return (
    <li id={`fault-${id}`}>
      <div class="row between">
        <p class="row">
          <code>{id}</code>
          <Chip tone={left === 0 ? 'good' : tone}>{`${struck}, ${left === 0 ? 'used up' : rest}`}</Chip>
        </p>
        <CallButton method="DELETE" href={href} label={`${verb} fault ${id}`} done={`${id} is ${done}.`}>
          {verb}
        </CallButton>
      </div>
      <p>{describeScenarioRule(rule)}</p>
      <Steps rule={rule} hits={hits} />
    </li>
  )
}

/** Requests that wait to be released; nothing when there are none. */
function HeldRequests({ call, rig }: SpaceProps) {
  const held = [...rig.holds.counts()].slice(0, 50)
  return (
    <CallFeedback class="held">
      <Live id="held" on="scenario request reset">
        {held.length > 0 && (
          <Card id="held-title" title="Held requests">
            <ul class="plain">
              {held.map(([name, count]) => (
                <Hold href={`${call.here('/holds', name)}/release`} name={name} count={count} />
              ))}
            </ul>
          </Card>
        )}
      </Live>
    </CallFeedback>
  )
}

const Hold = ({ href, name, count }: { href: string; name: string; count: number }) => (
  <li class="row">
    <code>{name}</code>
    <Chip tone="info">{`holds ${countNoun(count, 'request')}`}</Chip>
    <CallButton href={href} label={`Release ${name}`} done={`${name} is released.`}>
      Release
    </CallButton>
    {count > 1 && (
      <CallButton href={href} body={{ count: 1 }} label={`Release one of ${name}`} done="One goes on.">
        Release one
      </CallButton>
    )}
  </li>
)

/** The scenario in force with its hit counts, and scenarios that requests chose themselves. */
function InForce({ call, rig }: SpaceProps) {
  const { active } = rig.scenarios
  const faults = rig.faults.live.size
  const waiting = countNoun(faults, 'one-shot fault waits', 'one-shot faults wait')
  return (
    <CallFeedback class="card">
      <h2>In force</h2>
      <Live id="in-force" on="scenario request reset">
        {active ? (
          <ArmedScenario call={call} rig={rig} active={active} />
        ) : (
          <Empty title={faults === 0 ? 'Undisturbed' : `No scenario is in force; ${waiting}, below.`}>
            <p>
              {faults === 0 && 'The service answers as its document says. '}
              Activate a scenario of the <a href="#catalogue-title">catalogue</a>, write one, or arm a fault
              for a single request.
            </p>
          </Empty>
        )}
        <ScenariosOfRequests chosen={rig.scenarios.chosen} />
      </Live>
    </CallFeedback>
  )
}

function ArmedScenario({ call, rig, active }: SpaceProps & { active: ActiveScenario }) {
  const { scenario } = active
  const { name, description, source, tags, rules, dials, definition } = scenario
  const href = call.here('/scenario')
  const hits = active.hits()
  const given = rig.settings.scenario
  const again = typeof given === 'object' && given !== null ? definition : { name }
  const turned = dials === 'seeded' ? [] : Object.entries(dials).map(([dial, value]) => `${dial}: ${value}`)
  return (
    <>
      <p class="row">
        <strong>{scenarioWords(name)}</strong>
        <StrikeChip active={active} />
      </p>
      <p>{description || 'It has no description.'}</p>
      <Rules rules={rules} hits={hits} />
      {!active.hasApplied && !active.isContinued && rules.length > 0 && (
        <p class="soft">A test whose fault never fired proves nothing.</p>
      )}
      <Facts
        rows={[
          ['A correct client', describeExpectation(scenario) ?? 'the scenario does not say'],
          dials === 'seeded' && ['Dials', "turned by the space's seed"],
          turned.length > 0 && ['Dials', <code>{turned.join(', ')}</code>],
          tags.length > 0 && ['Tags', tags.join(', ')],
          scenarioWords(name) === name && ['From', source],
        ]}
      />
      <div class="row">
        <CallButton method="DELETE" href={href} class="danger" done="No scenario is in force.">
          Deactivate
        </CallButton>
        <CallButton method="PUT" href={href} body={again} done="It starts again, its counts at zero.">
          Restart
        </CallButton>
        <EditButton name={name} definition={definition} />
      </div>
    </>
  )
}

/** How often a scenario disturbed a request. */
function StrikeChip({ active }: { active: ActiveScenario }) {
  if (active.scenario.rules.length === 0) return <Chip tone="calm">disturbs nothing</Chip>
  const strikes = active.hits().reduce((sum, it) => sum + it.hits, 0)
  if (active.isContinued) return <Chip tone="calm">{`fired ${strikes}× since the mock was started`}</Chip>
  return <Chip tone={strikes > 0 ? 'good' : 'warn'}>{strikes > 0 ? `fired ${strikes}×` : 'never fired'}</Chip>
}

function ScenariosOfRequests({ chosen }: { chosen: readonly ChosenScenario[] }) {
  if (chosen.length === 0) return null
  const more = chosen.length - 10
  return (
    <>
      <h3>Chosen by requests themselves</h3>
      <ul class="plain">
        {chosen.slice(-10).map(({ by, active }) => (
          <li class="row">
            <code>{active.scenario.name}</code>
            <span class="soft">by {by}</span>
            <StrikeChip active={active} />
          </li>
        ))}
      </ul>
      {more > 0 && <p class="soft">and {more} earlier ones</p>}
    </>
  )
}

/** How a space is disturbed: what is in force and was applied, and what can be. */
export default spacePage('scenario', {
  query: scenarioQuery,
  async show(call, rig) {
    const catalogue = await readCatalogue(call.tools)
    return {
      scripts: ['browser/yaml-editor.js'],
      content: (
        <div class="columns broad">
          <div>
            <InForce call={call} rig={rig} />
            <HeldRequests call={call} rig={rig} />
            <OneShotFaults call={call} rig={rig} />
            <Editor call={call} rig={rig} />
          </div>
          <CatalogueList call={call} rig={rig} catalogue={catalogue} />
        </div>
      ),
    }
  },
})
