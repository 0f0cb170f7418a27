import { openApiDocument } from '../../rig/control/openapi.ts'
import type { Tools } from '../../rig/control/route.ts'
import { routes } from '../../rig/control/routes.ts'
import type { PageCall } from '../page.ts'
import { serviceBase } from '../service-address.ts'
import { controlGroup } from './groups.ts'

/** What is said of a point beyond OpenAPI: how sure we are of it, and which dials turn it. */
export interface Point {
  readonly 'x-fidelity'?: string
  readonly 'x-dial'?: readonly string[]
}

/** JSON Schema, as far as it is shown. */
export interface Schema extends Point {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly format?: string
  readonly pattern?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

export interface Parameter extends Point {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly description?: string
  /** False where several values stand in one, with commas. */
  readonly explode?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

/** One body that can be sent or received. */
export interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

export interface Body extends Point {
  readonly description?: string
  readonly required?: boolean
  readonly content: Readonly<Record<string, Media>>
}

export interface Header extends Point {
  readonly $ref?: string
  readonly description?: string
  readonly schema?: Schema
}

export interface Answer extends Point {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, Media>>
}

/** An operation as an OpenAPI document has it. */
interface Written extends Point {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Answer>>
  readonly 'x-alias-of'?: string
}

interface OpenApi {
  readonly info: { readonly title: string; readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Written>>>>
}

/** An operation with what its place in the document says of it. */
export interface Operation extends Written {
  readonly method: string
  readonly path: string
  readonly group: string
  /** Other spellings of its path that are answered alike. */
  readonly aliases: readonly string[]
}

/** Which of the two a mock has: what it imitates, and what it adds for a tester. */
export type ApiName = 'service' | 'control'

/** An OpenAPI document as the reference shows it. */
export class Api {
  readonly name: ApiName
  readonly title: string
  readonly description: string
  /** Where the document itself stands, below `/_mock`. */
  readonly source: string
  /** Operations by group, both in the order of the document. */
  readonly groups: ReadonlyMap<string, readonly Operation[]>
  readonly #document: OpenApi

  constructor(name: ApiName, source: string, document: OpenApi) {
    this.name = name
    this.source = source
    this.title = document.info.title
    this.description = document.info.description
    this.#document = document
    this.groups = grouped(operationsOf(document))
  }

  operation(id: string): Operation | undefined {
    return this.operations().find(({ operationId }) => operationId === id)
  }

  operations(): Operation[] {
    return [...this.groups.values()].flat()
  }

  /** What is meant where a document refers to another place in it. */
  resolved<Value extends { readonly $ref?: string }>(value: Value): Value {
    if (value.$ref === undefined) return value
    const { $ref, ...beside } = value
    const found = $ref
      .slice(2)
      .split('/')
      .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], this.#document)
    return this.resolved({ ...(found as Value), ...beside })
  }
}

function operationsOf({ paths }: OpenApi): Operation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]) => ({ path, method: method.toUpperCase(), written })),
  )
  const aliasesOf = (id: string) =>
    all.filter(({ written }) => written['x-alias-of'] === id).map(({ path }) => path)
  return all
    .filter(({ written }) => written['x-alias-of'] === undefined)
    .map(({ path, method, written }) => ({
      ...written,
      path,
      method,
      group: written.tags?.[0] ?? controlGroup(path),
      aliases: aliasesOf(written.operationId),
    }))
}

function grouped(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>()
  for (const it of operations) groups.set(it.group, [...(groups.get(it.group) ?? []), it])
  return groups
}

/** Both APIs as they are on this mock: what it imitates first. */
export async function apisOf(call: PageCall): Promise<readonly [Api, Api]> {
  const { tools } = call
  return [
    new Api('service', '/openapi.json', await serviceDocument(call)),
    new Api('control', '/control/openapi.json', controlDocument(call.base, tools)),
  ]
}

const serviceDocument = async (call: PageCall): Promise<OpenApi> =>
  JSON.parse(await call.tools.serviceDescription(serviceBase(call), call.tools.rigs.usualDials))

const controlDocument = (base: string, { isProtected }: Tools) =>
  openApiDocument(routes, base, isProtected) as unknown as OpenApi
