import type { z } from 'zod'
import { routes } from '../control/call-table.ts'
import { openApiDocument } from '../control/openapi.ts'
import type { ControlTools } from '../control/tools.ts'
import { capitalize } from '../rig/words.ts'
import type { PageCall } from './page-call.ts'
import { serviceBase } from './service-links.ts'

/** Nouns of calls that are about the mock as a whole. */
const mockNouns = new Set(['', 'health', 'reset', 'operations', 'openapi.json', 'control', 'ca.pem'])
const groupNames: Readonly<Record<string, string>> = { scenario: 'Scenarios', 'exam-cases': 'Exams' }

/** The group of a control call: the noun in its path, such as `/_mock/spaces/{space}/side-port`, for one space or for all. */
function controlGroupOf(path: string): string {
  const [noun = ''] = path.replace(/^\/_mock\/?(?:spaces\/\{space\}\/)?/, '').split('/')
  return mockNouns.has(noun) ? 'Mock' : (groupNames[noun] ?? capitalize(noun.replaceAll('-', ' ')))
}

/** What any part of a document may have. Ours are how certain a statement is, and which dials change it. */
export interface Part {
  readonly $ref?: string
  readonly description?: string
  readonly 'x-fidelity'?: string
  readonly 'x-dial'?: readonly string[]
}

/** JSON Schema with our extensions. */
export type Schema = z.core.JSONSchema.JSONSchema &
  Part & {
    readonly properties?: Readonly<Record<string, Schema>>
    readonly additionalProperties?: boolean | Schema
    readonly items?: Schema
    readonly anyOf?: readonly Schema[]
    readonly oneOf?: readonly Schema[]
  }

export interface Parameter extends Part {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
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

export interface Answer extends Part {
  readonly description: string
  readonly headers?: Readonly<Record<string, Part & { readonly schema?: Schema }>>
  readonly content?: Readonly<Record<string, Media>>
}

interface OpenApiOperation extends Part {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly description?: string; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly 'x-other-paths'?: readonly { readonly path: string }[]
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

/** The two APIs of a mock: the imitated service, and control for testers. */
export type ApiName = 'service' | 'control'

/** An OpenAPI document as the reference shows it. */
export type Api = ReturnType<typeof readApi>

export type Operation = Api['operations'][number]

/** @param source where the document itself is served, below `/_mock` */
function readApi(name: ApiName, source: string, document: OpenApi) {
  /** Resolves a reference within the document. */
  function resolved<Value extends Part>(value: Value): Value {
    if (value.$ref === undefined) return value
    const { $ref, ...beside } = value
    const found = $ref
      .slice(2)
      .split('/')
      .map(part => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], document)
    return resolved({ ...(found as Value), ...beside })
  }

  /** Names and values of an operation's parameters and of its bodies, those of errors left out: what a search finds. */
  function wordsOf({ parameters, requestBody, responses }: OpenApiOperation): string {
    const words = new Set<string>()
    const seen = new Set<unknown>()
    const collect = (within: unknown): void => {
      if (typeof within !== 'object' || within === null) return
      const { $ref } = within as Part
      if ($ref !== undefined && seen.has($ref)) return
      seen.add($ref)
      const { name, properties, enum: values, const: only, ...rest } = resolved(within as Schema & Parameter)
      for (const word of [name, ...Object.keys(properties ?? {}), ...(values ?? []), only])
        if (typeof word === 'string') words.add(word)
      for (const [key, value] of Object.entries({ ...rest, ...properties }))
        if (!key.startsWith('example')) collect(value)
    }
    const isGood = ([status]: [string, unknown]) => status.startsWith('2')
    collect([parameters, requestBody, Object.entries(responses).filter(isGood)])
    return [...words].join(' ').toLowerCase()
  }

  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, written]) => ({
      ...written,
      path,
      method: method.toUpperCase(),
      group: written.tags?.[0] ?? controlGroupOf(path),
      /** Other spellings of its path with the same responses. */
      aliases: written['x-other-paths']?.map(other => other.path) ?? [],
      words: wordsOf(written),
    })),
  )
  return { name, source, operations, resolved }
}

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
    readApi('service', '/openapi.json', JSON.parse(service)),
    readApi('control', '/control/openapi.json', control),
  ] as const
  lastRead.set(tools, { source, apis })
  return apis
}
