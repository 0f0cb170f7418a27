import { type Exchange, mediaTypeOf } from '../exchange.ts'
import { isObject, member } from '../hal.ts'

/** The forms that the dial `error-body` knows, in words. */
export const errorForms = {
  full: 'problems with type and title',
  minimal: 'problems with title and status only',
  'plain-json': 'application/json with status, error and message',
  text: 'a line of plain text',
  empty: 'no body',
  another: 'another form',
} as const

/** Which form a refusal has. */
export function errorForm(exchange: Exchange): keyof typeof errorForms {
  const { json, text } = exchange
  const type = mediaTypeOf(exchange)
  const has = (...names: string[]) => names.every(name => member(json, name) !== undefined)
  if (text === '') return 'empty'
  if (type === 'text/plain') return 'text'
  if (!isObject(json)) return 'another'
  if (type === 'application/json' && has('status', 'error', 'message')) return 'plain-json'
  if (has('title', 'status') && !has('type') && !has('_links')) return 'minimal'
  return has('title') || has('type') ? 'full' : 'another'
}
