import { type Entry, reading } from '../check.ts'
import { linkOf, shown } from '../hal.ts'
import { differs, holds } from '../outcome.ts'
import { aNumber, aString, field, nothingSeen } from './fields.ts'

/** Sections 2.6 to 2.8: previews, test profiles and test-mail groups. */
export const previewAndRecipients: readonly Entry[] = [
  field('2.6 htmlContent', 'preview', 'htmlContent', aString),
  field('2.6 textContent', 'preview', 'textContent', aString),
  field('2.6 subject', 'preview', 'subject', aString),
  reading('2.6 _links', 'the self link of every preview', world => {
    const all = world.sightings.of('preview')
    for (const { value, from } of all) {
      const self = linkOf(value, 'self')
      const isTemplate = self?.templated === true && /\{.*testProfileId.*\}|\{.*kind.*\}/.test(self.href)
      if (!isTemplate) return differs('a templated self link', shown(self), from)
    }
    return all.length === 0 ? nothingSeen('preview') : holds()
  }),
  field('2.7 id', 'test profile', 'id', aNumber),
  field('2.7 description', 'test profile', 'description', aString),
  field('2.8 id', 'test-mail group', 'id', aNumber),
  field('2.8 name', 'test-mail group', 'name', aString),
  field('2.8 emails', 'test-mail group', 'emails', {
    words: 'an array of e-mail addresses',
    fits: it =>
      Array.isArray(it) && it.every(one => typeof one === 'string' && /^[^@\s]+@[^@\s]+$/.test(one)),
  }),
]
