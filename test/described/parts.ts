import { componentSchemas } from '../../src/contract/openapi/component-schemas.ts'
import type { Json } from '../../src/contract/openapi/json-schema.ts'
import { noExamples } from '../../src/contract/openapi/record-examples.ts'
import type { Deployment } from '../../src/contract/openapi/resource-schemas.ts'
import {
  operationResponses,
  rateLimitHeaderComponents,
  sharedResponses,
} from '../../src/contract/openapi/responses.ts'
import { answersWithoutOperation } from '../../src/contract/openapi/service-document.ts'
import type { OperationId } from '../../src/service/operations.ts'

/** A response as it is described, with everything that it refers to in its place. */
export interface DescribedResponse {
  readonly headers?: Readonly<Record<string, DescribedHeader>>
  /** By media type. */
  readonly content?: Readonly<Record<string, { readonly schema: Json; readonly 'x-content-type'?: string }>>
}

export interface DescribedHeader {
  readonly required?: boolean
  readonly schema: Json
}

/**
 * The parts of the service's document that are about answers, as the document is put together from them. Each is made
 * when it is asked for: a test needs a few, and dials may stand in many ways.
 */
export class Parts {
  readonly #deployment: Deployment
  readonly #schemas: ReadonlyMap<string, () => Json>
  readonly #responses = new Map<string, Json>()
  readonly #whole = new Map<string, unknown>()

  constructor(deployment: Deployment) {
    this.#deployment = deployment
    this.#schemas = componentSchemas(deployment)
  }

  /** @param of an operation, or whatever is no operation */
  response(of: OperationId | 'elsewhere', status: number): DescribedResponse | undefined {
    let all = this.#responses.get(of)
    if (!all) {
      all = this.#resolved(this.#responsesOf(of)) as Json
      this.#responses.set(of, all)
    }
    return all[status] as DescribedResponse | undefined
  }

  #responsesOf(of: OperationId | 'elsewhere'): unknown {
    if (of === 'elsewhere') return answersWithoutOperation(this.#deployment, noExamples).responses
    return operationResponses(of, this.#deployment, noExamples)
  }

  /** Nothing in the document refers to itself. */
  #resolved(json: unknown): unknown {
    if (Array.isArray(json)) return json.map(it => this.#resolved(it))
    if (typeof json !== 'object' || json === null) return json
    const { $ref, ...own } = json as { $ref?: string }
    const inner = Object.entries(own).map(([key, value]) => [key, this.#resolved(value)])
    return $ref === undefined
      ? Object.fromEntries(inner)
      : { ...this.#component($ref), ...Object.fromEntries(inner) }
  }

  #component(reference: string): object {
    let known = this.#whole.get(reference)
    if (known === undefined) {
      const [, , kind, name] = reference.split('/')
      known = this.#resolved(this.#componentOf(kind!, name!))
      this.#whole.set(reference, known)
    }
    return known as object
  }

  #componentOf(kind: string, name: string): unknown {
    if (kind === 'schemas') return this.#schemas.get(name)?.()
    return (
      kind === 'responses' ? sharedResponses(this.#deployment, noExamples) : rateLimitHeaderComponents()
    )[name]
  }
}
