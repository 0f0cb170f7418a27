import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import { Chip } from '../components/chips.tsx'
import type { Places } from './places.tsx'
import { Evidence } from './places.tsx'
import { Sentence } from './sentence.tsx'
import { harmWords } from './words.ts'

/** So many are told. */
const most = 30

/** What came of it, proved by the ledger, whoever is to blame. */
export function Harm(props: { harm: VerdictView['harm']; places: Places; platform: string }) {
  const { harm, places, platform } = props
  const { findings, sent, expected, believes } = harm
  return (
    <section class="card" aria-labelledby="harm">
      <h2 id="harm">Harm</h2>
      <p>
        <a href={platform}>
          {sent} {sent === 1 ? 'sending' : 'sendings'} to lists
        </a>{' '}
        truly went out or will
        {expected !== null && `, where ${expected} ${expected === 1 ? 'was' : 'were'} meant`}
        {believes !== null && `; the client believes: ${believes}`}.
      </p>
      {findings.length === 0 ? (
        <p class="soft">
          <Chip tone="good">none</Chip> Nothing was sent twice, lost or left behind, as far as anybody can
          tell.
        </p>
      ) : (
        <ul class="verdict-list">
          {findings.slice(0, most).map(({ kind, status, sentence, evidence }) => (
            <li>
              <p>
                <Chip tone={status === 'certain' ? 'bad' : 'warn'} title={harmWords[kind].sense}>
                  {harmWords[kind].words}
                </Chip>{' '}
                {status === 'open' && <Chip tone="calm">open</Chip>}{' '}
                <Sentence text={sentence} evidence={evidence} href={places.request} />{' '}
                {status === 'open' && <span class="soft">Whether it is one hangs on what was meant.</span>}
              </p>
              <Evidence evidence={evidence} places={places} />
            </li>
          ))}
          {findings.length > most && <li class="soft">and {findings.length - most} more</li>}
        </ul>
      )}
    </section>
  )
}
