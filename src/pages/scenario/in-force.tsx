import type { Play } from '../../rig/play.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Empty, Facts, Live } from '../components/basics.tsx'
import { CallButton, Told } from '../components/calls.tsx'
import { Chip } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'
import { EditButton } from './editor.tsx'
import { Rules } from './rules.tsx'
import { expectWords } from './words.ts'

/** So many of those that requests chose themselves. */
const mostChosen = 10

/** The scenario of the space, with what it has struck; and those that requests chose themselves. */
export function InForce({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { armed } = rig
  return (
    <Told class="card">
      <h2>In force</h2>
      <Live id="in-force" on="scenario request reset">
        {armed ? (
          <Armed call={call} rig={rig} play={armed} />
        ) : (
          <Empty title="Undisturbed">
            <p>
              The service answers as its document says. Pick a scenario from the{' '}
              <a href="#catalogue-title">catalogue</a>, write one, or arm a fault for a single request.
            </p>
          </Empty>
        )}
        <Chosen rig={rig} />
      </Live>
    </Told>
  )
}

function Armed({ call, rig, play }: { call: PageCall; rig: SpaceRig; play: Play }) {
  const { scenario } = play
  const { name, description, source, tags, rules, dials, definition } = scenario
  const href = call.inSpace(rig.space.name, '/scenario')
  const hits = play.hits()
  const strikes = hits.reduce((sum, it) => sum + it.hits, 0)
  const given = rig.settings.scenario
  const again = typeof given === 'object' && given !== null ? definition : { name }
  const turned = dials === 'seeded' ? [] : Object.entries(dials)
  return (
    <>
      <p class="row">
        <strong class="scenario-name">{name}</strong>
        {play.hasStruck ? (
          <Chip tone="good">{`struck ${strikes}×`}</Chip>
        ) : (
          <Chip tone="warn">armed, never struck</Chip>
        )}
      </p>
      <p>{description || 'It has no description.'}</p>
      <Rules rules={rules} hits={hits} />
      {!play.hasStruck && rules.length > 0 && (
        <p class="soft">A test whose fault never struck proves nothing.</p>
      )}
      <Facts
        rows={[
          ['A correct client', expectWords(scenario) ?? 'the scenario does not say'],
          dials === 'seeded' ? ['Dials', "turned by the space's seed"] : undefined,
          turned.length > 0
            ? ['Dials', <code>{turned.map(([dial, value]) => `${dial}: ${value}`).join(', ')}</code>]
            : undefined,
          tags.length > 0 ? ['Tags', tags.join(', ')] : undefined,
          ['From', source],
        ]}
      />
      <div class="row">
        <CallButton method="DELETE" href={href} class="danger" done="The space is undisturbed.">
          Take away
        </CallButton>
        <CallButton method="PUT" href={href} body={again} done="It begins anew, its counts at zero.">
          Begin anew
        </CallButton>
        <EditButton name={name} definition={definition} />
      </div>
    </>
  )
}

function Chosen({ rig }: { rig: SpaceRig }) {
  const { chosen } = rig
  if (chosen.length === 0) return null
  return (
    <>
      <h3>Chosen by requests themselves</h3>
      <ul class="chosen">
        {chosen.slice(-mostChosen).map(({ by, play }) => (
          <li class="row">
            <code>{play.scenario.name}</code>
            <span class="soft">by {by}</span>
            {play.hasStruck ? (
              <Chip tone="good">{`struck ${play.hits().reduce((sum, it) => sum + it.hits, 0)}×`}</Chip>
            ) : play.scenario.rules.length === 0 ? (
              <Chip tone="calm">disturbs nothing</Chip>
            ) : (
              <Chip tone="warn">never struck</Chip>
            )}
          </li>
        ))}
      </ul>
      {chosen.length > mostChosen && <p class="soft">and {chosen.length - mostChosen} earlier ones</p>}
    </>
  )
}
