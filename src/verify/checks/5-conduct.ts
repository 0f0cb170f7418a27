import { type Entry, follows, outside, reading } from '../check.ts'
import { type Exchange, isSuccess } from '../exchange.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import type { World } from '../world.ts'
import { errorForm, errorForms } from './error-form.ts'
import { oddLinks } from './self-links.ts'

const onePair = 'verify is given one pair of credentials'

/** Sections 5 to 9: credentials, events, errors, limits, versions. */
export const conduct: readonly Entry[] = [
  reading('5/1', 'the right password and a wrong one', async world => {
    const wrong = await world.target.get('/mailings', { as: 'a stranger' })
    return isSuccess(wrong) ? differs('no answer for a wrong password', `${wrong.status}`, wrong) : holds()
  }),
  outside('5/2', `${onePair}, of one space`),
  outside('5/3', onePair),
  outside('6', 'that nobody is called cannot be seen by asking'),
  reading('7 format', 'bodies of refusals', async world => {
    const errors = await refusals(world)
    const forms = new Map(errors.map(it => [errorForm(it), it]))
    const odd = forms.get('another')
    if (odd)
      return differs('application/problem+json', `${odd.headers['content-type'] ?? 'no Content-Type'}`, odd)
    const [value, evidence] = [...forms][0] ?? []
    if (value === undefined || !evidence) return untestable('nothing was refused')
    const [, other] = [...forms]
    if (other) return differs('one form of all refusals', `${value} and ${other[0]}`, evidence, other[1])
    return {
      is: 'observed',
      dial: 'error-body',
      value,
      expected: 'problems with type and title',
      seen: errorForms[value as keyof typeof errorForms],
      evidence: [evidence],
    }
  }),
  follows('7 other failures', 'S 400', 'S 404', 'S 401'),
  reading('8 IDs in the id filter', 'mailings by 50 and by 51 IDs', async world => {
    const ids = (count: number) =>
      Array.from({ length: count }, (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`)
    const most = await world.get(`/mailings?id=${ids(50).join(',')}`)
    if (!isSuccess(most)) return differs('200 for 50 IDs', `${most.status}`, most)
    const more = await world.get(`/mailings?id=${ids(51).join(',')}`)
    return more.status >= 400 && more.status < 500
      ? holds()
      : differs('a 4xx for 51 IDs', `${more.status}`, more)
  }),
  reading('8 pageSize default', 'mailings without pageSize', async world => {
    const { exchange, items, next } = await world.mailings()
    const isWhole = next === undefined ? items.length <= 1000 : items.length === 1000
    return isWhole
      ? holds(next === undefined ? `all ${items.length} mailings came in one page` : undefined)
      : differs('1000 mailings in a page', `${items.length}`, exchange)
  }),
  reading('8 rate limit', 'headers of all answers', world => rateLimit(world)),
  reading('9', 'paths of links', async world => {
    const { first, isToldAsSelf } = await oddLinks(world, '9')
    if (first) return differs('no version in paths', first.path, first.from)
    return isToldAsSelf ? as('2 self') : holds()
  }),
]

/** Answers to what is refused, whoever asks. */
export const refusals = async (world: World): Promise<Exchange[]> =>
  world.once('refusals', async () => {
    const all = [
      await world.get(world.synchronizationPath('00000000-0000-4000-8000-00000000dead')),
      await world.get('/mailings?pageSize=0'),
      await world.get('/mailings?hasDraft=false&isApproved=false'),
    ]
    return all.filter(it => it.status >= 400)
  })

/** The limit that the answers name, undefined without one. */
export function limitOf(world: World): { limit: number; from: Exchange } | undefined {
  const from = world.target.exchanges.find(it => it.headers['x-ratelimit-limit'] !== undefined)
  return from && { limit: Number(from.headers['x-ratelimit-limit']), from }
}

function rateLimit(world: World): Outcome {
  const found = limitOf(world)
  const [met] = world.target.limited
  if (!found) {
    if (met) return differs('no limit', '429 without X-RateLimit headers', met)
    return {
      is: 'observed',
      dial: 'rate-limit',
      value: 'off',
      expected: 'no limit',
      seen: 'no limit',
      evidence: [],
    }
  }
  const { limit, from } = found
  const seen = `${limit} requests, told in X-RateLimit headers`
  const expected = 'no limit'
  if (limit === 60 || limit === 600)
    return { is: 'observed', dial: 'rate-limit', value: String(limit), expected, seen, evidence: [from] }
  if (!Number.isInteger(limit) || limit < 1) return differs(expected, `X-RateLimit-Limit ${limit}`, from)
  return { is: 'set', setting: 'rateLimit', value: limit, expected, seen, evidence: [from] }
}
