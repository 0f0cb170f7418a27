import type { Deployment } from '../../src/contract/openapi/resource-schemas.ts'
import { mockHeaders } from '../../src/contract/openapi/service-document.ts'
import type { DialValues } from '../../src/service/dials.ts'
import { recogniseOperation } from '../../src/service/operations.ts'
import type { Answer } from '../../src/service/response.ts'
import { compiled } from './compiled.ts'
import { type DescribedHeader, type DescribedResponse, Parts } from './parts.ts'

type Look = (value: unknown) => string[]

/** So many texts are remembered. */
const most = 5_000

/** Bodies in which everything is described. Most answers of a test have been seen before, and each is looked at twice. */
class KnownBodies {
  readonly #buffers = new WeakSet<Buffer>()
  readonly #texts = new Set<string>()

  has(body: Answer['body']): boolean {
    return typeof body === 'string' ? this.#texts.has(body) : this.#buffers.has(body)
  }

  add(body: Answer['body']): void {
    if (typeof body !== 'string') this.#buffers.add(body)
    else if (this.#texts.size < most) this.#texts.add(body)
  }
}

/** The service as its OpenAPI document describes it, to hold answers against: nothing undescribed passes. */
export class Description {
  readonly #parts: Parts
  readonly #segment: string
  readonly #isClosed: boolean
  /** Whether refusals have no body; where one status also stands for some that have, the document cannot say so. */
  readonly #mayBeEmpty: boolean
  readonly #looks = new WeakMap<object, Look>()
  readonly #described = new WeakMap<object, KnownBodies>()

  constructor(deployment: Deployment) {
    this.#parts = new Parts(deployment)
    this.#segment = deployment.names.platformSegment
    this.#isClosed = deployment.dials['unknown-members'] === 'none'
    this.#mayBeEmpty = deployment.dials['error-body'] === 'empty'
  }

  /**
   * What of an answer the document does not describe, in sentences; none if it describes all of it.
   * @param target path and query of the request
   */
  undescribed(method: string, target: string, answer: Answer): string[] {
    const operation = recogniseOperation(method, target, this.#segment)?.id
    const of = operation === undefined || isOfTheMock(answer) ? 'elsewhere' : operation
    const response = this.#parts.response(of, answer.status)
    if (!response) return [`status ${answer.status} is not described`]
    const headers = new Map(
      Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    return [
      ...this.#headers(response, headers),
      ...this.#body(response, headers.get('content-type'), method, answer),
    ]
  }

  #headers({ headers: described = {} }: DescribedResponse, there: ReadonlyMap<string, string>): string[] {
    const known = new Map([...ofMock, ...lowered(described)])
    const missing = [...known]
      .filter(([name, { required }]) => required && !there.has(name))
      .map(([name]) => `header ${name} is missing`)
    const wrong = [...there].flatMap(([name, value]) => {
      if (transport.has(name)) return []
      const header = known.get(name)
      if (!header) return [`header ${name} is not described`]
      const isNumber = header.schema.type === 'integer' && /^\d+$/.test(value)
      const isRight = this.#look(header.schema)(isNumber ? Number(value) : value).length === 0
      return isRight ? [] : [`header ${name} is ${JSON.stringify(value)}`]
    })
    return [...missing, ...wrong]
  }

  #body({ content }: DescribedResponse, type: string | undefined, method: string, answer: Answer): string[] {
    if (!content) {
      if (type !== undefined) return [`Content-Type is ${type}, and no body is described`]
      return answer.body.length > 0 ? ['there is a body, and none is described'] : []
    }
    if (this.#mayBeEmpty && answer.status >= 400 && type === undefined && answer.body.length === 0) return []
    const [mediaType = ''] = type?.split(';') ?? []
    const described = content[type ?? ''] ?? content[mediaType]
    const toTheLetter = described?.['x-content-type'] ?? (type && type in content ? type : mediaType)
    if (!described || toTheLetter !== type)
      return [`Content-Type is ${type}; described: ${toTheLetter ?? Object.keys(content).join(', ')}`]
    // The edge leaves the body out.
    if (method === 'HEAD') return []
    const known = this.#known(described.schema)
    if (known.has(answer.body)) return []
    const text = String(answer.body)
    const whats = this.#look(described.schema)(type!.includes('json') ? JSON.parse(text) : text)
    if (whats.length === 0) known.add(answer.body)
    return whats
  }

  #known(schema: object): KnownBodies {
    let known = this.#described.get(schema)
    if (!known) {
      known = new KnownBodies()
      this.#described.set(schema, known)
    }
    return known
  }

  /** Compiled when it is first needed. */
  #look(schema: object): Look {
    let look = this.#looks.get(schema)
    if (!look) {
      look = compiled(schema as DescribedHeader['schema'], this.#isClosed)
      this.#looks.set(schema, look)
    }
    return look
  }
}

/** Headers of the transport, and those that only a browser's navigation gets, which OpenAPI leaves out. */
const transport = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-security-policy',
  'x-content-type-options',
])

const lowered = (headers: NonNullable<DescribedResponse['headers']>) =>
  Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header] as const)

const ofMock = lowered(mockHeaders as NonNullable<DescribedResponse['headers']>)

/** A host that is not allowed and a scenario that there is not are refused before anybody asks for the operation. */
const isOfTheMock = ({ status, problem }: Answer): boolean =>
  status === 421 || problem?.invalidFields.some(({ field }) => field === 'X-Mock-Scenario') === true

const known = new Map<string, Description>()
/** Whoever asks has the same dials in hand again and again; writing them out each time would cost more than looking. */
const texts = new WeakMap<DialValues, string>()

/** The description of a deployment, made once for each way in which its dials stand. */
export function descriptionOf({ names, dials }: Deployment): Description {
  const text = texts.get(dials) ?? JSON.stringify(dials)
  texts.set(dials, text)
  const key = `${names.relationPrefix} ${names.platformSegment} ${text}`
  const description = known.get(key) ?? new Description({ names, dials })
  known.set(key, description)
  return description
}
