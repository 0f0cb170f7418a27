import type { RuleInWords } from '../../rig/control/verdict-shape.ts'
import { Chip } from '../components/chips.tsx'
import { severityTones } from './words.ts'

/** All that a verdict is held against, as docs/conduct.md has it. */
export function Rules({ rules }: { rules: readonly RuleInWords[] }) {
  return (
    <details class="verdict-rules" id="rules">
      <summary>
        <h2>All {rules.length} rules of conduct</h2>
      </summary>
      <p class="soft">
        Sections are those of the service’s document. How the judge goes about it stands in docs/conduct.md.
      </p>
      <dl>
        {rules.map(({ id, title, severity, clause, detection, spared }) => (
          <div id={`rule-${id}`}>
            <dt>
              <span class="verdict-rule-id">{id}</span> {title}{' '}
              <Chip tone={severityTones[severity]}>{severity}</Chip>{' '}
              <span class="verdict-clause soft">[{clause}]</span>
            </dt>
            <dd>
              {detection} <span class="soft">Not held against anybody: {spared}</span>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
