import { z } from 'zod'
import { members } from '../control/schemas.ts'
import type { ControlTools } from '../control/tools.ts'
import { lossNames } from '../rig/scenarios/loss-matrix.ts'
import type { Scenario } from '../rig/scenarios/scenario.ts'
import { CallButton, CallFeedback } from './components/call-forms.tsx'
import { Chip } from './components/chips.tsx'
import { Id, NoneAlike } from './components/elements.tsx'
import {
  FilterForm,
  KindLinks,
  Pager,
  pageNumber,
  pageOf,
  SearchField,
  toQueryString,
} from './components/listing.tsx'
import type { SpaceProps } from './page-call.ts'
import { EditButton } from './scenario-editor.tsx'
import { describeExpectation, Rules } from './scenario-rules.tsx'

/**
 * All scenarios: the user's, the packaged ones and the loss matrix. A broken file becomes one of the problems, which are
 * sentences. Tags come with the number of their scenarios: the loss matrix is one tag, at the end.
 */
export async function readCatalogue({ scenarios: library }: Pick<ControlTools, 'scenarios'>) {
  const problems = new Set(library.problems())
  const scenarios: Scenario[] = []
  for (const name of [...library.names(), ...lossNames])
    try {
      scenarios.push(await library.get(name))
    } catch (error) {
      problems.add((error as Error).message)
    }
  const tags = new Map<string, number>()
  for (const tag of scenarios.flatMap(tagsOf).sort((a, b) => +isMatrix(a) - +isMatrix(b) || (a < b ? -1 : 1)))
    tags.set(tag, (tags.get(tag) ?? 0) + 1)
  return { scenarios, problems: [...problems], tags }
}

const matrixTag = 'loss-matrix'
const isMatrix = (tag: string) => tag === matrixTag
/** Scenarios of the loss matrix are found by that tag alone: they are many, and alike. */
const tagsOf = ({ tags }: Scenario) => (tags.includes(matrixTag) ? [matrixTag] : tags)

/** What a client should be tried with first. */
const oftenUsed = [
  'reset-after',
  'hang-after',
  'error-500-after',
  'gateway-504-sent',
  'pending-then-created',
  'pending-until-4m50',
  'failed-once',
  'indeterminate-sent',
  'unavailable-retry-after-seconds',
  'mixed-trouble',
]

/**
 * The scenarios with every word of a text in the name, the description or a tag. Matches in the name come first, those
 * often used before others, the matrix last.
 */
function searchCatalogue(scenarios: readonly Scenario[], { find, tag }: ScenarioQuery): Scenario[] {
  const wanted = find?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  const has = (text: string) => wanted.every(word => text.toLowerCase().includes(word))
  const rank = ({ name, tags }: Scenario) =>
    100 * (+!has(name) + 2 * +tags.some(isMatrix)) + [...oftenUsed, name].indexOf(name)
  return scenarios
    .filter(it => tag === undefined || tagsOf(it).includes(tag))
    .filter(({ name, description, tags }) => has([name, ...tags, description].join('\n')))
    .sort((one, other) => rank(one) - rank(other))
}

interface Props extends SpaceProps<ScenarioQuery> {
  readonly catalogue: Awaited<ReturnType<typeof readCatalogue>>
}

export function CatalogueList({ call, rig, catalogue: { scenarios, problems, tags } }: Props) {
  const { query } = call
  const matching = searchCatalogue(scenarios, query)
  const list = pageOf(matching, query.page, 20)
  const { shown, from } = list
  const base = call.here('/scenario')
  const address = (page: number) => base + toQueryString({ ...query, page })
  return (
    <CallFeedback class="card">
      <h2 id="catalogue-title">Catalogue</h2>
      <FilterForm action={base} target="catalogue" label="Search the catalogue" history="push">
        <SearchField label="Name, words or tag" name="find" type="search" value={query.find} size={28} />
      </FilterForm>
      <section id="catalogue" data-live="scenario reset" aria-labelledby="catalogue-title">
        {problems.slice(0, 5).map(problem => (
          <p>
            <Chip tone="bad">file as it is now</Chip> {problem}
          </p>
        ))}
        <KindLinks
          label="Which scenarios"
          kinds={[
            [undefined, scenarios.length, 'All'],
            ...[...tags].map(([tag, count]) => [tag, count, tag] as const),
          ]}
          chosen={query.find ? null : query.tag}
          address={tag => base + toQueryString({ tag })}
        />
        <p class="soft">
          {matching.length === 0
            ? `None of ${scenarios.length}`
            : `${from + 1} to ${from + shown.length} of ${matching.length}`}
        </p>
        {shown.length === 0 ? (
          <NoneAlike what="No scenario" all={base} />
        ) : (
          <ul class="plain entries catalogue">
            {shown.map(scenario => (
              <Row call={call} rig={rig} scenario={scenario} />
            ))}
          </ul>
        )}
        <Pager list={list} address={address} label="Pages of the catalogue" back="Previous" further="Next" />
      </section>
    </CallFeedback>
  )
}

function Row({ call, rig, scenario }: SpaceProps & { scenario: Scenario }) {
  const { name, description, tags, rules, definition } = scenario
  const isInForce = rig.scenarios.active?.scenario.name === name
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
              label={`Activate: ${name}`}
              done={`${name} is in force.`}
            >
              Activate
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
function WaysToChoose({ call, rig, name }: SpaceProps & { name: string }) {
  const { testSynchronizations = [] } = call.tools.spaces.directory.contentOf(rig.space.name)?.fixture ?? {}
  const bound = testSynchronizations.filter(it => it.scenario === name)
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

const words = z.string().max(200, 'expected at most 200 characters')

export const scenarioQuery = members({
  find: words.optional(),
  tag: words.optional(),
  page: pageNumber,
})

type ScenarioQuery = z.output<typeof scenarioQuery>
