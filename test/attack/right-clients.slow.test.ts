import { expect, test } from 'vitest'

/** A module of the attacks, which are plain scripts against the built program. */
const script = './right-clients.mjs'

test('no right but unusual client is accused, on virtual time and over sockets', {
  timeout: 300_000,
}, async () => {
  const { default: run } = await import(/* @vite-ignore */ script)
  const { accusations, figures } = await run({ plays: 600 })
  expect(accusations).toEqual([])
  expect(figures['proved nothing']).toBeLessThan(60)
})
