import type { CaseFile } from '../case-file.ts'
import { defineRule, type Suspicion } from './rule.ts'

export const credentialsLeaked = defineRule({
  id: 'R30',
  title: 'Credentials sent to another host',
  clause: '5',
  severity: 'error',
  rests: 'end',
  detection:
    'A listener on another host or port, to which a redirect led, saw the Authorization header. Only whoever runs the client can say so.',
  spared: 'A redirect to the service itself.',
  survivesLoss: true,
  *find({ end, attempts }: CaseFile): Iterable<Suspicion> {
    const hosts = end?.leakedTo ?? []
    if (hosts.length === 0) return
    const redirects = attempts.filter(({ told }) => told && told.status >= 300 && told.status < 400)
    const [first] = redirects
    const why = first ? `${first.id} was redirected with ${first.told!.status}, and the` : 'The'
    yield {
      evidence: redirects,
      sentence: `${why} client sent its credentials to ${hosts.slice(0, 5).join(', ')}: whoever listens there can now use them.`,
    }
  },
})
