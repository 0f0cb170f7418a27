import { shownSpace } from '../rig/control/space-document.ts'
import type { VerdictView } from '../rig/control/verdict-shape.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { Chip } from './components/chips.tsx'
import type { PageCall } from './page.ts'

/** How a space stands, in one line: what went out, what is armed, what the judge says. */
export async function Glance({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { name } = rig.space
  const { sent, scheduled, faults, held, requests } = shownSpace(call, rig)
  const { verdict } = await call.tools.verdict(rig, undefined)
  const at = (rest: string) => call.inSpace(name, rest)
  return (
    <ul id="glance" class="glance" data-live="request clock scenario reset" aria-label="At a glance">
      <Figure href={at('/requests')} figure={requests} words={requests === 1 ? 'request' : 'requests'} />
      <Figure href={at('/platform')} figure={sent} words="truly went out" />
      {scheduled > 0 && <Figure href={at('/platform')} figure={scheduled} words="scheduled" />}
      {faults > 0 && (
        <Figure
          href={at('/scenario')}
          figure={faults}
          words={faults === 1 ? 'one-shot fault armed' : 'one-shot faults armed'}
        />
      )}
      {held > 0 && <Figure href={at('/scenario')} figure={held} words="held" />}
      <li>
        <a href={at('/verdict')}>
          <span class="soft">verdict</span> <Outcome verdict={verdict} />
        </a>
      </li>
    </ul>
  )
}

const Figure = ({ href, figure, words }: { href: string; figure: number; words: string }) => (
  <li>
    <a href={href}>
      <strong>{figure}</strong> <span class="soft">{words}</span>
    </a>
  </li>
)

/** What the judge says, with how much of it there is. */
export function Outcome({ verdict }: { verdict: Pick<VerdictView, 'outcome' | 'findings' | 'harm'> }) {
  const { outcome, findings, harm } = verdict
  const graver = findings.filter(({ severity }) => severity !== 'information')
  const proved = graver.filter(({ status }) => status === 'guilty').length
  const open = graver.length - proved
  const kinds = [...new Set(harm.findings.map(({ kind }) => kind))].join(', ')
  return (
    <>
      {outcome === 'innocent' && graver.length === 0 && <Chip tone="good">nothing to say</Chip>}
      {proved > 0 && <Chip tone="bad">{proved === 1 ? '1 finding' : `${proved} findings`}</Chip>}{' '}
      {open > 0 && <Chip tone="calm">{`${open} still open`}</Chip>}{' '}
      {kinds !== '' && <Chip tone="odd">{kinds}</Chip>}
      {outcome === 'open' && graver.length === 0 && kinds === '' && <Chip tone="calm">open</Chip>}
    </>
  )
}
