import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { writeFiles } from '../src/cli/report-files.ts'
import { temporaryDirectory } from './process.ts'

it.skipIf(process.platform === 'win32')(
  'a link in a folder for files of ours is not followed, and the other files are written',
  () => {
    using folder = temporaryDirectory()
    writeFileSync(folder.at('private'), 'before')
    symlinkSync(folder.at('private'), folder.at('plan.yaml'))
    const write = (name: string) => ({
      file: folder.at(name),
      content: () => 'after',
      isInFolder: true as const,
    })
    expect(writeFiles([write('plan.yaml'), write('other.yaml')])).toEqual([
      `cannot write ${folder.at('plan.yaml')}: it is a link`,
    ])
    expect(readFileSync(folder.at('private'), 'utf8')).toBe('before')
    expect(readFileSync(folder.at('other.yaml'), 'utf8')).toBe('after')
  },
)
