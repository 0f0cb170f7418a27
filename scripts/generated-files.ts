import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Json } from '../src/contract/openapi/json-schema.ts'
import { verifyResult } from '../src/contract/verify/verify-result.ts'
import { describeService } from '../src/control/service-description.ts'
import { createMock } from '../src/index.ts'
import { examJsonSchema } from '../src/judge/exam/exam-result.ts'
import { portraitJsonSchema } from '../src/judge/portrait/portrait-shape.ts'
import { makeMock } from '../src/lib/assemble-mock.ts'
import { scenarioJsonSchema } from '../src/rig/scenarios/schema.ts'
import { defaultDials } from '../src/service/dials.ts'
import { fixture } from '../src/store/rows.ts'
import { makeConductDocs } from './make-conduct-docs.ts'
import { makeDefaultFixture } from './make-default-fixture.ts'
import { makeDialsDocs } from './make-dials-docs.ts'
import { makeFidelityDocs } from './make-fidelity-docs.ts'
import { makeKnownNames } from './make-known-names.ts'
import { makeLlmsTxt } from './make-llms-txt.ts'
import { toOpenApi30 } from './make-openapi-3.0.ts'
import { toYaml } from './make-openapi-yaml.ts'
import { makePactDocs } from './make-pact-docs.ts'
import { makeScenarioDocs } from './make-scenario-docs.ts'
import { makeSettingsSchema } from './make-settings-schema.ts'

const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }

/**
 * Every generated file by its path, with what makes its text. `npm run generate` writes them in this order: some are made
 * from those before them. `test/docs/generated.test.ts` compares them.
 */
export const generatedFiles: Readonly<Record<string, () => string | Promise<string>>> = {
  'fixtures/default.json': () => toJson(makeDefaultFixture()),
  'fixtures/fixture.schema.json': () =>
    toJson({ title: 'Fixture of mailing-sync-mock: what a space holds', ...z.toJSONSchema(fixture) }),
  'src/lib/known-names.ts': makeKnownNames,
  'scenarios/scenario.schema.json': () => toJson(scenarioJsonSchema()),
  'docs/scenarios.md': makeScenarioDocs,
  'openapi.yaml': async () => toYaml(await describeService({ names, dials: defaultDials }, makeMock)),
  'openapi-3.0.yaml': async () =>
    toYaml(toOpenApi30(await describeService({ names, dials: defaultDials }, makeMock))),
  'docs/control-openapi.yaml': async () => toYaml(await describeControl()),
  'docs/settings.schema.json': makeSettingsSchema,
  'docs/verify.schema.json': () => toJson(z.toJSONSchema(verifyResult)),
  'docs/exam.schema.json': () => toJson(examJsonSchema()),
  'docs/portrait.schema.json': () => toJson(portraitJsonSchema()),
  'docs/dials.md': makeDialsDocs,
  'docs/fidelity.md': () => makeFidelityDocs(fileURLToPath(new URL('..', import.meta.url))),
  'docs/conduct.md': makeConductDocs,
  'docs/pact.md': makePactDocs,
  'llms.txt': makeLlmsTxt,
}

/** Those that take minutes, which only `npm run generate -- --slow` writes, before the others. A slow test compares them. */
export const slowFiles: typeof generatedFiles = {
  'docs/convictions.json': async () => {
    // It plays clients, which all the others do without.
    const { makeConvictions } = await import('./make-convictions.ts')
    return makeConvictions()
  },
}

const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** The OpenAPI document of the control API, as a mock on its usual port serves it. */
async function describeControl(): Promise<Json> {
  await using mock = await createMock()
  const response = await mock.fetch(new Request('http://localhost:4025/_mock/control/openapi.json'))
  return (await response.json()) as Json
}
