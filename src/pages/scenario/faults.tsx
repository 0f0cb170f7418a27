import { faults } from '../../rig/faults/registry.ts'
import type { ArmedFault } from '../../rig/faults-armed.ts'
import { lossParts } from '../../rig/scenarios/loss-matrix.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { operationIds } from '../../service/operations.ts'
import { sendingState } from '../../store/rows.ts'
import { Live } from '../components/basics.tsx'
import { CallButton, CallForm, Told } from '../components/calls.tsx'
import { Chip } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'
import { Steps } from './rules.tsx'
import { appliesTo } from './words.ts'

/** So many are listed, those armed last first. */
const mostShown = 50

/** Faults that are used up by the requests that they strike: to arm, to watch, to remove. */
export function OneShotFaults({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const href = call.inSpace(rig.space.name, '/faults')
  return (
    <Told class="card">
      <h2>One-shot faults</h2>
      <p class="soft">
        Used up by the requests that they strike; they go before the scenario. A reset or a restart disarms
        them.
      </p>
      <ArmForm href={href} />
      <Live id="faults" on="scenario request reset">
        <Armed rig={rig} href={href} />
      </Live>
    </Told>
  )
}

const groups = ['no answer', 'cut', 'slow', 'wrong'] as const
const statuses = [
  [500, 'a problem with status 500', {}],
  [502, "a proxy's page with status 502", { body: 'gateway-html' }],
  [503, 'a problem with status 503 and Retry-After: 2', { retryAfter: 2 }],
  [504, "a proxy's page with status 504", { body: 'gateway-html' }],
  [429, 'a problem with status 429 and Retry-After: 2', { retryAfter: 2 }],
] as const

/** Its fields are those of the rule, so that the call's refusals name what the person has filled in. */
function ArmForm({ href }: { href: string }) {
  return (
    <CallForm method="POST" href={href} class="filter fault-form" label="Arm a fault" done="It is armed.">
      <label>
        Operation
        <select name="on" autocomplete="off">
          <option value="*">every operation</option>
          {operationIds.map(id => (
            <option value={id} selected={id === 'createSending'}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <label for="fault-kind">
        Fault
        <Kinds />
      </label>
      <label>
        When
        <select name="phase" autocomplete="off">
          {Object.entries(lossParts.phases).map(([phase, words]) => (
            <option value={phase} selected={phase === 'after'}>
              {phase}: {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Times
        <input name="times" type="number" min="1" max="1000000" value="1" autocomplete="off" />
      </label>
      <button type="submit" class="main">
        Arm
      </button>
      <details class="more-of-fault">
        <summary>More: which request, state, delay, hold</summary>
        <div class="filter">
          <label>
            Only for transaction ID
            <input name="when.transactionId" maxlength={200} autocomplete="off" />
          </label>
          <label>
            State of the sending
            <select name="state" autocomplete="off">
              <option value="">as usual</option>
              {sendingState.options.map(state => (
                <option value={state}>{state}</option>
              ))}
            </select>
          </label>
          <label>
            In truth
            <select name="truth" autocomplete="off">
              <option value="">as the state says</option>
              <option value="sent">sent</option>
              <option value="not-sent">not sent</option>
            </select>
          </label>
          <label>
            Delay
            <input name="delay" size={6} placeholder="30s" autocomplete="off" />
          </label>
          <label>
            Hold until released, as
            <input name="hold" size={10} placeholder="gate" autocomplete="off" />
          </label>
        </div>
      </details>
    </CallForm>
  )
}

function Kinds() {
  return (
    <select id="fault-kind" name="answer" data-type="json" autocomplete="off">
      <option value="">none: the true answer</option>
      {groups.map(group => (
        <optgroup label={group}>
          {[...faults.values()]
            .filter(it => it.group === group)
            .map(({ name, early, description }) => (
              <option value={JSON.stringify({ fault: name })} title={description} selected={name === 'reset'}>
                {name}
                {early ? ' (only before)' : ''}
              </option>
            ))}
        </optgroup>
      ))}
      <optgroup label="answers">
        {statuses.map(([status, words, rest]) => (
          <option value={JSON.stringify({ status, ...rest })}>{words}</option>
        ))}
      </optgroup>
    </select>
  )
}

function Armed({ rig, href }: { rig: SpaceRig; href: string }) {
  const all = rig.faults.all().reverse()
  if (all.length === 0) return <p class="soft">None is armed.</p>
  return (
    <>
      <ul class="faults">
        {all.slice(0, mostShown).map(fault => (
          <li id={`fault-${fault.id}`}>
            <div class="scenario-head">
              <p class="row">
                <code>{fault.id}</code>
                <Use fault={fault} />
              </p>
              <CallButton
                method="DELETE"
                href={`${href}/${fault.id}`}
                label={`Remove fault ${fault.id}`}
                done={`${fault.id} is removed.`}
              >
                Remove
              </CallButton>
            </div>
            <p class="rule">{appliesTo(fault.rule)}</p>
            <Steps rule={fault.rule} hits={fault.hits} />
          </li>
        ))}
      </ul>
      {all.length > mostShown && <p class="soft">and {all.length - mostShown} earlier ones</p>}
      <CallButton method="DELETE" href={href} class="danger" done="None is armed any more.">
        Disarm all
      </CallButton>
    </>
  )
}

function Use({ fault: { hits, left } }: { fault: ArmedFault }) {
  const struck = hits.hits > 0 ? `struck ${hits.hits}×` : 'never struck'
  if (left === 0) return <Chip tone="good">{`${struck}, used up`}</Chip>
  const rest = Number.isFinite(left) ? `${left} left` : 'until its time is over'
  return <Chip tone={hits.hits > 0 ? 'info' : 'warn'}>{`${struck}, ${rest}`}</Chip>
}
