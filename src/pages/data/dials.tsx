import type { SpaceRig } from '../../rig/space-rig.ts'
import { type DialName, dialNames, dials } from '../../service/dials.ts'
import { Live } from '../components/basics.tsx'
import { CallButton, Told } from '../components/calls.tsx'
import { Chip } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'

/** What the service does where its document is silent, and how to turn it for the space. */
export function Dials({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const href = call.inSpace(rig.space.name, '/dials')
  const turned = dialNames.filter(name => turnedBy(rig, name) !== undefined)
  const count = Object.keys(rig.settings.dials).length
  return (
    <Told class="card">
      <h2>Dials</h2>
      <p class="soft">
        What is answered where the service's document is silent. A client that depends on one of them depends
        on a guess: turn it, and see.
      </p>
      <Live id="dials" on="scenario reset">
        <div class="row">
          <span>{count === 0 ? 'None is turned here.' : `${count} turned here.`}</span>
          {count > 0 && (
            <CallButton method="PUT" href={href} done="All dials are back.">
              All back
            </CallButton>
          )}
        </div>
        <ul class="turned">
          {turned.map(name => (
            <li id={`turned-${name}`}>
              <a href={`#dial-${name}`}>{name}</a> <code>{rig.dials(rig.armed?.scenario)[name]}</code>{' '}
              <Chip tone="info">{turnedBy(rig, name)!}</Chip>
            </li>
          ))}
        </ul>
        <details class="all-dials">
          <summary>All {dialNames.length} dials</summary>
          <ul class="dials" data-dials={href}>
            {dialNames.map(name => (
              <Dial rig={rig} name={name} />
            ))}
          </ul>
        </details>
      </Live>
    </Told>
  )
}

function Dial({ rig, name }: { rig: SpaceRig; name: DialName }) {
  const { description, values, default: usual, clause } = dials[name]
  const meanings: Readonly<Record<string, string>> = values
  const own = rig.settings.dials[name]
  const value = rig.dials(rig.armed?.scenario)[name]
  const by = turnedBy(rig, name)
  return (
    <li id={`dial-${name}`}>
      <div class="dial-head">
        <label for={`turn-${name}`}>{name}</label>
        <select id={`turn-${name}`} data-dial={name} autocomplete="off">
          <option value="" selected={own === undefined}>
            not turned here
          </option>
          {Object.keys(meanings).map(it => (
            <option value={it} selected={it === own}>
              {it}
              {it === usual ? ' (default)' : ''}
            </option>
          ))}
        </select>
      </div>
      <p class="soft">
        {description} <span title="Clause of the fidelity register">[{clause}]</span>
      </p>
      <p>
        <code>{value}</code> {by && <Chip tone="info">{by}</Chip>} {meanings[value]}
      </p>
    </li>
  )
}

/** Whose turning holds now; undefined where nobody has turned it. */
function turnedBy(rig: SpaceRig, name: DialName): string | undefined {
  const own = rig.settings.dials[name]
  const ofScenario = rig.armed?.scenario.dials ?? {}
  const value = rig.dials(rig.armed?.scenario)[name]
  if (ofScenario !== 'seeded' && ofScenario[name] !== undefined) return 'by the scenario'
  if (own !== undefined) return 'turned here'
  if (ofScenario === 'seeded') return 'by the scenario'
  return value === dials[name].default ? undefined : 'since the start'
}
