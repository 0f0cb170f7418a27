import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Deployment } from '../../src/contract/openapi/deployment.ts'
import { serviceDocument } from '../../src/contract/openapi/document.ts'
import type { Answer } from '../../src/service/answer.ts'
import type { DialValues } from '../../src/service/dials.ts'
import type { Names } from '../../src/service/links.ts'
import { type Operation, operations } from '../../src/service/operations.ts'
import { operationAt, pathsOf } from '../../src/service/recognise.ts'

type Json = { readonly [member: string]: Json }

/** Headers of the transport, which OpenAPI leaves out. */
const transport = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
])

/** The service as its OpenAPI document describes it, to hold answers against: nothing undescribed passes. */
export class Description {
  readonly #document: Json
  readonly #segment: string
  // What is not asked for costs nothing: neither the document nor the code made from it is gone over twice.
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(deployment: Deployment) {
    // A JSON round makes it a tree: what is closed in one place must not be so in another.
    const document = JSON.parse(JSON.stringify(serviceDocument(deployment, 'http://localhost')))
    if (deployment.dials['unknown-members'] === 'none') close(document)
    this.#document = document
    this.#segment = deployment.names.platformSegment
    formats.default(this.#ajv)
    this.#ajv.addSchema(document, 'document')
  }

  /**
   * What of an answer the document does not describe, in sentences; none if it describes all of it.
   * @param target path and query of the request
   */
  undescribed(method: string, target: string, answer: Answer): string[] {
    const told = this.#responseAt(method, target, answer.status)
    if (!told) return [`status ${answer.status} is not described`]
    const { response, pointer } = told
    return [...this.#headers(response, answer), ...this.#body(response, pointer, method, answer)]
  }

  #responseAt(method: string, target: string, status: number) {
    const path = target.replace(/\?.*/s, '')
    const recognised = operationAt(method, path, this.#segment)
    const outside = `/x-elsewhere/responses/${status}`
    // A host that is not allowed is refused before anything is looked at.
    if (!recognised || status === 421) return this.#at(outside)
    const operation: Operation = operations[recognised.id]
    const [usual, ...others] = pathsOf(operation, this.#segment)
    const asked = others.find(pattern => isAt(pattern, path)) ?? usual!
    const written = asked.replaceAll(/:(\w+)/g, '{$1}').replaceAll('/', '~1')
    return this.#at(`/paths/${written}/${operation.method.toLowerCase()}/responses/${status}`)
  }

  #at(pointer: string): { response: Json; pointer: string } | undefined {
    const steps = pointer.slice(1).split('/')
    const found = steps.reduce<Json | undefined>(
      (inner, step) => inner?.[step.replaceAll('~1', '/')],
      this.#document,
    )
    if (!found) return undefined
    const { $ref } = found as { $ref?: unknown }
    return typeof $ref === 'string' ? this.#at($ref.slice(1)) : { response: found, pointer }
  }

  #headers({ headers = {} }: Json, answer: Answer): string[] {
    const there = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    const ofMock = this.#document['x-mock-headers']!
    const known = new Map(
      Object.entries({ ...ofMock, ...headers }).map(([name, header]) => [name.toLowerCase(), header]),
    )
    const wrong: string[] = []
    for (const [name, value] of there) {
      if (transport.has(name)) continue
      const header = known.get(name)
      if (!header) wrong.push(`header ${name} is not described`)
      else {
        const { schema } = '$ref' in header ? this.#at(String(header.$ref).slice(1))!.response : header
        const isNumber = String(schema!.type) === 'integer'
        const seen = isNumber && /^\d+$/.test(value) ? Number(value) : value
        if (!this.#ajv.validate(schema as object, seen))
          wrong.push(`header ${name} is ${JSON.stringify(value)}`)
      }
    }
    for (const [name, header] of known)
      if (header.required && !there.some(([given]) => given === name)) wrong.push(`header ${name} is missing`)
    return wrong
  }

  #body({ content }: Json, pointer: string, method: string, answer: Answer): string[] {
    const type = Object.entries(answer.headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1]
    const bytes = answer.body.length
    if (!content) {
      if (type !== undefined) return [`Content-Type is ${type}, and no body is described`]
      return bytes > 0 ? ['there is a body, and none is described'] : []
    }
    if (type === undefined || !(type in content))
      return [`Content-Type is ${type}; described: ${Object.keys(content).join(', ')}`]
    // The edge leaves the body out.
    if (method === 'HEAD') return []
    const text = String(answer.body)
    const validate = this.#validator(
      `${pointer}/content/${type.replaceAll('~', '~0').replaceAll('/', '~1')}/schema`,
    )
    if (validate(type.includes('json') ? JSON.parse(text) : text)) return []
    return validate.errors!.map(
      ({ instancePath, message, params }) =>
        `${instancePath === '' ? 'the body' : instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }

  /** Compiled when it is first needed: a test file sees a few of them only. */
  #validator(pointer: string): ValidateFunction {
    let known = this.#validators.get(pointer)
    if (!known) {
      const encoded = pointer.split('/').map(encodeURIComponent).join('/')
      known = this.#ajv.compile({ $ref: `document#${encoded}` })
      this.#validators.set(pointer, known)
    }
    return known
  }
}

/** Objects have the members that are described and no others. */
function close(json: unknown): void {
  if (typeof json !== 'object' || json === null) return
  for (const inner of Object.values(json)) close(inner)
  const schema = json as { type?: unknown; properties?: unknown; additionalProperties?: unknown }
  const isObject = [schema.type].flat().includes('object') && typeof schema.properties === 'object'
  if (isObject) schema.additionalProperties ??= false
}

const isAt = (pattern: string, path: string): boolean => {
  const asked = path.split('/')
  const parts = pattern.split('/')
  return (
    parts.length === asked.length && parts.every((part, at) => part.startsWith(':') || part === asked[at])
  )
}

const known = new Map<string, Description>()
const ofDials = new WeakMap<DialValues, Map<string, Description>>()

/** The description of a deployment, made once. */
export function descriptionOf({ names, dials }: { names: Names; dials: DialValues }): Description {
  const ofNames = `${names.relationPrefix} ${names.platformSegment}`
  let its = ofDials.get(dials)
  if (!its) {
    its = new Map()
    ofDials.set(dials, its)
  }
  let description = its.get(ofNames)
  if (!description) {
    const key = `${ofNames} ${JSON.stringify(dials)}`
    description = known.get(key) ?? new Description({ names, dials })
    known.set(key, description)
    its.set(ofNames, description)
  }
  return description
}
