import type { DialValues } from '../../service/dials.ts'
import { problemKinds } from '../../service/problem-kinds.ts'
import type { Json } from './deployment.ts'
import { limitHeaders } from './limit-headers.ts'
import { point, told } from './points.ts'
import {
  clauseOfProblem,
  clauseOfStatus,
  problemContent,
  problemSchemaName,
  type ServiceProblem,
} from './problems.ts'

export interface Refused {
  readonly status: number
  /** What it can tell of. */
  readonly names: readonly ServiceProblem[]
  readonly shown: Json | undefined
  /** The clause that speaks of this very answer, if one does. */
  readonly clause?: string | undefined
  /** Whether its schemas stand in it, where nothing else refers to them. */
  readonly isWhole?: boolean
}

/** An answer with an error status. */
export function refusal({ status, names, shown, isWhole = false, ...its }: Refused, dials: DialValues): Json {
  const usual = names.length === 1 ? clauseOfProblem[names[0]!] : clauseOfStatus[status]
  const { clause = usual } = its
  const schemas = new Map<string, Json[]>()
  for (const name of names) {
    const content = problemContent(name, status, dials)
    if (!content) continue
    const schema = isWhole ? content.schema : { $ref: `#/components/schemas/${problemSchemaName(name)}` }
    schemas.set(content.type, [...(schemas.get(content.type) ?? []), schema])
  }
  const content = [...schemas].map(([type, all]) => {
    const schema = all.length === 1 ? all[0]! : { anyOf: all }
    return [type, { schema, ...(shown && { examples: shown }) }]
  })
  return {
    description: names.map(name => `${problemKinds[name].title}: ${problemKinds[name].meaning}`).join('\n\n'),
    ...(clause !== undefined && point(clause)),
    headers: headersOf(names),
    ...(content.length > 0 && { content: Object.fromEntries(content) }),
  }
}

function headersOf(names: readonly ServiceProblem[]): Json {
  const text = { type: 'string' }
  const [name] = names
  // Refused before the space is known whose requests are counted.
  if (name === 'unauthorized')
    return { 'WWW-Authenticate': { description: 'Basic, and a realm.', required: true, schema: text } }
  if (name === 'misdirected-request' || name === 'malformed-target') return {}
  if (name === 'method-not-allowed')
    return { Allow: { ...told('S 405'), required: true, schema: text }, ...limitHeaders }
  return limitHeaders
}
