import { expect, it } from 'vitest'
import { readCommandLine } from '../src/cli/command-line.ts'

const client = ['--', 'node', 'client.mjs']

it.each<[what: string, args: string[], sentence: string]>([
  ['its own seed', ['exam', '--seed', '1', '--check', 'r', ...client], '--seed does nothing with --check: '],
  [
    'its own sample',
    ['exam', '--check', 'r', '--sample', '1000', ...client],
    '--sample does nothing with --check: ',
  ],
  ['workers', ['exam', '--check', 'r', '--workers', '2', ...client], '--workers does nothing with --check: '],
  [
    'known findings',
    ['exam', '--known', 'k', '--receipt', 'r', ...client],
    '--known does nothing with --receipt: ',
  ],
  [
    'a speed in virtual time',
    ['exam', '--module', '--speed', '1', ...client],
    '--speed does nothing with --module, ',
  ],
  ['an edition of a list', ['exam', '--list', '--edition', '1'], '--edition does nothing with --list, '],
  ['two moments', ['open', '--at', 'r1', '--fork', 'r2', 'x.json'], '--at does nothing with --fork, '],
  [
    'a seed that invents nothing',
    ['pull', '--out', 'x', '--seed', '1'],
    '--seed does nothing without --anonymise',
  ],
])(
  'a flag that would do nothing is refused, even if it has the value of its default: %s',
  async (_, args, sentence) => {
    await expect(readCommandLine(args, {}, '1.0.0')).rejects.toThrow(sentence)
  },
)
