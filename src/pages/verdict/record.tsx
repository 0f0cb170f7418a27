import type { VerdictView } from '../../rig/control/verdict-shape.ts'

/** What was armed and did nothing. */
export function Unstruck({ unstruck, href }: { unstruck: VerdictView['unstruck']; href: string }) {
  if (unstruck.length === 0) return null
  return (
    <section class="card" aria-labelledby="unstruck">
      <h2 id="unstruck">Never struck</h2>
      <p class="soft">
        These were armed and did nothing, so the verdict shows nothing of what they were to try.
      </p>
      <ul>
        {unstruck.map(({ what, name, rule }) => (
          <li>
            {what === 'fault' ? 'one-shot fault ' : rule === null ? 'scenario ' : `rule ${rule} of scenario `}
            <a href={href}>
              <code>{name}</code>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Whether every request was on record. @param props.href where a space is reset */
export function OnRecord({ verdict, href }: { verdict: VerdictView; href: string }) {
  const { complete, missing } = verdict
  if (complete) return null
  return (
    <section class="card" aria-labelledby="record">
      <h2 id="record">Not on record</h2>
      <p>
        {missing} {missing === 1 ? 'request' : 'requests'} had to make room, or were removed on purpose. What
        they would show is open. <a href={href}>Reset the space</a> between tests instead of clearing its
        record.
      </p>
    </section>
  )
}
