import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import { counted } from '../../rig/explain/words.ts'
import { Chip, type Tone } from '../components/chips.tsx'

const outcomes: Record<VerdictView['outcome'], { readonly tone: Tone; readonly sentence: string }> = {
  innocent: { tone: 'good', sentence: 'No rule was broken.' },
  guilty: { tone: 'bad', sentence: 'A rule was broken, and nothing else can explain what was seen.' },
  open: { tone: 'warn', sentence: 'It cannot be known whether a rule was broken.' },
}

/** How it stands, and why. */
export function Outcome({ verdict, sendings }: { verdict: VerdictView; sendings: string }) {
  const { outcome } = verdict
  const { tone, sentence } = outcomes[outcome]
  return (
    <section class={`card verdict-outcome ${tone}`} aria-labelledby="outcome">
      <h2 id="outcome">
        <Chip tone={tone}>{outcome}</Chip> {sentence}
      </h2>
      <ul>
        {reasons(verdict).map(reason => (
          <li>{reason}</li>
        ))}
      </ul>
      <p>
        <a href={sendings}>See the attempts in time</a>
      </p>
    </section>
  )
}

function reasons({ findings, sendings, complete, missing }: VerdictView): string[] {
  const accusations = findings.filter(({ severity }) => severity !== 'information')
  const rulesOf = (status: 'guilty' | 'open') => [
    ...new Set(accusations.filter(it => it.status === status).map(({ rule }) => rule)),
  ]
  const [proved, open] = [rulesOf('guilty'), rulesOf('open')]
  const remarks = findings.length - accusations.length
  const attempts = sendings.reduce((sum, it) => sum + it.attempts.length, 0)
  return [
    `${counted(sendings.length, 'sending')} with ${counted(attempts, 'attempt')} ${sendings.length === 1 ? 'was' : 'were'} looked at.`,
    ...(proved.length > 0 ? [`Proved by the record: ${proved.join(', ')}.`] : []),
    ...(open.length > 0 ? [`It looks like it, but the server cannot know: ${open.join(', ')}.`] : []),
    ...(remarks > 0
      ? [`${counted(remarks, 'remark')} that ${remarks === 1 ? 'does' : 'do'} not count against anybody.`]
      : []),
    ...(complete
      ? []
      : [`${counted(missing, 'request')} no longer on record: what they would show is open.`]),
  ]
}
