import { z } from 'zod'
import type { HeldRequests } from '../rig/held-requests.ts'
import { problems } from '../service/problem.ts'
import { route } from './route.ts'
import { document, link, members } from './schemas.ts'

const countForm = 'expected how many requests to release, from 1'

export const holdRoutes = [
  route('GET /spaces/{space}/holds', 'listHolds', {
    rel: 'holds',
    summary: 'The requests that a step holds, by the name of the hold',
    answer: document({
      _embedded: z.strictObject({
        holds: z.array(
          z.strictObject({ name: z.string(), held: z.int(), _links: z.strictObject({ release: link }) }),
        ),
      }),
    }),
    async handle(call) {
      const { holds, space } = await call.rig()
      return {
        _embedded: {
          holds: [...holds.counts()].map(([name, held]) => ({
            name,
            held,
            _links: { release: call.spaceLink(space.name, `/holds/${encodeURIComponent(name)}/release`) },
          })),
        },
        _links: call.spaceLinks('/holds', 'space'),
      }
    },
  }),
  route('POST /spaces/{space}/holds/{name}/release', 'releaseHold', {
    rel: 'release',
    summary: 'Lets held requests go on, those that came first first',
    description:
      'Their work is done, one after another, before the call answers. When no request is held by this name it is a 404, and later requests are held all the same: release when the request is there, which GET …/holds shows.',
    body: members({
      count: z
        .int({ error: countForm })
        .min(1, countForm)
        .optional()
        .describe('How many at most; all unless given'),
    }),
    example: { count: 1 },
    answer: document({
      released: z.int().describe('How many were let go'),
      held: z.int().describe('How many are still held by this name'),
    }),
    also: { 404: 'There is no such space, or no request is held by this name' },
    async handle(call) {
      const { holds, space } = await call.rig()
      const { name } = call.params
      if (!holds.counts().has(name)) throw nothingHeld(name, holds)
      const released = await holds.release(name, call.body.count)
      return {
        released,
        held: holds.counts().get(name) ?? 0,
        _links: { holds: call.spaceLink(space.name, '/holds') },
      }
    },
  }),
]

function nothingHeld(name: string, holds: HeldRequests) {
  const held = [...holds.counts()].map(([other, count]) => `${other} (${count})`)
  const there = held.length > 0 ? `held are: ${held.join(', ')}` : 'no request is held'
  return problems.notFound(`request held by ${JSON.stringify(name.slice(0, 100))}; ${there}`)
}
