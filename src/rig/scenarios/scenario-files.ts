import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { largestText } from './limits.ts'
import { ScenarioError } from './scenario-error.ts'

export const extension = '.yaml'
/** Bytes; of a longer file only so much is read as is needed to refuse it. */
const longestRead = largestText + 1

/** Whether a file is meant for one by its name, even if it cannot be one under that name. */
export const isScenario = (file: string) => /\.ya?ml$/i.test(file)
/** A scenario's name is its file's, without the extension. */
export const nameOf = (file: string) => basename(file, extension)

/** The files of a folder that are scenarios by their names, sorted. @throws ScenarioError */
export async function filesIn(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder)
    return names
      .filter(isScenario)
      .sort()
      .map(name => join(folder, name))
  } catch (error) {
    throw new ScenarioError([`cannot read scenarios at ${folder}: ${reasonOf(error)}`])
  }
}

/** The text of a file. @throws ScenarioError for what is no file, too long, or not UTF-8 */
export async function textOf(file: string): Promise<string> {
  try {
    // Opening a named pipe would wait for somebody to write into it.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!(await handle.stat()).isFile()) throw new Error('it is no file')
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestRead), 0, longestRead, 0)
      const bytes = buffer.subarray(0, bytesRead)
      // A character may be cut at the end of what is refused for its length anyway.
      return new TextDecoder('utf-8', { fatal: bytesRead < longestRead }).decode(bytes)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new ScenarioError([`cannot read ${file}: ${reasonOf(error)}`])
  }
}

export const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
