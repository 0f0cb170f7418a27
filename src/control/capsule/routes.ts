import { z } from 'zod'
import { letSocketsRun } from '../../rig/sockets.ts'
import { route, WrittenAnswer } from '../route.ts'
import { component, members } from '../schemas.ts'
import { clientReport, endQuery } from '../verdict.ts'

const query = members({
  ...endQuery,
  format: z
    .enum(['json', 'har'])
    .default('json')
    .describe('har: only the requests, as an HTTP Archive (HAR 1.2) for other tools'),
  gzip: z.enum(['true', 'false']).default('false').describe('Whether the file comes packed'),
})

export const capsuleRoutes = [
  route('GET /spaces/{space}/capsule', 'getCapsule', {
    rel: 'capsule',
    summary: 'All that happened in a space, in one file that plays it again',
    description:
      'How the space began, every request and every control change in order, what was told, what was true, and the verdict, for what the query says of the client, or else the last call for its verdict. `mailing-sync-mock open FILE` shows it on another machine, `mailing-sync-mock judge FILE` prints its verdict. Credentials are hidden as in the journal. Where the journal has not kept all requests, the file says so and has the state of the space instead of what led to it.',
    query,
    answer: component('Capsule', 'A capsule, or an HTTP Archive'),
    answerType: 'application/json',
    async handle(call) {
      await letSocketsRun()
      const rig = await call.rig()
      const { tools, query } = call
      const end = tools.run.endOf(rig, clientReport(query))
      const [{ makeCapsule }, { capsuleText, packCapsule }, judged] = await Promise.all([
        import('./make-capsule.ts'),
        import('./capsule-file.ts'),
        tools.verdict(rig, end),
      ])
      await rig.advancePlatform()
      const { environment, scenarios } = tools
      const rejectedLogins = tools.rigs.rejectedLogins.latest
      const capsule = makeCapsule(rig, { environment, scenarios, rejectedLogins }, { ...judged, end })
      const text =
        query.format === 'har'
          ? JSON.stringify((await import('./har.ts')).toHar(capsule))
          : capsuleText(capsule)
      const isPacked = query.gzip === 'true'
      const ending = `${query.format === 'har' ? 'har' : 'capsule.json'}${isPacked ? '.gz' : ''}`
      const headers = {
        'Content-Type': isPacked ? 'application/gzip' : 'application/json',
        'Content-Disposition': `attachment; filename="${fileNameOf(rig.space.name)}.${ending}"`,
      }
      return isPacked
        ? new Response(packCapsule(text) as Buffer<ArrayBuffer>, { headers })
        : new WrittenAnswer(text, headers)
    },
  }),
]

/** A name for a file, whatever the space is called. */
const fileNameOf = (space: string): string => space.replaceAll(/[^\w+.-]+/g, '-').slice(0, 100)
