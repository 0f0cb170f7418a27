import type { Attempt } from './evidence.ts'

/** Whether an answer may have told a client that the mailing was sent: with a sending in hand, and CREATED. */
export function maySayCreated({ operation, delivered, told }: Attempt): boolean {
  if (!told || delivered === 'none' || delivered === 'cut') return false
  if (operation !== 'createSending') return told.sightings?.some(({ state }) => state === 'CREATED') ?? false
  // A media type that does not fit makes a whole sending no less true.
  return told.status < 300 && told.stateText === 'CREATED' && !told.isForeign
}

/** A redirect that most clients follow with a GET, and the GET that followed. */
export function followedRedirect(attempts: readonly Attempt[]): readonly [Attempt, Attempt] | undefined {
  for (const [at, post] of attempts.entries()) {
    const { operation, told, delivered } = post
    if (operation !== 'createSending' || delivered !== 'handed') continue
    if (told?.status !== 301 && told?.status !== 302 && told?.status !== 303) continue
    const later = attempts.slice(at + 1)
    if (later.some(it => it.operation === 'createSending')) continue
    const get = later.find(({ method }) => method === 'GET')
    if (get) return [post, get]
  }
  return undefined
}
