import type { Attempt } from './evidence.ts'

/** Whether an answer may have told a client that the mailing was sent: with a sending in hand, and CREATED. */
export function maySayCreated({ operation, delivered, told }: Attempt): boolean {
  if (!told || delivered === 'none' || delivered === 'cut') return false
  if (operation !== 'createSending') return told.sightings?.some(({ state }) => state === 'CREATED') ?? false
  // A media type that does not fit makes a whole sending no less true.
  return told.status < 300 && told.stateText === 'CREATED' && told.foreignBy === undefined
}

/** A redirect that most clients follow with a GET, and the GET that followed: no creation came after it. */
export function followedRedirect(attempts: readonly Attempt[]): readonly [Attempt, Attempt] | undefined {
  const at = attempts.findLastIndex(({ operation }) => operation === 'createSending')
  const post = attempts[at]
  if (post?.delivered !== 'handed') return undefined
  const status = post.told?.status
  if (status !== 301 && status !== 302 && status !== 303) return undefined
  const get = attempts.find(({ method }, later) => later > at && method === 'GET')
  return get && [post, get]
}
