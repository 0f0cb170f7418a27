import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../process.ts'

interface Row {
  readonly key: string
  readonly wrong: readonly string[]
  readonly figures: readonly { readonly subject: string; readonly median: number }[]
}

it('the bench measures every kind of row, and each subject does the work it is measured by', async () => {
  using directory = temporaryDirectory()
  const out = directory.at('figures.json')

  await promisify(execFile)(process.execPath, ['bench/run.mjs', '--smoke', '--no-peers', '--out', out])

  const { rows } = JSON.parse(readFileSync(out, 'utf8')) as { rows: Row[] }
  expect(rows.flatMap(({ key, wrong }) => wrong.map(what => `${key}: ${what}`))).toEqual([])
  const measured = Object.fromEntries(
    rows.map(({ key, figures }) => [
      key,
      figures.filter(({ median }) => Number.isFinite(median)).map(({ subject }) => subject),
    ]),
  )
  const both = ['floor', 'ours']
  const worked = [...both, 'ours-scenario']
  expect(measured).toMatchObject({
    start: both,
    read: worked,
    collection: worked,
    filtered: worked,
    create: worked,
    repeat: worked,
    fault: ['floor', 'ours-scenario'],
    reset: both,
    space: ['ours'],
    hanging: both,
    tls: ['raw-plain', 'plain', 'raw', 'ours'],
    handshake: ['raw', 'ours'],
    'hanging-tls': ['ours'],
    'in-process': [...both, 'msw'],
    explore: ['ours'],
    orders: ['ours'],
    'explore-command': ['ours'],
    'explore-warm': ['ours'],
    'explore-memory': ['ours'],
  })
})
