import { html } from 'hono/html'
import { wantsPage } from '../../control/accept.ts'
import type { Capsule } from '../../control/capsule/capsule-file.ts'
import { createLog } from '../../http/logger.ts'
import type { ListeningServer } from '../../http/server.ts'
import type { App } from '../../http/transport.ts'
import { capitalize } from '../../rig/words.ts'
import { toProblem } from '../../service/problem.ts'
import type { ListenPlace } from '../assemble-mock.ts'
import { withDefaults } from '../settings.ts'
import { recordedEnd } from './judge-capsule.ts'
import { findRequest, type ReplayedSpace, replayCapsule } from './replay.ts'

/** How many moments of a space are kept at a time; each takes as much memory as a mock. */
const maxMoments = 8

/** The pages of a capsule, read only: those of its end, and below `/at/<request>` those of the moment when a request had ended. */
export interface OpenedCapsule extends AsyncDisposable {
  readonly app: App
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>
  /** The space at its end. */
  readonly whole: ReplayedSpace
}

/** @param file its name, for the pages */
export async function openCapsule(capsule: Capsule, file: string): Promise<OpenedCapsule> {
  const ids = capsule.history.lost === null ? capsule.requests.map(({ id }) => id) : []
  const play = (at: string | undefined) => replayCapsule(capsule, { at }, { file, ids, at })
  const whole = await play(undefined)
  const end = recordedEnd(capsule)
  whole.mock.run.noteEnd(whole.rig, end)
  const said = Object.entries(end).filter(([, value]) => value !== undefined)
  const endQuery = said.map(([name, value]) => `${name}=${value}`).join('&')
  const moments = new Map<string, Promise<ReplayedSpace>>()

  function momentAt(id: string): Promise<ReplayedSpace> {
    const moment = moments.get(id) ?? play(id)
    // The latest one last.
    moments.delete(id)
    moments.set(id, moment)
    moment.catch(() => moments.delete(id))
    const [[oldest, first] = []] = moments
    if (moments.size > maxMoments && oldest !== undefined) {
      moments.delete(oldest)
      void first!.then(it => it.mock.close())
    }
    return moment
  }

  async function fetch(request: Request): Promise<Response> {
    const { method, url, headers } = request
    const { pathname, searchParams, search, host } = new URL(url)
    if (method !== 'GET' && method !== 'HEAD')
      return plain(
        405,
        `A capsule can only be read. To try something from here on: mailing-sync-mock open ${file} --fork REQUEST\n`,
      )
    const [, before, rest = pathname] = /^\/at\/([^/]+)(\/.*)?$/.exec(pathname) ?? []
    const asked = searchParams.get('at')
    try {
      if (asked !== null) {
        searchParams.delete('at')
        const others = searchParams.size === 0 ? '' : `?${searchParams}`
        const place = asked === '' ? '' : `/at/${findRequest(capsule.requests, asked).id}`
        return redirect(`${place}${rest}${others}`)
      }
      const prefix = before === undefined ? '' : `/at/${findRequest(capsule.requests, before).id}`
      if (rest === '/' || rest === '')
        return redirect(
          `${prefix}/_mock/spaces/${encodeURIComponent(capsule.space)}/verdict${endQuery === '' ? '' : `?${endQuery}`}`,
        )
      if (!rest.startsWith('/_mock')) return plain(404, 'A capsule has pages below /_mock, and no service.\n')
      const { mock } = prefix === '' ? whole : await momentAt(prefix.slice('/at/'.length))
      return await mock.control(
        new Request(`http://${host}${rest}${search}`, {
          method,
          headers: {
            accept: headers.get('accept') ?? '*/*',
            ...(prefix !== '' && { 'x-forwarded-prefix': prefix }),
          },
          signal: request.signal,
        }),
      )
    } catch (error) {
      if (toProblem(error)) throw error
      const { message } = error as Error
      if (!wantsPage(headers.get('accept') ?? undefined)) return plain(404, `${message}\n`)
      const others = searchParams.size === 0 ? '' : `?${searchParams}`
      return answer(404, 'text/html', String(missingPage(message, `${rest.replace(/^\/+/, '/')}${others}`)))
    }
  }

  return {
    app: request => fetch(request),
    fetch,
    whole,
    async [Symbol.asyncDispose]() {
      await whole.mock.close()
      for (const moment of moments.values()) await moment.then(it => it.mock.close()).catch(() => {})
    },
  }
}

const answer = (status: number, type: string, text: string) =>
  new Response(text, {
    status,
    headers: { 'Content-Type': `${type}; charset=utf-8`, 'X-Content-Type-Options': 'nosniff' },
  })

const plain = (status: number, text: string) => answer(status, 'text/plain', text)

/** @param place the same page at the end of the capsule */
const missingPage = (message: string, place: string) => html`<!doctype html>
<html lang="en">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>No such page</title>
  <h1>No such page</h1>
  <p>${capitalize(message)}.</p>
  <p><a href="${place}">The same page at the end of the capsule</a></p>
</html>
`

/** @param place an address on this server. Two slashes at its beginning would lead to another one. */
const redirect = (place: string) =>
  new Response(null, { status: 302, headers: { Location: place.replace(/^\/+/, '/') } })

/** Serves the pages of a capsule on a port. */
export async function serveCapsule({ app }: OpenedCapsule, place: ListenPlace): Promise<ListeningServer> {
  const { listen } = await import('../../http/server.ts')
  const { port = 0, host = 'localhost' } = place
  const log = createLog('error')
  const limits = withDefaults({})
  return listen(app, {
    port,
    host,
    basePaths: [],
    log,
    ownsProcess: false,
    limits,
    https: undefined,
    isSecure: false,
  })
}
