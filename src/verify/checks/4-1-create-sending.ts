import { type Entry, follows, outside, writing } from '../check.ts'
import { type Exchange, isRefused, isSuccess } from '../exchange.ts'
import { member, shown, text } from '../hal.ts'
import { differs, holds, type Outcome, untestable } from '../outcome.ts'
import { farDate, type Workshop } from '../workshop.ts'
import { unknownId } from '../world.ts'

const onPlatform = 'what arrives on the platform shows in no answer'
const needsTrouble = 'nobody outside can make the service stumble; scenarios of the mock do'

/** Section 4.1: creating a sending. */
export const createSending: readonly Entry[] = [
  writing('4.1', 'POST on the sendings of a synchronization', async workshop => {
    const exchange = await firstAnswer(workshop)
    return isSuccess(exchange) ? holds() : differs('a sending', `${exchange.status}`, exchange)
  }),
  writing('4.1 id', 'POST on the sendings of an unknown synchronization', async workshop => {
    const answer = await workshop.post(workshop.sendingsPath({ id: unknownId }), { scheduleDate: farDate })
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  }),
  writing('4.1 empty body', 'a sending with an empty object as body', async workshop => {
    if (!workshop.sendTo) return untestable('it would go out at once: name a list with --send-to')
    const own = await workshop.ready()
    const answer = await workshop.post(workshop.sendingsPath(own), {})
    workshop.keep(answer, own)
    if (!isSuccess(answer)) return differs('a sending', `${answer.status}`, answer)
    const date = member(answer.json, 'scheduleDate')
    return date === null || date === undefined
      ? holds()
      : differs('scheduleDate null, since it is sent at once', shown(date), answer)
  }),
  writing('4.1 scheduleDate', 'the scheduleDate of a sending', async workshop => {
    const { exchange } = await workshop.first()
    const date = text(exchange.json, 'scheduleDate')
    const isSame = date !== undefined && Date.parse(date) === Date.parse(farDate)
    return isSame ? holds() : differs(farDate, shown(member(exchange.json, 'scheduleDate')), exchange)
  }),
  outside('4.1 name', onPlatform),
  outside('4.1 subject', onPlatform),
  writing('4.1 transactionId', 'five simultaneous requests with one transaction ID', async workshop => {
    const own = await workshop.ready()
    const transactionId = workshop.transactionId()
    const body = { transactionId, scheduleDate: farDate }
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => workshop.post(workshop.sendingsPath(own), body)),
    )
    const made = answers.filter(isSuccess)
    if (made.length === 0) return untestable(`creating a sending was answered ${answers[0]!.status}`)
    workshop.keep(made[0]!, own)
    const ids = new Set(made.map(it => text(it.json, 'id')))
    return ids.size === 1
      ? holds()
      : differs('one sending', `${ids.size} sendings: ${[...ids].join(', ')}`, ...made)
  }),
  writing('4.1 response', 'the answer to creating a sending beside the sending itself', async workshop => {
    const { exchange, id, transactionId, synchronization } = await workshop.first()
    if (member(exchange.json, 'transactionId') !== transactionId)
      return differs(
        `transactionId ${transactionId}`,
        shown(member(exchange.json, 'transactionId')),
        exchange,
      )
    const read = await workshop.world.sending(synchronization.id, id)
    if (!isSuccess(read)) return untestable(`reading the sending was answered ${read.status}`)
    const [told, kept] = [exchange, read].map(it => member(it.json, 'creationDate'))
    return told === kept
      ? holds()
      : differs(`the sending, created ${shown(kept)}`, `creationDate ${shown(told)}`, exchange, read)
  }),
  outside('4.1/1', 'whether work goes on behind an answer shows in no answer'),
  outside('4.1/2', onPlatform),
  writing('4.1/3', 'two sendings without a transaction ID', async workshop => {
    const own = await workshop.ready()
    const answers = [await workshop.create(own, {}), await workshop.create(own, {})]
    const failed = answers.find(it => !isSuccess(it))
    if (failed) return differs('a sending', `${failed.status}`, failed)
    const [one, other] = answers.map(it => text(it.json, 'id'))
    return one !== other ? holds() : differs('two sendings', `one, ${shown(one)}`, ...answers)
  }),
  writing('4.1/4', 'status and Location of a sending that was created', async workshop => {
    const { exchange, id } = await workshop.first()
    if (exchange.status !== 201) return differs('201', `${exchange.status}`, exchange)
    const { location } = exchange.headers
    if (location === undefined) return differs('a Location', 'none', exchange)
    const read = await workshop.world.target.get(location)
    const isThere = isSuccess(read) && member(read.json, 'id') === id
    return isThere
      ? holds()
      : differs('a Location that leads to the sending', `${location}: ${read.status}`, exchange, read)
  }),
  writing('4.1/5', 'a repeated transaction ID', async workshop => {
    const { id } = await workshop.first()
    const answer = await workshop.repeated()
    if (answer.status !== 200) return differs('200', `${answer.status}`, answer)
    return member(answer.json, 'id') === id
      ? holds()
      : differs(`sending ${id}`, shown(member(answer.json, 'id')), answer)
  }),
  writing('4.1/6', 'a mistake beside a transaction ID', async workshop => {
    const answer = await workshop.create(await workshop.ready(), {
      transactionId: workshop.transactionId(),
      name: 5,
    })
    return isRefused(answer)
      ? holds()
      : differs('a 4xx for a name that is no text', `${answer.status}`, answer)
  }),
  outside('4.1/7', needsTrouble),
  outside('4.1/8', needsTrouble),
  writing('4.1/9', 'what differs in a repeat', async workshop => {
    const { exchange } = await workshop.first()
    const answer = await workshop.repeated()
    if (!isSuccess(answer)) return untestable('repeats are refused, as 4.1/5 tells')
    const [first, again] = [exchange, answer].map(it => member(it.json, 'scheduleDate'))
    return first === again ? holds() : differs(`scheduleDate ${shown(first)}, as first`, shown(again), answer)
  }),
  outside('4.1/10', needsTrouble),

  follows('7 201', '4.1/4'),
  follows('7 200', '4.1/5'),
  follows('7 4xx', '4.1/6'),
  outside('7 500', needsTrouble),
  outside('7 repeat', needsTrouble),
  writing('7/2', 'a scheduleDate in the past', async workshop => {
    const past = '2001-01-01T00:00:00Z'
    const { synchronization, transactionId, id } = await workshop.first()
    const fresh = await workshop.create(synchronization, {
      transactionId: workshop.transactionId(),
      scheduleDate: past,
    })
    if (!isRefused(fresh)) return differs('a 4xx', `${fresh.status}`, fresh)
    const known = await workshop.create(synchronization, { transactionId, scheduleDate: past })
    return isSuccess(known)
      ? holds()
      : differs(`sending ${id} for a known transaction ID`, `${known.status}`, known)
  }),
  follows('7/3', '8 transactionId length', '8 transactionId characters'),
  writing('8 transactionId length', 'transaction IDs of 0, 1, 100 and 101 characters', async workshop => {
    const lengths = [100, 101, 0, 1]
    return await transactions(
      workshop,
      lengths.map(length => ({
        id: workshop.transactionId().padEnd(length, 'x').slice(0, length) || '',
        isTaken: length === 100 || length === 1,
      })),
    )
  }),
  writing('8 transactionId characters', 'transaction IDs of all characters', async workshop => {
    const id = workshop.transactionId()
    return transactions(workshop, [
      { id: `${id}:A-z_0.9`, isTaken: true },
      { id: `${id} blank`, isTaken: false },
      { id: `${id}/slash`, isTaken: false },
      { id: `${id}é`, isTaken: false },
    ])
  }),
  outside('8 PENDING window', needsTrouble),
  outside('8 recreate attempts', needsTrouble),
]

const firstAnswer = (workshop: Workshop): Promise<Exchange> =>
  workshop.first().then(
    ({ exchange }) => exchange,
    async error => {
      const path = workshop.sendingsPath(await workshop.ready())
      const asked = workshop.world.target.exchanges.findLast(
        it => it.method === 'POST' && it.url.endsWith(path),
      )
      if (!asked) throw error
      return asked
    },
  )

async function transactions(
  workshop: Workshop,
  tried: readonly { readonly id: string; readonly isTaken: boolean }[],
): Promise<Outcome> {
  const own = await workshop.ready()
  for (const { id, isTaken } of tried) {
    const answer = await workshop.create(own, { transactionId: id })
    const isRight = isTaken ? isSuccess(answer) : isRefused(answer)
    if (!isRight)
      return differs(
        `${isTaken ? 'a sending' : 'a 4xx'} for transactionId ${shown(id)}`,
        `${answer.status}`,
        answer,
      )
  }
  return holds()
}
