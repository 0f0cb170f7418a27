import type { Scenario } from '../../rig/scenarios/scenario.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Empty, Id } from '../components/basics.tsx'
import { CallButton, Told } from '../components/calls.tsx'
import { Chip } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'
import { type Catalogue, found } from './catalogue.ts'
import { EditButton } from './editor.tsx'
import type { ScenarioQuery } from './query.ts'
import { Rules } from './rules.tsx'
import { expectWords } from './words.ts'

/** So many stand on a page. */
const perPage = 20

interface Props {
  readonly call: PageCall
  readonly rig: SpaceRig
  readonly query: ScenarioQuery
  readonly catalogue: Catalogue
}

/** The scenarios there are, to be searched and put in force. */
export function CatalogueList(props: Props) {
  const { call, rig, query, catalogue } = props
  return (
    <Told class="card">
      <h2 id="catalogue-title">Catalogue</h2>
      <Search address={call.inSpace(rig.space.name, '/scenario')} query={query} tags={catalogue.tags} />
      <Results {...props} />
    </Told>
  )
}

function Search(props: { address: string; query: ScenarioQuery; tags: readonly string[] }) {
  const { address, query, tags } = props
  return (
    <search aria-label="Search the catalogue">
      <form
        class="filter"
        action={address}
        hx-get={address}
        hx-target="#catalogue"
        hx-select="#catalogue"
        hx-swap="outerMorph"
        hx-push-url="true"
        hx-trigger="input delay:250ms, submit"
      >
        <label>
          Name, words or tag
          <input name="find" type="search" value={query.find} maxlength={200} autocomplete="off" size={28} />
        </label>
        <label>
          Tag
          <select name="tag" autocomplete="off">
            <option value="">any</option>
            {tags.map(tag => (
              <option value={tag} selected={tag === query.tag}>
                {tag}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Search</button>
      </form>
    </search>
  )
}

function Results({ call, rig, query, catalogue }: Props) {
  const matching = found(catalogue, query.find, query.tag)
  const pages = Math.max(1, Math.ceil(matching.length / perPage))
  const at = Math.min(query.page, pages)
  const from = (at - 1) * perPage
  const shown = matching.slice(from, from + perPage)
  const base = call.inSpace(rig.space.name, '/scenario')
  const address = (page: number) =>
    `${base}?${new URLSearchParams({ ...(query.find && { find: query.find }), ...(query.tag && { tag: query.tag }), page: String(page) })}`
  return (
    <section id="catalogue" data-live="scenario reset" aria-labelledby="catalogue-title">
      {catalogue.problems.slice(0, 5).map(problem => (
        <p class="broken-file">
          <Chip tone="bad">file as it is now</Chip> {problem}
        </p>
      ))}
      <p class="soft">
        {matching.length === 0
          ? `None of ${catalogue.scenarios.length}`
          : `${from + 1} to ${from + shown.length} of ${matching.length}`}
      </p>
      {shown.length === 0 ? (
        <Empty title="No scenario is like that">
          <p>
            <a href={base}>Show all</a>, or write one.
          </p>
        </Empty>
      ) : (
        <ul class="catalogue">
          {shown.map(scenario => (
            <Row call={call} rig={rig} scenario={scenario} />
          ))}
        </ul>
      )}
      {pages > 1 && (
        <nav class="row pager" aria-label="Pages of the catalogue">
          {at > 1 ? <a href={address(at - 1)}>Back</a> : <span class="soft">Back</span>}
          <span>
            Page {at} of {pages}
          </span>
          {at < pages ? <a href={address(at + 1)}>Further</a> : <span class="soft">Further</span>}
        </nav>
      )}
    </section>
  )
}

function Row({ call, rig, scenario }: { call: PageCall; rig: SpaceRig; scenario: Scenario }) {
  const { name, description, tags, rules, definition } = scenario
  const isInForce = rig.armed?.scenario.name === name
  const href = call.inSpace(rig.space.name, '/scenario')
  return (
    <li id={`s-${name}`}>
      <div class="scenario-head">
        <div class="scenario-what">
          <h3>{name}</h3>
          {tags.length > 0 && <span class="soft">{tags.join(' · ')}</span>}
        </div>
        <div class="row">
          {isInForce ? (
            <Chip tone="warn">in force</Chip>
          ) : (
            <CallButton
              method="PUT"
              href={href}
              body={{ name }}
              label={`Arm ${name}`}
              done={`${name} is in force.`}
            >
              Arm
            </CallButton>
          )}
          <EditButton name={name} definition={definition} />
        </div>
      </div>
      <p>{description}</p>
      <details>
        <summary>
          <span class="unseen">{name}: </span>Rules, and other ways to choose it
        </summary>
        <Rules rules={rules} />
        <p>A correct client: {expectWords(scenario) ?? 'the scenario does not say'}.</p>
        <Ways call={call} rig={rig} name={name} />
      </details>
    </li>
  )
}

/** How a request chooses it without a control call. */
function Ways({ call, rig, name }: { call: PageCall; rig: SpaceRig; name: string }) {
  const bound =
    call.tools.spaces
      .beginning(rig.space.name)
      ?.fixture.testSynchronizations?.filter(it => it.scenario === name) ?? []
  return (
    <ul class="ways">
      <li>
        by header <Id id={`X-Mock-Scenario: ${name}`} label="header" />
      </li>
      <li>
        by transaction ID <Id id={`mock:${name}:anything`} label="transaction ID" />
      </li>
      {bound.map(({ id }) => (
        <li>
          by synchronization <Id id={id} label="synchronization ID" />
        </li>
      ))}
    </ul>
  )
}
