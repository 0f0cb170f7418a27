import { expect, it, vi } from 'vitest'
import { printProblems } from '../src/cli/terminal.ts'

it('a problem that quotes a file is printed on one line, without anything that a terminal obeys', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    printProblems(['unknown key "\u001b[2J\u009b31m\u202e" in\r\n  a file'])
    expect(write.mock.calls).toEqual([
      ['mailing-sync-mock: unknown key "\\u001b[2J\\u009b31m\\u202e" in a file\n'],
    ])
  } finally {
    write.mockRestore()
  }
})
