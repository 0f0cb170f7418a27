import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import type { DialValues } from './dials.ts'
import { halType } from './hal.ts'
import { type Json, withUnknownMembers } from './unknown-members.ts'

/** Whether a dial asks for answers in another form than ours. */
export const isRetold = (dials: DialValues): boolean =>
  dials['success-media-type'] !== 'charset' ||
  dials['location-form'] !== 'absolute' ||
  dials['links-form'] !== 'absolute' ||
  dials.curies !== 'where-used' ||
  dials['unknown-members'] !== 'none'

/** The same answer in the form that the dials ask for: its headers, its links, and members beside its own. */
export function retold(answer: Answer, { space, links, dials }: Call): Answer {
  const headers = headersOf(answer.headers, links.base, dials)
  const type = headers['Content-Type'] ?? ''
  if (answer.body.length === 0 || !type.includes('json')) return { ...answer, headers }
  const isHal = answer.status < 400
  const document = JSON.parse(String(answer.body)) as Json
  if (isHal && dials.curies === 'everywhere') addCuries(document, links.curies())
  if (isHal && dials['links-form'] === 'path') shortenLinks(document, links.base)
  const body =
    dials['unknown-members'] === 'present'
      ? withUnknownMembers(document, (...purpose) => space.chance.fraction('unknown members', ...purpose))
      : document
  return { ...answer, headers, body: JSON.stringify(body) }
}

/** The media type of success, to the letter. */
export const mediaTypes: Record<DialValues['success-media-type'], string> = {
  charset: halType,
  bare: 'application/hal+json',
  spaced: 'application/hal+json; charset=utf-8',
}

function headersOf(headers: Answer['headers'], base: string, dials: DialValues): Record<string, string> {
  const told = { ...headers }
  if (told['Content-Type'] === halType) told['Content-Type'] = mediaTypes[dials['success-media-type']]
  if (told.Location !== undefined && dials['location-form'] === 'path')
    told.Location = pathOf(told.Location, base)
  return told
}

/** Every object with links, the embedded ones too. */
function* linking(json: Json): Generator<{ [rel: string]: Json }> {
  if (typeof json !== 'object' || json === null) return
  for (const [name, value] of Object.entries(json)) {
    if (name === '_links' && typeof value === 'object' && value !== null && !Array.isArray(value)) yield value
    else yield* linking(value)
  }
}

function addCuries(document: Json, curies: readonly object[]): void {
  for (const rels of linking(document)) rels.curies ??= structuredClone(curies) as Json
}

/** Links to the service itself by their path; pages and documentation are on other hosts and keep theirs. */
function shortenLinks(document: Json, base: string): void {
  for (const rels of linking(document))
    for (const link of Object.values(rels)) {
      const { href } = link as { href?: string }
      if (href?.startsWith(base) && !href.startsWith(`${base}/_mock/`))
        (link as { href: string }).href = pathOf(href, base)
    }
}

/** An address below the base without its scheme and host. */
const pathOf = (address: string, base: string): string => {
  const pathAt = base.indexOf('/', base.indexOf('//') + 2)
  return address.slice(pathAt < 0 ? base.length : pathAt)
}
