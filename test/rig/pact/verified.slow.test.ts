import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { matchState } from '../../../src/control/pact/pact.ts'
import { providerStates } from '../../../src/control/pact/states.ts'
import type { AssemblyOptions } from '../../../src/lib/assemble-mock.ts'
import { basic, type Json } from '../../mock.ts'
import { titleOr } from '../../not-run.ts'
import { temporaryDirectory } from '../../process.ts'
import { startTester } from '../control/tester.ts'
import { asked, type Interaction, isMissing, makePact, nameOf, provider } from './consumer.ts'
import { interactions } from './interactions.ts'

/** A whole verification takes its time on a busy machine. */

it('the pact of these tests has every state', () => {
  const named = interactions.flatMap(({ given }) =>
    given.length > 0 ? given.map(({ state }) => state) : [''],
  )
  const met = new Set(named.map(name => matchState(name).state.name))
  expect([...met].sort()).toEqual(providerStates.map(({ name }) => name).sort())
})

/** What Pact's own verifier says of a pact file against a mock, as somebody's pipeline would ask it. */
async function verified(
  file: string,
  { token, carried = token, teardown = true }: Verifying = {},
): Promise<{ met: string[]; errors: { interaction: string; mismatch: Json }[] }> {
  const options: AssemblyOptions = token === undefined ? {} : { token }
  const tester = await startTester(options)
  try {
    const base = (await tester.listen()).replace('localhost', '127.0.0.1')
    const { interactionResults, errors } = await asked<Json>('verify', {
      provider,
      providerBaseUrl: base,
      pactUrls: [file],
      providerStatesSetupUrl: `${base}/_mock/spaces/demo+pact/pact/provider-states`,
      providerStatesSetupTeardown: teardown,
      customProviderHeaders: {
        Authorization: basic('demo+pact'),
        ...(carried && { 'X-Mock-Token': carried }),
      },
    })
    const met = interactionResults.filter((it: Json) => it.result === 'OK')
    return { met: met.map((it: Json) => it.description).sort(), errors }
  } finally {
    await tester.close()
  }
}

interface Verifying {
  readonly token?: string
  /** What the verifier carries: that token unless told otherwise. */
  readonly carried?: string
  readonly teardown?: boolean
}

describe.skipIf(isMissing)(titleOr('a pact with every state', isMissing || undefined), () => {
  const directory = temporaryDirectory()
  afterAll(() => directory[Symbol.dispose]())
  let file = ''
  let met: readonly string[] = []
  beforeAll(async () => {
    file = await makePact(interactions, directory.path)
    met = (await verified(file)).met
  })

  const all = interactions.map(nameOf)

  it.each(all)('is met: %s', name => {
    expect(met).toContain(name)
  })

  it('is met without a teardown as well: each interaction begins from a clean space', async () => {
    expect((await verified(file, { teardown: false })).met).toEqual([...all].sort())
  })

  it('is met where control calls need a token, which the verifier carries in a header of its own', async () => {
    const { met, errors } = await verified(file, { token: 'a-token-for-tests' })
    expect([errors, met]).toEqual([[], [...all].sort()])
  })

  it('is not met where it carries another token', async () => {
    const { met } = await verified(file, { token: 'a-token-for-tests', carried: 'another-token' })
    expect(met).toEqual([])
  })

  /** The verifier's word on a pact that is like ours but for one thing. */
  async function changed(change: (pact: Json) => void) {
    const pact = JSON.parse(readFileSync(file, 'utf8'))
    change(pact)
    writeFileSync(directory.at('changed.json'), JSON.stringify(pact))
    return verified(directory.at('changed.json'))
  }
  const named = (pact: Json, interaction: Interaction) =>
    pact.interactions.find((it: Json) => it.description === nameOf(interaction))

  const pending = interactions.find(({ given }) =>
    JSON.stringify(given).includes('"PENDING","truth":"not-sent"'),
  )!

  it('is not met where it expects another state of a sending', async () => {
    const { errors } = await changed(pact => {
      named(pact, pending).response.body.content.state = 'CREATED'
    })
    expect(errors.map(it => it.interaction)).toEqual([expect.stringContaining(nameOf(pending))])
    expect(JSON.stringify(errors[0]!.mismatch)).toContain(
      "Expected 'PENDING' (String) to be equal to 'CREATED'",
    )
  })

  it('is not met where its interaction begins from a state that nobody knows', async () => {
    const { errors } = await changed(pact => {
      named(pact, pending).providerStates[0].name = 'a sending is on holiday'
    })
    expect(errors.map(it => it.interaction)).toEqual([expect.stringContaining(nameOf(pending))])
  })
})
