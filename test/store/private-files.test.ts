import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { writeWholeFile } from '../../src/contract/pull/out-file.ts'
import { assembleMock } from '../../src/lib/assemble-mock.ts'
import { reasonOf } from '../../src/store/disk.ts'
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

it.skipIf(process.platform === 'win32')(
  'where permission is missing it is said whose a directory is, if it is of another user',
  () => {
    using folder = temporaryDirectory()
    const denied = Object.assign(new Error('denied'), { code: 'EACCES', path: folder.at('not-there') })
    expect(reasonOf(denied, folder.path)).toBe('permission is missing')
    const { uid } = statSync(folder.path)
    const own = vi.spyOn(process, 'getuid').mockReturnValue(uid + 1)
    try {
      expect(reasonOf(denied, folder.path)).toBe(
        `permission is missing: ${folder.path} belongs to the user with the ID ${uid}, and this is ${uid + 1}`,
      )
      expect(reasonOf(Object.assign(new Error('full'), { code: 'ENOSPC' }), folder.path)).toBe('full')
    } finally {
      own.mockRestore()
    }
  },
)
