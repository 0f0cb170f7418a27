import { type Entry, outside, reading, writing } from '../check.ts'
import { type Exchange, isRefused, isSuccess, mediaTypeOf } from '../exchange.ts'
import { isObject, member, shown } from '../hal.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import type { Workshop } from '../workshop.ts'
import { unknownId, type World } from '../world.ts'
import { limitOf, refusals } from './5-conduct.ts'
import { configured } from './configuration-acts.ts'
import { errorForm } from './error-form.ts'

/** Beyond the document: errors and limits. */
export const errors: readonly Entry[] = [
  reading('S error media type', 'Content-Type of refusals', async world =>
    inFull(world, errors => {
      const wrong = errors.find(it => mediaTypeOf(it) !== 'application/problem+json')
      return wrong && differs('application/problem+json', wrong.headers['content-type'] ?? 'none', wrong)
    }),
  ),
  reading('S problem members', 'type and title of refusals', async world =>
    inFull(world, errors => {
      const is = (it: Exchange, name: string) => typeof member(it.json, name) === 'string'
      const wrong = errors.find(it => !is(it, 'type') || !is(it, 'title'))
      return wrong && differs('type and title', shown(wrong.json), wrong)
    }),
  ),
  reading('S general error', 'detail and _links of a 404', async world =>
    inFull(world, errors => {
      const [missing] = errors.filter(it => it.status === 404)
      if (!missing) return undefined
      const isRight =
        typeof member(missing.json, 'detail') === 'string' && isObject(member(missing.json, '_links'))
      return isRight ? undefined : differs('detail and _links', shown(missing.json), missing)
    }),
  ),
  reading('S validation members', 'generalErrors and invalidFields of refused parameters', async world =>
    inFull(world, errors => {
      const refused = errors.filter(it => it.url.includes('pageSize=0'))
      const wrong = refused.find(({ json }) => {
        const [general, fields] = [member(json, 'generalErrors'), member(json, 'invalidFields')]
        const isNamed = (it: unknown) =>
          typeof member(it, 'field') === 'string' && typeof member(it, 'problem') === 'string'
        return !Array.isArray(general) || !Array.isArray(fields) || !fields.every(isNamed)
      })
      return wrong && differs('generalErrors and invalidFields', shown(wrong.json), wrong)
    }),
  ),
  reading('S no 422', 'the status of refused parameters', async world => {
    const exchange = await world.get('/mailings?pageSize=0')
    const value = String(exchange.status)
    if (value !== '400' && value !== '422') return as('S 400')
    return {
      is: 'observed',
      dial: 'invalid-input-status',
      value,
      expected: '400',
      seen: value,
      evidence: [exchange],
    }
  }),
  reading('S 400', 'JSON that cannot be read, refused input, bad combinations', async (world, workshop) => {
    const refused = [
      await world.get('/mailings?pageSize=0'),
      await world.get('/mailings?hasDraft=false&isApproved=false'),
    ]
    if (refused.every(it => it.status === 422)) return as('S no 422')
    if (workshop) {
      const path = workshop.sendingsPath(await workshop.draft())
      refused.push(await workshop.send('POST', path, '{"name": '))
    }
    // What is taken is told by the clause that forbids it.
    const wrong = refused.find(it => it.status !== 400 && !isSuccess(it))
    return wrong ? differs('400', `${wrong.status}`, wrong) : holds()
  }),
  reading('S 401', 'the answer to requests without credentials', async world => {
    const answer = await world.target.get('/mailings', { as: 'nobody' })
    if (isSuccess(answer)) return as('4 authentication')
    const { 'www-authenticate': challenge = 'none' } = answer.headers
    if (answer.status !== 401) return differs('401', `${answer.status}`, answer)
    return /^basic\s+.*realm=/i.test(challenge)
      ? holds()
      : differs('WWW-Authenticate: Basic with a realm', challenge, answer)
  }),
  writing('S 403', 'a synchronization to a list that is not permitted', async workshop => {
    const { refused, narrowed } = await configured(workshop)
    const value = String(refused.status)
    if (isSuccess(refused)) return as('4.15 effect')
    if (!['403', '404', '400'].includes(value)) return differs('403', value, narrowed, refused)
    return {
      is: 'observed',
      dial: 'list-not-permitted-status',
      value,
      expected: '403',
      seen: value,
      evidence: [narrowed, refused],
    }
  }),
  reading('S 404', 'an unknown ID and an unknown path', async world => {
    for (const address of [world.synchronizationPath(unknownId), '/nothing-stands-here']) {
      const answer = await world.get(address)
      // Whoever is answered with success is told of by the clause of that ID.
      if (answer.status !== 404 && !isSuccess(answer)) return differs('404', `${answer.status}`, answer)
    }
    return holds()
  }),
  writing('S 405', 'PATCH on the mailings', async workshop => {
    const answer = await workshop.send('PATCH', '/mailings', '{}')
    if (answer.status !== 405) return differs('405', `${answer.status}`, answer)
    return /\bGET\b/.test(answer.headers.allow ?? '')
      ? holds()
      : differs('Allow with GET', answer.headers.allow ?? 'no Allow', answer)
  }),
  writing('S 409', 'a sending of a mailing that is not approved', async workshop => {
    const answer = await unapproved(workshop)
    const value = String(answer.status)
    if (isSuccess(answer)) return as('3/3')
    if (!['409', '400', '422'].includes(value)) return differs('409', value, answer)
    return {
      is: 'observed',
      dial: 'not-ready-status',
      value,
      expected: '409',
      seen: value,
      evidence: [answer],
    }
  }),
  reading('S 410', 'a made-up cursor', async world => {
    const answer = await world.get('/mailings?cursor=made-up')
    const value = String(answer.status)
    if (!['410', '404', '400'].includes(value)) return differs('410', value, answer)
    return {
      is: 'observed',
      dial: 'stale-cursor-status',
      value,
      expected: '410',
      seen: value,
      evidence: [answer],
    }
  }),
  writing('S 413', 'a body of 2 MiB', async workshop => {
    const answer = await workshop.create(await workshop.draft(), { name: 'x'.repeat(2 << 20) })
    return answer.status === 413 ? holds() : differs('413', `${answer.status}`, answer)
  }),
  reading('S 429', 'answers beyond a limit', world => {
    const [met] = world.target.limited
    return met ? holds() : untestable('no limit was met')
  }),
  reading('S rate limit', 'the limit that answers name', world => {
    const found = limitOf(world)
    if (!found) return untestable('no answer names a limit')
    return found.limit === 600 ? holds() : as('8 rate limit')
  }),
  reading('S rate limit headers', 'X-RateLimit headers of all answers', world => {
    if (!limitOf(world)) return untestable('no answer names a limit')
    const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
    const known = world.target.exchanges.filter(it => it.status !== 401)
    const without = known.find(it => !names.every(name => /^\d+$/.test(it.headers[name] ?? '')))
    return without ? differs('all three headers', shown(Object.keys(without.headers)), without) : holds()
  }),
  outside('S 500', 'nobody outside can make the service stumble; scenarios of the mock do'),
]

/** A sending for a mailing without approved version, which must be refused. */
export const unapproved = (workshop: Workshop): Promise<Exchange> =>
  workshop.world.once('unapproved', async () => workshop.create(await workshop.draft(), {}))

/** Looks at refusals that are whole problems; in another form it comes to what `7 format` comes to. */
async function inFull(
  world: World,
  look: (errors: readonly Exchange[]) => Outcome | undefined,
): Promise<Outcome> {
  const all = (await refusals(world)).filter(isRefused)
  if (all.length === 0) return untestable('nothing was refused')
  return all.every(it => errorForm(it) === 'full') ? (look(all) ?? holds()) : as('7 format')
}
