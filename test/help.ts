import { vi } from 'vitest'
import { readConfig } from '../src/config.ts'

/** Each flag of --help with the variables that it names. */
export async function flagsOfHelp(): Promise<ReadonlyMap<string, readonly string[]>> {
  let help = ''
  const print = vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    help += text
    return true
  })
  try {
    await readConfig(['--help'], {}, '1.0.0')
  } finally {
    print.mockRestore()
  }
  const options = help.slice(help.indexOf('Options:'), help.indexOf('Commands:'))
  const entries = options.split(/\n {2}(?=-)/).slice(1)
  return new Map(
    entries.map(text => {
      const flag = /(--[a-z-]+)/.exec(text)![1]!
      const [, names = ''] = /env: ([A-Z_]+(?: or [A-Z_]+)?)/.exec(text.replaceAll(/\s+/g, ' ')) ?? []
      return [flag, names.split(' or ').filter(Boolean)]
    }),
  )
}
