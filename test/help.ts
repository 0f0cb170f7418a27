import { vi } from 'vitest'
import { readCommandLine } from '../src/cli/command-line.ts'
import { environmentVariable } from '../src/lib/settings.ts'

/** Each flag of --help with its variables: the one that follows from its name, and one that it names. */
export async function flagsOfHelp(): Promise<ReadonlyMap<string, readonly string[]>> {
  const entries = (await entriesOfHelp()).map(([flag, text]) => {
    const other = /env: ([A-Z_]+)/.exec(text)?.[1]
    return [flag, [environmentVariable(flag.slice(2)), ...(other ? [other] : [])]] as const
  })
  return new Map(entries.filter(([flag]) => flag !== '--help' && flag !== '--version'))
}

/** The flags that, by --help, may be given again. */
export const repeatableOfHelp = async (): Promise<string[]> =>
  (await entriesOfHelp()).filter(([, text]) => text.includes('may be given again')).map(([flag]) => flag)

/** Each flag of --help with its text on one line. */
async function entriesOfHelp(): Promise<(readonly [flag: string, text: string])[]> {
  let help = ''
  const print = vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    help += text
    return true
  })
  try {
    await readCommandLine(['--help'], {}, '1.0.0')
  } finally {
    print.mockRestore()
  }
  const options = help.slice(0, help.indexOf('Commands:')).replaceAll(/\n\n.+:(?=\n)/g, '')
  const entries = options.split(/\n {2}(?=-)/).slice(1)
  return entries.map(text => [/(--[a-z-]+)/.exec(text)![1]!, text.replaceAll(/\s+/g, ' ')] as const)
}
