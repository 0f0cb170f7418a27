import { type Entry, follows, reading } from '../check.ts'
import { isSuccess } from '../exchange.ts'
import { hrefOf, isObject, linkOf, member, shown, text } from '../hal.ts'
import { as, differs, holds, untestable } from '../outcome.ts'
import {
  aBoolean,
  aDateTime,
  aNumber,
  aString,
  field,
  having,
  link,
  nothingSeen,
  orNull,
  type Those,
} from './fields.ts'
import { pathOf } from './self-links.ts'
import { tellerOf } from './service-links.ts'

const kind = 'synchronization'
const has = (flag: string): Those => ({
  words: `has ${flag} true`,
  are: it => String(member(it.value, flag)) === 'true',
})
const withTarget = having('target')

/** Section 2.2: mailing synchronizations. */
export const synchronization: readonly Entry[] = [
  field('2.2 id', kind, 'id', aString),
  field('2.2 creationDate', kind, 'creationDate', aDateTime),
  field('2.2 modificationDate', kind, 'modificationDate', aDateTime),
  field('2.2 mailingId', kind, 'mailingId', aString),
  reading('2.2 mailingName', 'mailingName beside the name of the mailing', async world => {
    const { items } = await world.mailings()
    const names = new Map(items.map(it => [member(it, 'id'), member(it, 'name')]))
    const listed = world.sightings.of(kind)
    for (const { value, from } of listed) {
      const name = member(value, 'mailingName')
      if (typeof name !== 'string') return differs('mailingName: a string', shown(name), from)
      const known = names.get(member(value, 'mailingId'))
      if (typeof known === 'string' && known !== name)
        return differs(`the mailing's name ${shown(known)}`, shown(name), from)
    }
    return listed.length === 0 ? nothingSeen(kind) : holds()
  }),
  field('2.2 approvedMailingName', kind, 'approvedMailingName', orNull(aString)),
  field('2.2 readyForSending', kind, 'readyForSending', aBoolean),
  field('2.2 mailingHasDraft', kind, 'mailingHasDraft', aBoolean),
  field('2.2 mailingIsApproved', kind, 'mailingIsApproved', aBoolean),
  field('2.2 target', kind, 'target', { words: 'an object', fits: isObject }),
  field('2.2 target.customer', kind, 'target.customer', aString, withTarget),
  field('2.2 target.listId', kind, 'target.listId', aNumber, withTarget),
  field('2.2 target.listName', kind, 'target.listName', aString, withTarget),
  field('2.2 mailingUploadsModificationDate', kind, 'mailingUploadsModificationDate', orNull(aDateTime)),
  reading('2.2 sendingsModificationDate', 'sendingsModificationDate beside the sendings', async world => {
    const form = orNull(aDateTime)
    const all = world.sightings.of(kind)
    for (const sighting of all) {
      const value = member(sighting.value, 'sendingsModificationDate')
      if (value !== undefined && !form.fits(value, sighting))
        return differs(`sendingsModificationDate: ${form.words}`, shown(value), sighting.from)
    }
    for (const { value, from } of all.filter(it => !it.isItem && it.synchronization === undefined)) {
      if (member(value, 'sendingsModificationDate') !== null) continue
      const { exchange, items } = await world.sendings(String(member(value, 'id')), '?includeAllStates=true')
      if (items.length > 0) return differs('null only until the first sending', 'null', from, exchange)
    }
    return all.length === 0 ? nothingSeen(kind) : holds()
  }),
  follows(
    '2.2 _links',
    '2.2 self',
    '2.2 mailing-editor',
    '2.2 mailing-preview-draft',
    '2.2 mailing-preview-approved',
    '2.2 sendings',
    '2.2 mailing-uploads',
  ),
  link('2.2 self', kind, 'self'),
  link('2.2 mailing-editor', kind, 'mailing-editor'),
  link('2.2 mailing-preview-draft', kind, 'mailing-preview-draft', has('mailingHasDraft')),
  link('2.2 mailing-preview-approved', kind, 'mailing-preview-approved', has('mailingIsApproved')),
  reading('2.2 sendings', 'the link sendings, followed', async world => {
    const all = world.sightings.of(kind)
    const without = all.find(it => linkOf(it.value, 'sendings') === undefined)
    if (without) return differs('a link sendings', 'none', without.from)
    const some = all.filter(it => !it.isItem).slice(0, 2)
    for (const { value, from } of some) {
      const href = hrefOf(value, 'sendings')!
      const answer = await world.get(href)
      if (isSuccess(answer)) continue
      const teller = tellerOf(pathOf(world, href), world.segment)
      if (teller) return as(teller)
      const id = String(member(value, 'id'))
      const { exchange } = await world.sendings(id)
      // What stands at no address at all is told by 4.3.
      if (!isSuccess(exchange) && (await world.chosen()).includes(id)) return as('4.3')
      return differs('a link that resolves', `${answer.status}`, from, answer)
    }
    return all.length === 0 ? nothingSeen(kind) : holds()
  }),
  reading('2.2 mailing-uploads', 'the link mailing-uploads, followed', async world => {
    const uploaded = world.sightings
      .of(kind)
      .filter(
        it =>
          text(it.value, 'mailingUploadsModificationDate') !== undefined &&
          text(it.value, 'id') !== undefined,
      )
    if (uploaded.length === 0) return untestable('nothing has been uploaded yet')
    for (const { value, from } of uploaded.slice(0, 4)) {
      const href = hrefOf(value, 'mailing-uploads')
      if (href === undefined) return differs('a link mailing-uploads', 'none', from)
      const answer = await world.get(href)
      const latest = await world.upload(String(member(value, 'id')), 'latest')
      const teller = tellerOf(pathOf(world, href), world.segment)
      if (!isSuccess(answer) && teller) return as(teller)
      if (!isSuccess(answer) || member(answer.json, 'id') !== member(latest.json, 'id'))
        return differs(
          'a link to the latest mailing-upload',
          `${href}: ${answer.status}`,
          from,
          answer,
          latest,
        )
    }
    return holds()
  }),
]
