import { setImmediate } from 'node:timers/promises'

/** @import { ClientOptions } from '../client.d.ts' */
/** @import { Answer, Asking } from './policy.d.ts' */

/** How long an answer may take, from the first byte of the request to the last one of the body. */
const patience = 30_000

const halType = 'application/hal+json'

/**
 * Asks, and waits for the whole answer. A body that arrives byte by byte is late as well: the time limit is for all of
 * it. Whatever goes wrong on the wire is silence.
 * @param {Asking} asking
 * @param {ClientOptions} options
 * @param {RequestInit} [more]
 * @returns {Promise<Answer | undefined>}
 */
export async function exchange(asking, options, more) {
  const leaving = new AbortController()
  const inTime = new AbortController()
  const tooLate = options.sleep(patience, inTime.signal).then(() => {
    // The connection is given up as well: the service shall see that nobody waits any more.
    if (!inTime.signal.aborted) leaving.abort()
    return undefined
  })
  try {
    return await Promise.race([ask(asking, options, { ...more, signal: leaving.signal }), tooLate])
  } catch {
    return undefined
  } finally {
    inTime.abort()
  }
}

/**
 * @param {Asking} asking
 * @param {ClientOptions} options
 * @param {RequestInit} init
 * @returns {Promise<Answer>}
 */
export async function ask({ method, path, body }, { fetch, url, user, password }, init) {
  const credentials = Buffer.from(`${user}:${password}`).toString('base64')
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Basic ${credentials}`,
      accept: halType,
      ...(body !== undefined && { 'content-type': halType }),
    },
    ...(body !== undefined && { body }),
    // A followed redirect would make a GET of the POST, and its 200 says nothing about a sending.
    redirect: 'manual',
    ...init,
  })
  const { status, headers, redirected } = response
  const text = await response.text()
  // Only then is the connection free: without this turn the next request would open another one.
  await setImmediate()
  return { status, headers, text, isRedirected: redirected }
}
