import type { VerdictQuery } from './query.ts'

const beliefs = [
  ['', 'nobody has said'],
  ['sent', 'it was sent'],
  ['not-sent', 'it was not sent'],
  ['unknown', 'it does not know'],
] as const

/** What only they know who ran the client: told in the address, so it can be kept and shared. */
export function EndForm({ action, query }: { action: string; query: VerdictQuery }) {
  const { believes, expected, workers } = query
  return (
    <form class="card verdict-end" method="get" action={action} aria-labelledby="end">
      <h2 id="end">What only you know</h2>
      <p class="soft">
        {believes
          ? 'Judged with what you said. What happens from now on is judged with it as well.'
          : 'Has the client ended? Then more can be known than the record shows.'}
      </p>
      <label for="believes">The client believes</label>
      <select id="believes" name="believes" autocomplete="off">
        {beliefs.map(([value, words]) => (
          <option value={value} selected={value === (believes ?? '')}>
            {words}
          </option>
        ))}
      </select>
      <label for="expected">Mailings that it was to send</label>
      <input
        id="expected"
        name="expected"
        type="number"
        min={0}
        max={1000}
        value={String(expected)}
        autocomplete="off"
      />
      <label for="workers">Workers that it had at a time</label>
      <input
        id="workers"
        name="workers"
        type="number"
        min={1}
        max={1000}
        value={String(workers)}
        autocomplete="off"
      />
      <div class="row">
        <button type="submit" class="main">
          Judge with this
        </button>
        {believes && <a href={action}>Take it back</a>}
      </div>
    </form>
  )
}
