import type { SpaceRig } from '../rig/space-rig.ts'
import { SpaceTime } from './components/time.tsx'
import type { PageCall } from './page.ts'

/** The pages of a space, in the order of their tabs: name, words, and where below the space. */
const tabs = [
  ['requests', 'Requests', ''],
  ['sendings', 'Sendings', '/sendings'],
  ['mailings', 'Mailings', '/mailings'],
  ['platform', 'Platform', '/platform'],
  ['scenario', 'Scenario', '/scenario'],
  ['clock', 'Clock', '/clock'],
  ['verdict', 'Verdict', '/verdict'],
  ['data', 'Data', '/data'],
] as const

export type TabName = (typeof tabs)[number][0]

/** What stands above every page of a space: whose it is, how late it is in it, and its other pages. */
export function SpaceHead(props: { call: PageCall; rig: SpaceRig; tab: TabName | undefined }) {
  const { call, rig, tab } = props
  const { name } = rig.space
  return (
    <section class="space-head" aria-label={`Space ${name}`}>
      <p class="space-name">
        <span class="soft">Space</span> <strong>{name}</strong>
      </p>
      <SpaceTime rig={rig} href={call.hasCalls ? call.inSpace(name, '/clock') : undefined} />
      {/* A one-shot fault goes with the request that it strikes, a scenario does not. */}
      <p
        id="space-scenario"
        class="space-scenario"
        data-live={faultsLeft(rig) > 0 ? 'request scenario reset' : 'scenario reset'}
      >
        <Disturbed rig={rig} href={call.hasCalls ? call.inSpace(name, '/scenario') : undefined} />
      </p>
      {call.hasCalls && (
        <nav class="tabs" aria-label={`Pages of space ${name}`}>
          {tabs.map(([id, words, rest]) => (
            <a href={call.inSpace(name, rest)} aria-current={id === tab ? 'page' : undefined}>
              {words}
            </a>
          ))}
        </nav>
      )}
    </section>
  )
}

const faultsLeft = (rig: SpaceRig) => rig.faults.all().filter(({ left }) => left > 0).length

/** What stands ready to disturb whoever names no scenario: the scenario in force, and one-shot faults. */
function Disturbed({ rig, href }: { rig: SpaceRig; href: string | undefined }) {
  const faults = faultsLeft(rig)
  if (!rig.armed && faults === 0) return <span class="soft">undisturbed</span>
  return (
    <>
      {rig.armed && (
        <a class="chip warn" href={href}>
          scenario {rig.armed.scenario.name}
        </a>
      )}{' '}
      {faults > 0 && (
        <a class="chip warn" href={href}>
          {faults === 1 ? '1 one-shot fault' : `${faults} one-shot faults`}
        </a>
      )}
    </>
  )
}
