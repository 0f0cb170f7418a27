import { type Entry, follows, outside, writing } from '../check.ts'
import { type Exchange, isRefused, isSuccess } from '../exchange.ts'
import { text } from '../hal.ts'
import { differs, holds } from '../outcome.ts'
import type { Own, Workshop } from '../workshop.ts'
import { unknownId } from '../world.ts'

/** Section 4.10: creating a mailing-upload. */
export const createUpload: readonly Entry[] = [
  writing('4.10', 'POST on the mailing-uploads', async (workshop, world) => {
    const own = await workshop.ready()
    const first = await upload(workshop, own)
    if (first.status !== 200) return differs('200', `${first.status}`, first)
    const id = text(first.json, 'id')
    // An answer without its ID is told of by 2.4.
    if (id === undefined) return holds()
    const read = await world.target.get(world.synchronizationPath(own.id, `/mailing-uploads/${id}`))
    return isSuccess(read)
      ? holds()
      : differs(`mailing-upload ${id}`, `${read.status} when read`, first, read)
  }),
  writing('4.10 id', 'POST on the mailing-uploads of an unknown synchronization', async (workshop, world) => {
    const answer = await workshop.post(world.synchronizationPath(unknownId, '/mailing-uploads'), {})
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  }),
  follows('4.10 body', '4.10'),
  outside('4.10 effect', 'what arrives on the platform shows in no answer'),
  writing('S upload version', 'a mailing-upload of a mailing with only a draft', async workshop => {
    const answer = await upload(workshop, await workshop.draft())
    return isSuccess(answer) ? holds() : differs('200, without approval', `${answer.status}`, answer)
  }),
]

async function upload(workshop: Workshop, own: Own): Promise<Exchange> {
  const answer = await workshop.post(workshop.world.synchronizationPath(own.id, '/mailing-uploads'), {})
  if (isSuccess(answer)) {
    workshop.made.add(
      `mailing-upload ${text(answer.json, 'id') ?? 'without ID'} of mailing synchronization ${own.id}`,
    )
    workshop.world.note('mailing-upload', answer, own.id)
  }
  return answer
}
