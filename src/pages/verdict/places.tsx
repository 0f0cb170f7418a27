/** Where a request can be looked at. */
export interface Places {
  /** By itself. */
  readonly request: (id: string) => string
  /** Among the attempts for its sending. */
  readonly lane: (id: string) => string
}

/** The requests that show it. */
export function Evidence({ evidence, places }: { evidence: readonly string[]; places: Places }) {
  if (evidence.length === 0) return null
  return (
    <p class="verdict-evidence soft">
      {evidence.length === 1 ? 'Request' : 'Requests'}{' '}
      {evidence.map(id => (
        <>
          <a href={places.request(id)}>
            <code>{id}</code>
          </a>{' '}
        </>
      ))}
      · <a href={places.lane(evidence[0]!)}>in time</a>
    </p>
  )
}
