import { counted } from '../../rig/explain/words.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Live } from '../components/basics.tsx'
import { CallButton, Told } from '../components/calls.tsx'
import { Chip } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'

/** Requests that wait until somebody lets them go on; nothing where none does. */
export function Held({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const held = [...rig.holds.counts()]
  return (
    <Told class="held">
      <Live id="held" on="scenario request reset">
        {held.length > 0 && (
          <section class="card" aria-labelledby="held-title">
            <h2 id="held-title">Held requests</h2>
            <ul class="chosen">
              {held.slice(0, 50).map(([name, count]) => (
                <Hold call={call} rig={rig} name={name} count={count} />
              ))}
            </ul>
          </section>
        )}
      </Live>
    </Told>
  )
}

function Hold({ call, rig, name, count }: { call: PageCall; rig: SpaceRig; name: string; count: number }) {
  const href = call.inSpace(rig.space.name, `/holds/${encodeURIComponent(name)}/release`)
  return (
    <li class="row">
      <code>{name}</code>
      <Chip tone="info">{`holds ${counted(count, 'request')}`}</Chip>
      <CallButton method="POST" href={href} label={`Release ${name}`} done={`${name} is released.`}>
        Release
      </CallButton>
      {count > 1 && (
        <CallButton
          method="POST"
          href={href}
          body={{ count: 1 }}
          label={`Release one request of ${name}`}
          done="One goes on."
        >
          Release one
        </CallButton>
      )}
    </li>
  )
}
