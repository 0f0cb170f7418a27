import { toSpaceDocument } from '../control/spaces.ts'
import type { RigView } from '../rig/space-view.ts'
import { countNoun } from '../rig/words.ts'
import { type DialName, dialNames, dials } from '../service/dials.ts'
import { formatDateTime } from '../service/response.ts'
import { CallButton, CallFeedback, CallForm } from './components/call-forms.tsx'
import { Chip } from './components/chips.tsx'
import { Facts, Live } from './components/elements.tsx'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'

/** Behaviour where the service's document is silent, and how to change it for the space. */
function Dials({ call, rig }: SpaceProps) {
  const href = call.here('/dials')
  const all = dialNames.map(name => readDial(rig, name))
  const count = Object.keys(rig.settings.dials).length
  return (
    <CallFeedback class="card">
      <h2>Dials</h2>
      <p class="soft">
        What is answered where the service's document is silent. Turn a dial to see whether your client
        depends on it.
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
        <ul class="plain">
          {all.map(
            ({ name, value, by }) =>
              by && (
                <li id={`turned-${name}`}>
                  <a href={`#dial-${name}`}>{name}</a> <code>{value}</code> <Chip tone="info">{by}</Chip>
                </li>
              ),
          )}
        </ul>
        <details>
          <summary>All {all.length} dials</summary>
          <CallForm method="PUT" href={href} class="dials" label="Dials" done="The dial is changed.">
            <ul class="plain entries">
              {all.map(it => (
                <Dial {...it} />
              ))}
            </ul>
          </CallForm>
        </details>
      </Live>
    </CallFeedback>
  )
}

function Dial({ name, own, value, by }: ReturnType<typeof readDial>) {
  const { description, values, default: usual, clause } = dials[name]
  const meanings: Readonly<Record<string, string>> = values
  return (
    <li id={`dial-${name}`}>
      <div class="row between">
        <label for={`turn-${name}`}>{name}</label>
        <select id={`turn-${name}`} name={name} autocomplete="off">
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

/** A dial's value here, and what changed it: `by` is undefined when it is the default. */
function readDial(rig: RigView, name: DialName) {
  const own = rig.settings.dials[name]
  const scenario = rig.scenarios.active?.scenario
  const value = rig.dials(scenario)[name]
  const start = value === dials[name].default ? undefined : 'since the start'
  // A seeded scenario turns only what is not turned here.
  const ofScenario = scenario?.dials === 'seeded' ? own === undefined : scenario?.dials[name] !== undefined
  return { name, own, value, by: ofScenario ? 'by the scenario' : own !== undefined ? 'turned here' : start }
}

function ResetCard({ call, rig }: SpaceProps) {
  const { name, kind, beginning, seed, requests, sent, scheduled, stopped, held } = toSpaceDocument(call, rig)
  return (
    <CallFeedback class="card">
      <h2>Reset</h2>
      <Live id="keeping" on="request clock scenario mailing reset">
        <Facts
          rows={[
            ['Initial state', beginning === 'given' ? 'as created or last reset' : 'its fixture'],
            ['Seed', String(seed)],
            [
              'Since then',
              `${countNoun(requests, 'request')}, ${sent} sent, ${scheduled} scheduled${stopped > 0 ? `, ${stopped} stopped` : ''}`,
            ],
          ]}
        />
      </Live>
      <details class="confirm">
        <summary>Reset…</summary>
        <p>
          Everything goes back to the beginning: data, clock, scenario, dials, counts. The record of requests
          is empty then
          {held > 0 && ', and requests that are held are let go with a 500'}.
        </p>
        <CallButton href={call.here('/reset')} class="danger" done={`${name} is back at its beginning.`}>
          Reset {name}
        </CallButton>
      </details>
      {kind !== 'fixture' && (
        <details class="confirm">
          <summary>Remove…</summary>
          <p>
            The space and everything in it is gone.
            {kind === 'copy' && ' It starts again with the next request of its user.'}
          </p>
          <CallButton method="DELETE" href={call.inSpace(name)} class="danger" then={call.root}>
            Remove {name}
          </CallButton>
        </details>
      )}
    </CallFeedback>
  )
}

/** Rows of a table that are shown; more are for programs. */
const maxRows = 50

interface Removable {
  readonly name: string
  /** Below the space. */
  readonly path: string
  readonly isRenamed: boolean
}

/** What a person may delete or rename on the platform, by table. */
function removables({ tables }: RigView['space']['data']): [words: string, rows: Removable[]][] {
  const isOfTest = (id: string) => tables.testSynchronizations.get(id) !== undefined
  const there = <Row extends { readonly removedAt?: string | undefined }>(rows: Iterable<Row>) =>
    [...rows].filter(({ removedAt }) => removedAt === undefined)
  const named = (table: string, id: string | number, name: string, isRenamed = true): Removable => ({
    name,
    path: `/${table}/${encodeURIComponent(id)}`,
    isRenamed,
  })
  return [
    ['Customers', there(tables.customers.rows()).map(it => named('customers', it.name, it.name))],
    ['Lists', there(tables.lists.rows()).map(it => named('lists', it.id, `${it.name} (${it.id})`))],
    [
      'Synchronizations',
      there(tables.synchronizations.rows())
        .filter(({ id }) => !isOfTest(id))
        .map(({ id }) => named('synchronizations', id, id, false)),
    ],
  ]
}

/** Lets things disappear while a client runs, or get another name. */
function RemovalCard({ call, rig }: SpaceProps) {
  return (
    <CallFeedback class="card changes">
      <h2>Delete and rename</h2>
      <p class="soft">
        What a person does on the platform while your client runs. A deleted thing is 404 from then on; only a
        reset brings it back. A mailing is deleted and renamed in its editor.
      </p>
      <Live id="removables" on="reset">
        {removables(rig.space.data).map(([words, rows]) => (
          <details>
            <summary>
              {words} ({rows.length})
            </summary>
            <ul class="plain entries">
              {rows.slice(0, maxRows).map(({ name, path, isRenamed }) => (
                <li class="row between">
                  <code>{name}</code>
                  <span class="row">
                    {isRenamed && (
                      <CallForm
                        method="PUT"
                        href={call.here(`${path}/name`)}
                        class="row"
                        label={`Rename ${name}`}
                        done={`${name} has another name.`}
                      >
                        <input name="name" required aria-label={`New name of ${name}`} autocomplete="off" />
                        <button type="submit">Rename</button>
                      </CallForm>
                    )}
                    <CallButton
                      method="DELETE"
                      href={call.here(path)}
                      class="danger"
                      label={`Delete ${name}`}
                      done={`${name} is gone.`}
                    >
                      Delete
                    </CallButton>
                  </span>
                </li>
              ))}
            </ul>
            {rows.length > maxRows && (
              <p class="soft">And {rows.length - maxRows} more, by the same control calls.</p>
            )}
          </details>
        ))}
      </Live>
    </CallFeedback>
  )
}

/** What control calls changed in the space, and who made them; and the file with all of it. */
function ChangesCard({ call, rig }: SpaceProps) {
  const { changes, lost } = rig.journal.history
  return (
    <section class="card">
      <h2>Changes</h2>
      <Live id="changes" on="clock scenario mailing reset">
        {changes.length === 0 ? (
          <p class="soft">No control call has changed the space since it began.</p>
        ) : (
          <ol class="plain entries">
            {changes.slice(-maxRows).map(({ number, method, path, body, by, after, clock, status }) => (
              <li id={`change-${number}`}>
                <code>
                  {method} {path}
                  {body && ` ${JSON.stringify(body).slice(0, 200)}`}
                </code>{' '}
                <span class="soft">
                  by {by} at {formatDateTime(clock)},{' '}
                  {after === 0 ? 'before any request' : `after request ${after}`}
                  {status !== undefined && status >= 400 && `; refused with ${status}`}
                </span>
              </li>
            ))}
          </ol>
        )}
      </Live>
      <p>
        <a class="download" href={call.here('/capsule')} download>
          Download the capsule
        </a>{' '}
        <span class="soft">
          All that happened here as one file, to be opened on any machine.
          {lost !== undefined && ` It shows only the state of now: ${lost}.`}
        </span>
      </p>
    </section>
  )
}

/** Downloads and restores the whole space as a file. */
function SnapshotCard({ call, rig }: SpaceProps) {
  const { name } = rig.space
  const href = call.here('/snapshot')
  return (
    <CallFeedback class="card">
      <h2>Snapshot</h2>
      <p class="soft">
        Everything in the space as a fixture file, with clock, seed, scenario and dials. A mock can be started
        from it with <code>--fixtures</code>, and a space can go on from it.
      </p>
      <p>
        <a class="download" href={href} download={snapshotFileName(name)}>
          Download the snapshot
        </a>
      </p>
      <form class="filter" data-snapshot={href}>
        <label>
          Restore from a file
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
    </CallFeedback>
  )
}

/** A name that is valid in every file system. */
const snapshotFileName = (space: string) => `${space.replaceAll(/[^\w+-]+/g, '-').slice(0, 80)}.snapshot.json`

/** How to save, replace and reset the data of a space, and its dials. */
export default spacePage('data', {
  show(call, rig) {
    return {
      scripts: ['browser/data-forms.js'],
      content: (
        <div class="columns broad">
          <div>
            <ResetCard call={call} rig={rig} />
            <SnapshotCard call={call} rig={rig} />
            <ChangesCard call={call} rig={rig} />
            <RemovalCard call={call} rig={rig} />
          </div>
          <Dials call={call} rig={rig} />
        </div>
      ),
    }
  },
})
