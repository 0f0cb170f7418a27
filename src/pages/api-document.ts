import type { z } from 'zod'
import { openApiDocument } from '../control/openapi.ts'
import { routes } from '../control/routes.ts'
import type { ControlTools } from '../control/tools.ts'
import { groupBy } from '../judge/grouping.ts'
import { capitalize } from '../rig/words.ts'
import { getOrMake } from '../store/maps.ts'
import type { PageCall } from './page.ts'
import { serviceBase } from './service-links.ts'

/** Groups whose name is not simply the noun in the path. */
const groupNames: Readonly<Record<string, string>> = {
  '': 'Mock',
  health: 'Mock',
  reset: 'Mock',
  operations: 'Mock',
  'openapi.json': 'Mock',
  control: 'Mock',
  'ca.pem': 'Mock',
  scenario: 'Scenarios',
  'exam-cases': 'Exams',
}

/**
 * The group of a control call: the noun in its path, for one space or for all.
 * @param path as in the document, such as `/_mock/spaces/{space}/side-port`
 */
function controlGroupOf(path: string): string {
  const [noun = ''] = path.replace(/^\/_mock\/?(?:spaces\/\{space\}\/)?/, '').split('/')
  return groupNames[noun] ?? capitalize(noun.replaceAll('-', ' '))
}

/** Our extensions of OpenAPI: how certain a statement is, and which dials change it. */
export interface FidelityNote {
  readonly 'x-fidelity'?: string
  readonly 'x-dial'?: readonly string[]
}

/** JSON Schema with our extensions. */
export type Schema = z.core.JSONSchema.JSONSchema &
  FidelityNote & {
    readonly properties?: Readonly<Record<string, Schema>>
    readonly additionalProperties?: boolean | Schema
    readonly items?: Schema
    readonly anyOf?: readonly Schema[]
    readonly oneOf?: readonly Schema[]
  }

export interface Parameter extends FidelityNote {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly description?: string
  /** False when several values are one parameter, separated by commas. */
  readonly explode?: boolean
  readonly schema: Schema
  readonly example?: unknown
}

/** A body of one media type. */
export interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}

interface Header extends FidelityNote {
  readonly $ref?: string
  readonly description?: string
  readonly schema?: Schema
}

export interface Answer extends FidelityNote {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, Media>>
}

interface OpenApiOperation extends FidelityNote {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly 'x-other-paths'?: readonly { readonly path: string }[]
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

/** An operation with its method, path and group. */
export interface Operation extends OpenApiOperation {
  readonly method: string
  readonly path: string
  readonly group: string
  /** Other spellings of its path with the same responses. */
  readonly aliases: readonly string[]
}

/** The two APIs of a mock: the imitated service, and control for testers. */
export type ApiName = 'service' | 'control'

/** An OpenAPI document as the reference shows it. */
export class Api {
  readonly name: ApiName
  /** Where the document itself is served, below `/_mock`. */
  readonly source: string
  /** Operations by group, both in the order of the document. */
  readonly groups: ReadonlyMap<string, readonly Operation[]>
  readonly #document: OpenApi
  readonly #words = new Map<Operation, string[]>()

  constructor(name: ApiName, source: string, document: OpenApi) {
    this.name = name
    this.source = source
    this.#document = document
    this.groups = groupBy(operationsOf(document), it => it.group)
  }

  operation(id: string): Operation | undefined {
    return [...this.groups.values()].flat().find(({ operationId }) => operationId === id)
  }

  /** Names and values of an operation's parameters and of its bodies, those of errors left out: what a search finds. */
  words(operation: Operation): string[] {
    return getOrMake(this.#words, operation, () => this.#findWords(operation))
  }

  #findWords({ parameters, requestBody, responses }: Operation): string[] {
    const words = new Set<string>()
    const seen = new Set<unknown>()
    const collect = (within: unknown): void => {
      if (typeof within !== 'object' || within === null) return
      const { $ref } = within as { $ref?: string }
      if ($ref !== undefined && seen.has($ref)) return
      seen.add($ref)
      const resolved = this.resolved(within as Schema & Parameter)
      const { name, properties, enum: values, const: only, ...rest } = resolved
      for (const word of [name, ...Object.keys(properties ?? {}), ...(values ?? []), only])
        if (typeof word === 'string') words.add(word)
      for (const [key, value] of Object.entries({ ...rest, ...properties }))
        if (!key.startsWith('example')) collect(value)
    }
    const isGood = ([status]: [string, unknown]) => status.startsWith('2')
    collect([parameters, requestBody, Object.entries(responses).filter(isGood)])
    return [...words]
  }

  /** Resolves a reference within the document. */
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

const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]) => ({
      ...written,
      path,
      method: method.toUpperCase(),
      group: written.tags?.[0] ?? controlGroupOf(path),
      aliases: written['x-other-paths']?.map(other => other.path) ?? [],
    })),
  )

/** What was read last of each mock's documents: every page of an operation shows the whole index. */
const lastRead = new WeakMap<ControlTools, { source: string; apis: readonly [Api, Api] }>()

/** Both APIs of this mock, the service first. */
export async function loadApis(call: PageCall): Promise<readonly [Api, Api]> {
  const { tools, base } = call
  const service = await tools.serviceDescription(serviceBase(call), tools.rigs.defaultDials)
  const source = base + service
  const last = lastRead.get(tools)
  if (last?.source === source) return last.apis
  const control = openApiDocument(routes, base, tools.isProtected) as unknown as OpenApi
  const apis = [
    new Api('service', '/openapi.json', JSON.parse(service)),
    new Api('control', '/control/openapi.json', control),
  ] as const
  lastRead.set(tools, { source, apis })
  return apis
}
