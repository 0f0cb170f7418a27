import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExamResult } from '../../../src/index.ts'
import { program, temporaryDirectory } from '../../process.ts'

/**
 * The result of an exam of a client in `pair-module.mjs` by the built program, which plays as many plans at a time as there are
 * processors, and twice as many in the same time as the sources under Vitest.
 */
export async function examined(args: readonly string[], pair = ''): Promise<ExamResult> {
  using folder = temporaryDirectory()
  const file = folder.at('result.json')
  const module = join(import.meta.dirname, 'pair-module.mjs')
  const command = [program, 'exam', ...args, '--json', file, '--module', '--', module]
  const env = { ...process.env, PAIR: pair }
  await new Promise<void>((resolve, reject) => {
    const child = execFile(process.execPath, command, { env }, (_, output, errors) =>
      // 1: something was found.
      child.exitCode === 0 || child.exitCode === 1 ? resolve() : reject(new Error(output + errors)),
    )
  })
  return JSON.parse(readFileSync(file, 'utf8'))
}
