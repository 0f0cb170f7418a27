import { z } from 'zod'
import { members } from '../control/schemas.ts'
import type { ControlTools } from '../control/tools.ts'
import { lossNames } from '../rig/scenarios/loss-matrix.ts'
import type { Scenario } from '../rig/scenarios/scenario.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { CallButton, CallFeedback } from './components/call-forms.tsx'
import { Chip } from './components/chips.tsx'
import { Empty, Id } from './components/elements.tsx'
import { Field, Select } from './components/fields.tsx'
import { FilterForm, Pager, pageNumber, pageOf, toQueryString } from './components/listing.tsx'
import type { PageCall } from './page.ts'
import { EditButton } from './scenario-editor.tsx'
import { describeExpectation, Rules } from './scenario-rules.tsx'

/** All scenarios: the user's, the packaged ones and the loss matrix. */
interface Catalogue {
  readonly scenarios: readonly Scenario[]
  /** Problems of the files in their current state, in sentences. */
  readonly problems: readonly string[]
  /** All tags, sorted. */
  readonly tags: readonly string[]
}

/** Loads the catalogue; a broken file becomes one of its problems. */
export async function readCatalogue({
  scenarios: library,
}: Pick<ControlTools, 'scenarios'>): Promise<Catalogue> {
  const problems = new Set(library.problems())
  const scenarios: Scenario[] = []
  for (const name of [...library.names(), ...lossNames])
    try {
      scenarios.push(await library.get(name))
    } catch (error) {
      problems.add((error as Error).message)
    }
  const tags = [...new Set(scenarios.flatMap(it => it.tags))].sort()
  return { scenarios, problems: [...problems], tags }
}

/**
 * The scenarios that contain every word of a text.
 * @param words in the name, the description or a tag, in any order; matches in the name come first
 */
function searchCatalogue(
  { scenarios }: Pick<Catalogue, 'scenarios'>,
  words: string | undefined,
  tag: string | undefined,
): Scenario[] {
  const wanted = words?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  const has = (text: string) => wanted.every(word => text.toLowerCase().includes(word))
  const matching = scenarios.filter(
    ({ name, description, tags }) =>
      (tag === undefined || tags.includes(tag)) && has([name, ...tags, description].join('\n')),
  )
  return [...matching.filter(({ name }) => has(name)), ...matching.filter(({ name }) => !has(name))]
}

/** Scenarios on one page. */
const perPage = 20

interface Props {
  readonly call: PageCall
  readonly rig: SpaceRig
  readonly query: ScenarioQuery
  readonly catalogue: Catalogue
}

/** All scenarios, to search and arm. */
export function CatalogueList(props: Props) {
  const { call, query, catalogue } = props
  return (
    <CallFeedback class="card">
      <h2 id="catalogue-title">Catalogue</h2>
      <Search address={call.here('/scenario')} query={query} tags={catalogue.tags} />
      <Results {...props} />
    </CallFeedback>
  )
}

function Search(props: { address: string; query: ScenarioQuery; tags: readonly string[] }) {
  const { address, query, tags } = props
  return (
    <FilterForm action={address} target="catalogue" label="Search the catalogue" history="push">
      <Field
        label="Name, words or tag"
        name="find"
        type="search"
        value={query.find}
        maxlength={200}
        size={28}
      />
      <Select label="Tag" name="tag" options={tags.map(tag => [tag, tag])} chosen={query.tag} none="any" />
      <button type="submit">Search</button>
    </FilterForm>
  )
}

function Results({ call, rig, query, catalogue }: Props) {
  const matching = searchCatalogue(catalogue, query.find, query.tag)
  const list = pageOf(matching, query.page, perPage)
  const { shown, from } = list
  const base = call.here('/scenario')
  const address = (page: number) => base + toQueryString({ ...query, page })
  return (
    <section id="catalogue" data-live="scenario reset" aria-labelledby="catalogue-title">
      {catalogue.problems.slice(0, 5).map(problem => (
        <p>
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
        <ul class="plain entries catalogue">
          {shown.map(scenario => (
            <Row call={call} rig={rig} scenario={scenario} />
          ))}
        </ul>
      )}
      <Pager list={list} address={address} label="Pages of the catalogue" back="Back" further="Further" />
    </section>
  )
}

function Row({ call, rig, scenario }: { call: PageCall; rig: SpaceRig; scenario: Scenario }) {
  const { name, description, tags, rules, definition } = scenario
  const isInForce = rig.activeScenario?.scenario.name === name
  const href = call.here('/scenario')
  return (
    <li id={`s-${name}`}>
      <div class="row between">
        <div class="flow">
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
        <summary class="soft">
          <span class="unseen">{name}: </span>Rules, and other ways to choose it
        </summary>
        <Rules rules={rules} />
        <p>A correct client: {describeExpectation(scenario) ?? 'the scenario does not say'}.</p>
        <WaysToChoose call={call} rig={rig} name={name} />
      </details>
    </li>
  )
}

/** How a request selects the scenario without a control call. */
function WaysToChoose({ call, rig, name }: { call: PageCall; rig: SpaceRig; name: string }) {
  const bound =
    call.tools.spaces.directory
      .contentOf(rig.space.name)
      ?.fixture.testSynchronizations?.filter(it => it.scenario === name) ?? []
  return (
    <ul class="plain">
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

/** Search in the catalogue. */
export const scenarioQuery = members({
  find: z.string().max(200, 'expected at most 200 characters').optional(),
  tag: z.string().max(200, 'expected at most 200 characters').optional(),
  page: pageNumber,
})

type ScenarioQuery = z.output<typeof scenarioQuery>
