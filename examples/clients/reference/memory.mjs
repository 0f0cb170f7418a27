import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** @import { Intent, Memory } from './policy.d.ts' */

/**
 * Keeps what is to be sent where a restart finds it. When a call returns, it is on the disk.
 * @param {string} directory
 * @param {string} synchronizationId
 * @returns {Memory}
 */
export function memoryIn(directory, synchronizationId) {
  const file = join(directory, `sending-${encodeURIComponent(synchronizationId)}.json`)
  return {
    recall: () => read(file),
    begin(intent) {
      mkdirSync(directory, { recursive: true })
      const draft = written(file, intent)
      try {
        // Unlike a rename, a link fails where a second worker was faster: then its transaction ID holds for both.
        linkSync(draft, file)
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      } finally {
        rmSync(draft)
      }
      flush(directory)
      return /** @type {Intent} */ (read(file))
    },
    keep(intent) {
      renameSync(written(file, intent), file)
      flush(directory)
      return intent
    },
  }
}

/**
 * @param {string} file
 * @returns {Intent | undefined}
 */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/**
 * A draft beside the file, so that a crash while writing leaves the file as it was.
 * @param {string} file
 * @param {Intent} intent
 */
function written(file, intent) {
  const draft = `${file}.${randomUUID()}`
  const descriptor = openSync(draft, 'w')
  try {
    writeSync(descriptor, JSON.stringify(intent))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return draft
}

/**
 * A new name in a directory is safe only when the directory is.
 * @param {string} directory
 */
function flush(directory) {
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** @param {unknown} error */
const codeOf = error => /** @type {NodeJS.ErrnoException} */ (error).code
