import { followedRedirect, maySayCreated } from '../belief.ts'
import type { CaseFile } from '../case-file.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const redirectBelieved = defineRule({
  id: 'R25',
  title: 'Followed a redirect with a GET and believed it',
  clause: 'RFC 9110, 15.4',
  severity: 'error',
  rests: 'end',
  detection:
    'A creation was answered with 301, 302 or 303, a GET followed and no further creation, and the client believes that the mailing was sent.',
  spared: 'A client that sent its request again, or that was told CREATED elsewhere.',
  *find(file: CaseFile): Iterable<Suspicion> {
    const followed = followedRedirect(file.attempts)
    if (file.end?.believes !== 'sent' || !followed) return
    const [post, get] = followed
    if (file.attempts.some(it => it.operation === 'createSending' && maySayCreated(it))) return
    yield {
      sending: file.sendings.find(({ attempts }) => attempts.includes(post)),
      evidence: followed,
      sentence: `${post.id} was redirected with ${post.told!.status}, ${get.id} followed as a GET, which creates nothing, and the client took its answer for success.`,
    }
  },
})
