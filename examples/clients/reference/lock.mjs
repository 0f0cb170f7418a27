import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** @import { ClientOptions } from '../client.d.ts' */
/** @import { Lock } from './policy.d.ts' */

/** @typedef {{ readonly host: string, readonly process: number, readonly until: number }} Lease */

const second = 1000
/** A worker that waits looks at the lock again after this time at most. */
const longestLook = 30 * second
/** A worker waits for another one as long as that may take: silence for fifteen minutes, then FAILED for fifteen. */
const patience = 35 * 60 * second

/**
 * Waits until no other worker works on the same intention. The lock has an expiry: one that was killed holds it until its lease is
 * over, or until it is known that its process has ended.
 *
 * Each lease is a file of its own with a number, made by an exclusive link, and the highest number counts. So of two workers that
 * find an expired lease only one takes over, and a lease that was taken over cannot be renewed.
 * @param {ClientOptions} options
 * @param {number} time milliseconds for which the first lease lasts
 * @returns {Promise<Lock | undefined>} undefined if another worker holds it for too long
 */
export async function claim({ state, synchronizationId, now, sleep }, time) {
  mkdirSync(state, { recursive: true })
  /** @param {number} number */
  const fileOf = number => join(state, `lock-${encodeURIComponent(synchronizationId)}.${number}`)
  const end = now() + patience
  for (let nth = 1; ; ) {
    const { number, lease } = latest(fileOf)
    if (lease && lease.until > now() && isAlive(lease)) {
      if (now() > end) return undefined
      await sleep(Math.min(lease.until - now(), second * 2 ** nth, longestLook))
      nth++
    } else if (linked(fileOf(number + 1), leaseUntil(now() + time))) return lockOf(fileOf, number + 1, now)
  }
}

/**
 * @param {(number: number) => string} fileOf
 * @param {number} number
 * @param {ClientOptions['now']} now
 * @returns {Lock}
 */
const lockOf = (fileOf, number, now) => ({
  extend(time) {
    if (read(fileOf(number + 1))) return false
    renameSync(written(fileOf(number), leaseUntil(now() + time)), fileOf(number))
    return !read(fileOf(number + 1))
  },
  release() {
    renameSync(written(fileOf(number), leaseUntil(0)), fileOf(number))
  },
})

/** @param {(number: number) => string} fileOf */
function latest(fileOf) {
  /** @type {Lease | undefined} */
  let lease
  for (let number = 0; ; number++) {
    const next = read(fileOf(number + 1))
    if (!next) return { number, lease }
    lease = next
  }
}

/** @param {number} until @returns {Lease} */
const leaseUntil = until => ({ host: hostname(), process: process.pid, until })

/** Whether its process may still run: of one on another machine that is not known. @param {Lease} lease */
function isAlive({ host, process: id }) {
  if (host !== hostname()) return true
  try {
    return process.kill(id, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/** @param {string} file @returns {Lease | undefined} */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** @param {string} file @param {Lease} lease @returns {string} a draft beside the file */
function written(file, lease) {
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, JSON.stringify(lease))
  return draft
}

/** Makes a file that is not there, whole. @param {string} file @param {Lease} lease @returns {boolean} whether it was not */
function linked(file, lease) {
  const draft = written(file, lease)
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft)
  }
}

/** @param {unknown} error */
const codeOf = error => /** @type {NodeJS.ErrnoException} */ (error).code
