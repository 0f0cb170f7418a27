import type { Explanation } from '../../rig/explain/explanation-shape.ts'
import { Quoted } from '../components/quoted.tsx'

const parts = [
  ['Why', 'why'],
  ['What truly happened', 'done'],
  ['What the client was told', 'told'],
  ['What would have changed it', 'change'],
] as const

/** Why the answer was what it was, in words. */
export function Explained({ explanation }: { explanation: Explanation }) {
  return (
    <section class="card explained" aria-labelledby="explained">
      <h2 id="explained">Explained</h2>
      <p class="lead">
        <Quoted text={explanation.summary} />
      </p>
      <div class="columns">
        {parts.map(
          ([title, part]) =>
            explanation[part].length > 0 && (
              <div>
                <h3>{title}</h3>
                {explanation[part].map(sentence => (
                  <p>
                    <Quoted text={sentence} />
                  </p>
                ))}
              </div>
            ),
        )}
      </div>
    </section>
  )
}
