import { allCases } from '../src/judge/exam/cases.ts'
import { assembleMock } from '../src/lib/assemble-mock.ts'
import { faults } from '../src/rig/faults/fault-registry.ts'
import { lossNames } from '../src/rig/scenarios/loss-matrix.ts'

/** src/lib/known-names.ts: names that an editor completes and a compiler checks, since their sources are no types. */
export async function makeKnownNames(): Promise<string> {
  const mock = await assembleMock({ logLevel: 'silent' }, false)
  const { scenarios } = mock
  const cases = await allCases({ scenarios, content: mock.contents[0]!, tls: true })
  await mock.close()
  const types = {
    PackagedScenario: ['A scenario of the package.', [...scenarios.names(), ...lossNames]],
    FaultName: ['What can happen to a response on its way.', [...faults.keys()]],
    OtherCase: [
      'A case of an exam that is not named after a scenario.',
      cases.map(({ name }) => name).filter(name => !scenarios.has(name)),
    ],
  } as const
  const declarations = Object.entries(types).map(
    ([type, [what, names]]) =>
      `/** ${what} */\nexport type ${type} =\n${names.map(name => `  | '${name}'\n`).join('')}`,
  )
  return `/* Written by \`npm run generate\`. */\n\n${declarations.join('\n')}`
}
