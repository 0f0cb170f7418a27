import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeWholeFile } from '../../src/contract/pull/pull-journal.ts'
import { assembleMock } from '../../src/lib/assemble-mock.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { temporaryDirectory } from '../process.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

it.skipIf(process.platform === 'win32')('files of the data are for their owner alone', async () => {
  using directory = temporaryDirectory()
  const data = directory.at('data')
  const mock = await assembleMock({ data, logLevel: 'silent' }, false)
  await mock.fetch(`http://localhost${synchronizationPath(ids.ready, '/sendings')}`, {
    method: 'POST',
    headers: { authorization: basic('demo'), 'content-type': halType },
    body: '{"transactionId":"one"}',
  })
  await mock.close()
  const paths = readdirSync(data, { recursive: true }).map(name => join(data, String(name)))
  const modes = (isDirectory: boolean) =>
    new Set(paths.filter(path => statSync(path).isDirectory() === isDirectory).map(modeOf))
  expect(modes(true)).toEqual(new Set(['700']))
  expect(modes(false)).toEqual(new Set(['600']))
})

it.skipIf(process.platform === 'win32')('the file that pull writes is for its owner alone', () => {
  using directory = temporaryDirectory()
  mkdirSync(directory.at('out'))
  const out = directory.at('out/pulled.json')
  writeWholeFile(out, '{}')
  expect(readFileSync(out, 'utf8')).toBe('{}')
  expect(modeOf(out)).toBe('600')
})
