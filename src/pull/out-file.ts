import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CannotPull } from './cannot-pull.ts'
import { reasonOf } from './journal.ts'

/**
 * Looks, before anything is asked, whether a file can appear there.
 * @throws CannotPull
 */
export function expectPlaceFor(out: string, isReplaced: boolean): void {
  const found = statSync(out, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new CannotPull(`--out is ${out}, which is a folder; name a file in it`)
  if (found && !found.isFile()) throw new CannotPull(`--out is ${out}, which is no ordinary file`)
  if (found && !isReplaced) throw new CannotPull(`${out} is there already; --force replaces it`)
  const folder = dirname(out)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CannotPull(`cannot write ${out}: there is no folder ${folder}`)
}

/** Lets the whole file appear at once, or nothing. @throws CannotPull */
export function appear(out: string, text: string): void {
  const part = `${out}.part`
  try {
    writeFileSync(part, text)
    renameSync(part, out)
  } catch (error) {
    rmSync(part, { force: true })
    throw new CannotPull(`cannot write ${out}: ${reasonOf(error)}`)
  }
}
