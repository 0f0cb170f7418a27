import { readFileSync } from 'node:fs'
import {
  type KnownFileContext,
  type KnownFindings,
  readKnownFindings,
} from '../judge/known/known-findings.ts'
import { realTime } from '../rig/clock.ts'
import { reason } from '../store/disk.ts'
import { UserError } from '../store/user-error.ts'

/**
 * What a known-file accepts today, by the machine's date in UTC.
 * @throws UserError for a file that cannot be read, with file and line for what is wrong in it
 */
export function readKnownFile(
  file: string,
  context: Omit<KnownFileContext, 'source' | 'today'> = {},
): KnownFindings {
  const today = new Date(realTime()).toISOString().slice(0, 10)
  return readKnownFindings(textOf(file), { ...context, source: file, today })
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`cannot read ${file}: ${reason(error)}`)
  }
}
