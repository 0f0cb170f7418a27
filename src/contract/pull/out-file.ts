import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { reason } from '../../store/disk.ts'
import { CannotPull } from './pull-source.ts'

/** Checks before the first request that the file can be written. @throws CannotPull */
export function checkOutFile(out: string, isReplaced: boolean): void {
  const folder = dirname(out)
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new CannotPull(`cannot write ${out}: there is no folder ${folder}`)
  const found = statSync(out, { throwIfNoEntry: false })
  if (found?.isDirectory()) throw new CannotPull(`--out is ${out}, which is a folder; name a file in it`)
  if (found && !found.isFile()) throw new CannotPull(`--out is ${out}, which is no ordinary file`)
  if (found && !isReplaced) throw new CannotPull(`${out} is there already; --force replaces it`)
  const part = partOf(out)
  try {
    writeFileSync(part, '')
    rmSync(part)
  } catch (error) {
    throw new CannotPull(`cannot write ${out}: ${reason(error)}`)
  }
}

/** Becomes the file when it is whole. */
const partOf = (out: string) => `${out}.part`

/** Writes the whole file, or nothing. @throws CannotPull */
export function writeWholeFile(out: string, text: string): void {
  const part = partOf(out)
  try {
    writeFileSync(part, text, { mode: 0o600 })
    renameSync(part, out)
  } catch (error) {
    rmSync(part, { force: true })
    throw new CannotPull(`cannot write ${out}: ${reason(error)}`)
  }
}
