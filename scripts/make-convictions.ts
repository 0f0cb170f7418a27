import { mutants } from '../examples/clients/mutants/registry.mjs'
import { type Convicted, convictions } from '../test/examples/convictions.ts'
import { naiveConvictions } from '../test/examples/naive-convictions.ts'

/** docs/convictions.json: what the judge finds against each client that it is tested with. Takes a minute or two. */
export const makeConvictions = async (): Promise<string> =>
  convictionsText([...(await convictions()), ...(await naiveConvictions())])

/** Each client with a case for each rule, the one that it was made for if it is among them. */
export function convictionsText(all: readonly Convicted[]): string {
  const clients = all.map(({ id, fault, rules, convictions }) => {
    const own = mutants.find(it => it.id === id)?.scenario
    return {
      client: id,
      fault: fault ?? null,
      expected: rules,
      convictions: convictions.map(({ rule, severity, cases }) => ({
        rule,
        severity,
        // What runs in real time may show itself in one case or another.
        case: own === undefined ? null : (cases.find(it => it === own) ?? cases[0]),
      })),
    }
  })
  return `${JSON.stringify(clients, undefined, 2)}\n`
}
