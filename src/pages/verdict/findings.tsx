import type { RuleInWords, VerdictView } from '../../rig/control/verdict-shape.ts'
import { Chip } from '../components/chips.tsx'
import { grouped } from '../sendings/lanes-grouped.ts'
import { Evidence, type Places } from './places.tsx'
import { Sentence } from './sentence.tsx'
import { severityTones } from './words.ts'

type Finding = VerdictView['findings'][number]

/** So many findings are told of each rule. */
const most = 12

/** What would settle a question, by what it hangs on. */
const settles: Record<RuleInWords['rests'], string> = {
  request: 'It hangs on what is not on record, or cannot be seen from the server.',
  worker: 'It hangs on whether whoever asked again is who was told. Say how many workers the client had.',
  intent: 'It hangs on whether these requests mean one mailing. Say how many the client was to send.',
  end: 'It hangs on how it ended. Say so when the client has ended, and what it believes.',
}

/** What was done against the rules, rule by rule: what is proved, what is open, what is only remarked. */
export function Findings(props: { verdict: VerdictView; rules: readonly RuleInWords[]; places: Places }) {
  const { verdict, rules, places } = props
  const accusations = verdict.findings.filter(({ severity }) => severity !== 'information')
  const parts = [
    ['Broken rules', accusations.filter(({ status }) => status === 'guilty')],
    ['Open questions', accusations.filter(({ status }) => status === 'open')],
    ['Remarks', verdict.findings.filter(({ severity }) => severity === 'information')],
  ] as const
  const named = new Set<string>()
  const isTold = verdict.harm.believes !== null
  return parts.map(
    ([title, findings]) =>
      findings.length > 0 && (
        <section aria-label={title}>
          <h2>{title}</h2>
          {[...grouped(findings, ({ rule }) => [rule])].map(([id, ofRule]) => {
            const isFirst = !named.has(id)
            named.add(id)
            const rule = rules.find(it => it.id === id)!
            const hint = title === 'Open questions' && !isTold ? settles[rule.rests] : undefined
            return (
              <OfRule
                id={isFirst ? id : undefined}
                rule={rule}
                findings={ofRule}
                hint={hint}
                places={places}
              />
            )
          })}
        </section>
      ),
  )
}

function OfRule(props: {
  id: string | undefined
  rule: RuleInWords
  findings: readonly Finding[]
  hint: string | undefined
  places: Places
}) {
  const { id, rule, findings, hint, places } = props
  const { severity } = findings[0]!
  return (
    <article class="card verdict-rule" id={id}>
      <h3>
        <span class="verdict-rule-id">{rule.id}</span> {rule.title}{' '}
        <Chip tone={severityTones[severity]}>{severity}</Chip>
      </h3>
      <p class="soft">
        {rule.detection} <span class="verdict-clause">[{rule.clause}]</span>
      </p>
      <ul class="verdict-list">
        {findings.slice(0, most).map(({ sentence, evidence }) => (
          <li>
            <p>
              <Sentence text={sentence} evidence={evidence} href={places.request} />
            </p>
            <Evidence evidence={evidence} places={places} />
          </li>
        ))}
        {findings.length > most && <li class="soft">and {findings.length - most} more of the same kind</li>}
      </ul>
      {hint && <p class="verdict-hint">{hint}</p>}
      <details id={id && `${id}-spared`}>
        <summary>Not held against anybody</summary>
        <p>{rule.spared}</p>
      </details>
    </article>
  )
}
