import { recordExamples } from '../contract/openapi/example-requests.ts'
import { exampleBase, examplesOf } from '../contract/openapi/examples.ts'
import type { Json } from '../contract/openapi/json-schema.ts'
import type { Deployment } from '../contract/openapi/resource-schemas.ts'
import { serviceDocument } from '../contract/openapi/service-document.ts'
import { assembleMock } from '../lib/assemble-mock.ts'
import { ManualClock } from '../rig/clock.ts'
import type { DialValues } from '../service/dials.ts'
import type { ServiceNames } from '../service/links.ts'

/** Time of the examples: after everything in the default fixture except what is scheduled for 2035. */
const examplesTime = '2026-11-01T10:00:00.000Z'

/**
 * The service as OpenAPI 3.1, with examples answered by a temporary mock in this process. The same names and dials give
 * the same document.
 */
export async function describeService(deployment: Deployment): Promise<Json> {
  const { names, dials } = deployment
  const clock = new ManualClock(examplesTime)
  // A rate limit would refuse most of the examples.
  const unlimited = { ...dials, 'rate-limit': 'off' }
  const mock = await assembleMock({ ...names, dials: unlimited, clock, hints: false }, false)
  try {
    const asked = await recordExamples(request => mock.fetch(request), names)
    return serviceDocument(deployment, exampleBase, examplesOf(asked))
  } finally {
    await mock.close()
  }
}

/** Maximum number of cached documents, one for each combination of dials. */
const maxCachedDescriptions = 8

/** Descriptions of the service for each combination of dials, made on first use. */
export class ServiceDescriptions {
  readonly #names: ServiceNames
  readonly #texts = new Map<string, Promise<string>>()

  constructor(names: ServiceNames) {
    this.#names = names
  }

  /**
   * The document as JSON.
   * @param base of the service as the caller sees it, without a trailing slash
   */
  async json(base: string, dials: DialValues): Promise<string> {
    const text = await this.#text(dials)
    return text.replaceAll(exampleBase, JSON.stringify(base).slice(1, -1))
  }

  #text(dials: DialValues): Promise<string> {
    const key = JSON.stringify(dials)
    const known = this.#texts.get(key)
    if (known) return known
    const [oldest] = this.#texts.keys()
    if (oldest !== undefined && this.#texts.size >= maxCachedDescriptions) this.#texts.delete(oldest)
    const text = describeService({ names: this.#names, dials }).then(it => JSON.stringify(it))
    this.#texts.set(key, text)
    text.catch(() => this.#texts.delete(key))
    return text
  }
}
