import { accessSync, constants, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reason } from '../../store/disk.ts'
import { UserError } from '../../store/user-error.ts'

/**
 * A folder for capsules, which is made if there is none.
 * @returns what writes one there, by a name that is right for a file, and says which file it is; it throws UserError, too
 * @throws UserError when nothing can be written there
 */
export function capsuleFolder(folder: string): (name: string, capsule: string) => string {
  const act = <Value>(work: () => Value): Value => {
    try {
      return work()
    } catch (error) {
      throw new UserError(`cannot write to the folder ${folder}: ${reason(error)}`)
    }
  }
  act(() => {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK | constants.X_OK)
  })
  return (name, capsule) => {
    const file = join(folder, `${name}.capsule.json`)
    act(() => {
      // A link that stands there is not followed.
      rmSync(file, { force: true })
      writeFileSync(file, capsule, { flag: 'wx' })
    })
    return file
  }
}
