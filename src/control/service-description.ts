import type { Json } from '../contract/openapi/json-schema.ts'
import { exampleBase, examplesOf, recordExamples } from '../contract/openapi/record-examples.ts'
import type { Deployment } from '../contract/openapi/resource-schemas.ts'
import { serviceDocument } from '../contract/openapi/service-document.ts'
import { ManualClock } from '../rig/clock.ts'
import type { DialValues } from '../service/dials.ts'
import type { ServiceNames } from '../service/links.ts'
import { getOrMake } from '../store/maps.ts'
import type { Clock } from '../store/space-data.ts'

/** Time of the examples: after everything in the default fixture except what is scheduled for 2035. */
const examplesTime = '2026-11-01T10:00:00.000Z'

/** Makes a temporary mock in memory. It is handed in, since a mock is made of this and of what stands above. */
export type MakeMock = (
  settings: ServiceNames & {
    readonly dials: Readonly<Record<string, string>>
    readonly clock: Clock
    readonly hints: boolean
  },
) => Promise<{ fetch(request: Request): Promise<Response>; close(): Promise<void> }>

/** The service as OpenAPI 3.1, with answers of a temporary mock as examples. Equal names and dials: equal documents. */
export async function describeService(deployment: Deployment, makeMock: MakeMock): Promise<Json> {
  const { names, dials } = deployment
  const clock = new ManualClock(examplesTime)
  // A rate limit would refuse most of the examples.
  const unlimited = { ...dials, 'rate-limit': 'off' }
  const mock = await makeMock({ ...names, dials: unlimited, clock, hints: false })
  try {
    const asked = await recordExamples(request => mock.fetch(request), names)
    return serviceDocument(deployment, exampleBase, examplesOf(asked))
  } finally {
    await mock.close()
  }
}

/** Maximum number of cached documents, one for each combination of dials. */
const maxCachedDescriptions = 8

/** Makes a function that describes the service as JSON, by its base without a slash at the end, and by its dials. */
export function serviceDescriptions(names: ServiceNames, makeMock: MakeMock) {
  const texts = new Map<string, Promise<string>>()
  const textOf = (dials: DialValues) =>
    getOrMake(texts, JSON.stringify(dials), key => {
      const [oldest] = texts.keys()
      if (oldest !== undefined && texts.size >= maxCachedDescriptions) texts.delete(oldest)
      const text = describeService({ names, dials }, makeMock).then(it => JSON.stringify(it))
      text.catch(() => texts.delete(key))
      return text
    })
  return async (base: string, dials: DialValues): Promise<string> =>
    (await textOf(dials)).replaceAll(exampleBase, JSON.stringify(base).slice(1, -1))
}
