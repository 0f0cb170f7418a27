import type { Entry } from '../check.ts'
import { isObject } from '../hal.ts'
import { aDateTime, aNumber, aString, field, having, link } from './fields.ts'

const kind = 'mailing-upload'

/** Section 2.4: mailing-uploads. */
export const mailingUpload: readonly Entry[] = [
  field('2.4 id', kind, 'id', aString),
  field('2.4 creationDate', kind, 'creationDate', aDateTime),
  field('2.4 modificationDate', kind, 'modificationDate', aDateTime),
  field('2.4 target', kind, 'target', { words: 'an object', fits: isObject }),
  field('2.4 target.mailingId', kind, 'target.mailingId', aNumber, having('target')),
  link('2.4 _links', kind, 'self'),
]
