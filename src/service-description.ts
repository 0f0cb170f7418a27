import type { Deployment, Json } from './contract/openapi/deployment.ts'
import { serviceDocument } from './contract/openapi/document.ts'
import { examplesOf } from './contract/openapi/examples.ts'
import { exampleBase } from './contract/openapi/exchanges.ts'
import { exchanges } from './contract/openapi/questions/questions.ts'
import { create } from './create.ts'
import { ManualClock } from './rig/clock.ts'
import type { DialValues } from './service/dials.ts'
import type { Names } from './service/links.ts'

/** When the examples happen: after everything in the default fixture but what is scheduled for 2035. */
const timeOfExamples = '2026-11-01T10:00:00.000Z'

/**
 * The service as OpenAPI 3.1, with examples that a mock of its own in this process has given: always the same for the
 * same names and dials.
 */
export async function describeService(deployment: Deployment): Promise<Json> {
  const { names, dials } = deployment
  const clock = new ManualClock(timeOfExamples)
  // A limit would leave no request for most of the examples.
  const unlimited = { ...dials, 'rate-limit': 'off' }
  const mock = await create({ ...names, dials: unlimited, clock, hints: false }, false)
  try {
    const asked = await exchanges(request => mock.fetch(request), names)
    return serviceDocument(deployment, exampleBase, examplesOf(asked))
  } finally {
    await mock.close()
  }
}

/** So many ways in which the dials may stand are kept described. */
const kept = 8

/** Descriptions of the service by how its dials stand, made when they are first asked for. */
export class ServiceDescriptions {
  readonly #names: Names
  readonly #texts = new Map<string, Promise<string>>()

  constructor(names: Names) {
    this.#names = names
  }

  /**
   * The document as JSON.
   * @param base of the service, as whoever asks sees it, without a slash at the end
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
    if (oldest !== undefined && this.#texts.size >= kept) this.#texts.delete(oldest)
    const text = describeService({ names: this.#names, dials }).then(it => JSON.stringify(it))
    this.#texts.set(key, text)
    text.catch(() => this.#texts.delete(key))
    return text
  }
}
