import { shownSpace } from '../../rig/control/space-document.ts'
import { counted } from '../../rig/explain/words.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Facts, Live } from '../components/basics.tsx'
import { CallButton, Told } from '../components/calls.tsx'
import type { PageCall } from '../page.ts'

/** Back to the beginning, or away. */
export function Reset({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { name } = rig.space
  const { kind, beginning, seed, requests, sent, scheduled, held } = shownSpace(call, rig)
  return (
    <Told class="card">
      <h2>Reset</h2>
      <Live id="keeping" on="request clock scenario mailing reset">
        <Facts
          rows={[
            ['Begins with', beginning === 'given' ? 'what a control call gave it' : 'its fixture'],
            ['Seed', String(seed)],
            [
              'Since then',
              `${counted(requests, 'request')}, ${counted(sent, 'sending')} went out, ${scheduled} scheduled`,
            ],
          ]}
        />
      </Live>
      <details class="confirm">
        <summary>Reset…</summary>
        <p>
          Everything goes back to the beginning: data, clock, scenario, dials, counts. The record of requests
          is empty then
          {held > 0 ? ', and requests that are held are let go with a 500' : ''}.
        </p>
        <CallButton
          method="POST"
          href={call.inSpace(name, '/reset')}
          class="danger"
          done={`${name} is back at its beginning.`}
        >
          Reset {name}
        </CallButton>
      </details>
      {kind !== 'fixture' && (
        <details class="confirm">
          <summary>Remove…</summary>
          <p>
            The space and everything in it is gone.
            {kind === 'copy' ? ' It begins anew with the next request of its user.' : ''}
          </p>
          <CallButton method="DELETE" href={call.inSpace(name)} class="danger" then={call.root}>
            Remove {name}
          </CallButton>
        </details>
      )}
    </Told>
  )
}

/** The whole space as a file, and back. */
export function Snapshot({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { name } = rig.space
  const href = call.inSpace(name, '/snapshot')
  return (
    <Told class="card">
      <h2>Snapshot</h2>
      <p class="soft">
        Everything in the space as a fixture file, with clock, seed, scenario and dials. A mock can be started
        from it with <code>--fixtures</code>, and a space can go on from it.
      </p>
      <p>
        <a class="download" href={href} download={fileName(name)}>
          Download the snapshot
        </a>
      </p>
      <form class="filter" data-snapshot={href}>
        <label>
          Go on from a file
          <input name="file" type="file" required accept=".json,application/json" />
        </label>
        <details class="confirm">
          <summary>Replace…</summary>
          <p>
            Everything in the space makes way for what is in the file: data, clock, scenario, dials. Download
            the snapshot first, if you may want it back.
          </p>
          <button type="submit" class="danger">
            Replace everything in {name}
          </button>
        </details>
      </form>
    </Told>
  )
}

/** A name that every file system takes. */
export const fileName = (space: string) => `${space.replaceAll(/[^\w+-]+/g, '-').slice(0, 80)}.snapshot.json`
