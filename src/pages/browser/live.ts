import type { Htmx } from 'htmx.org'
import { tell } from './clock.ts'
import { isGone, tellBegunAnew, tellGone } from './gone.ts'

declare const htmx: Htmx

/** At most four times a second. */
const leastGap = 250
/** So many times as long as an answer takes nothing is asked for: looking must not slow what is looked at. */
const restFactor = 4
/** Before a stream that was refused is asked for again. */
const retryAfter = 3_000

const types = ['request', 'clock', 'scenario', 'mailing', 'reset', 'space']

/** Types of events that have not been followed yet; `*` is everything. */
const pending = new Set<string>()
let source: EventSource | undefined
let timer: number | undefined
/** When the next answer may be asked for, on the page's own clock. */
let next = 0
let isAsking = false

/** Asks for the live parts of the page anew, those that the type of event concerns; all of them unless told. */
export function refresh(type = '*'): void {
  pending.add(type)
  if (timer !== undefined || isAsking || document.hidden) return
  timer = setTimeout(follow, Math.max(0, next - performance.now()))
}

const isConcerned = (part: HTMLElement, asked: ReadonlySet<string>) =>
  asked.has('*') || part.dataset.live!.split(' ').some(type => asked.has(type))

async function follow(): Promise<void> {
  timer = undefined
  const asked = new Set(pending)
  pending.clear()
  const parts = [...document.querySelectorAll<HTMLElement>('[data-live]')]
  const concerned = parts.filter(part => isConcerned(part, asked))
  if (concerned.length === 0 && document.body.dataset.awaits === undefined) return
  isAsking = true
  const begun = performance.now()
  const { href } = location
  try {
    const response = await fetch(href, { headers: { Accept: 'text/html' }, mode: 'same-origin' })
    const text = await response.text()
    // A filter may have led on in the meantime, and has brought its own answer.
    if (location.href !== href) pending.add('*')
    else await take(response, concerned, new DOMParser().parseFromString(text, 'text/html'))
  } catch {
    say('offline')
  } finally {
    isAsking = false
    next = Math.max(begun + leastGap, performance.now() + restFactor * (performance.now() - begun))
    if (pending.size > 0) refresh([...pending][0])
  }
}

/** @param fresh what stands at the page's address now */
async function take(response: Response, concerned: readonly HTMLElement[], fresh: Document): Promise<void> {
  const { awaits } = document.body.dataset
  const isAwaited = fresh.body.dataset.awaits !== undefined
  if (response.status === 401) say('signed out')
  else if (awaits !== undefined) {
    if (isAwaited) return
    // The new space counts its requests anew: the same ID is another request there.
    if (isGone() && (isOfOne() || !response.ok)) tellBegunAnew()
    else if (response.ok) {
      stop()
      location.reload()
    }
  } else if (response.ok) await put(concerned, fresh)
  else if (!isAwaited) say('not there any more')
  else {
    tellGone(fresh)
    say('gone')
    stop()
    listen(fresh.body.dataset.events!)
  }
}

/** Whether the page shows one request, mailing or sending of its space, and not the space itself. */
const isOfOne = () =>
  location.pathname.slice(document.body.dataset.root!.length).split('/').filter(Boolean).length > 3

/** Only what differs is touched, so that focus, selection and what is open stay as they are. */
async function put(parts: readonly HTMLElement[], fresh: Document): Promise<void> {
  const held = document.activeElement
  // Asked for while it still has a place.
  const around = held?.closest<HTMLElement>('[data-tells]')
  for (const part of parts) {
    const made = fresh.getElementById(part.id)
    if (!made || !part.isConnected || made.isEqualNode(part)) continue
    await htmx.swap({ text: made.outerHTML, target: part, swap: 'outerMorph', sourceElement: part })
  }
  holdFocus(held, around)
  tell()
  document.dispatchEvent(new CustomEvent('mock:refreshed'))
}

/**
 * What came to another place, such as an attempt to another lane, is another element there: it is focused again. Of a
 * button that has done its work, and is gone or can do no more, what stands around it is.
 */
function holdFocus(held: Element | null, around: HTMLElement | null | undefined): void {
  if (!held || (held.isConnected && !held.matches(':disabled'))) return
  const href = held.getAttribute('href')
  const next =
    (held.id && document.getElementById(held.id)) ||
    (href !== null &&
      [...document.querySelectorAll<HTMLElement>('main [href]')].find(
        it => it.getAttribute('href') === href && it.getAttribute('class') === held.getAttribute('class'),
      ))
  if (next && next !== held) next.focus({ preventScroll: true })
  else if (around?.isConnected) focusRegion(around)
}

/** For as long as it is focused it can be, so that nobody comes there by clicking. */
function focusRegion(region: HTMLElement): void {
  region.tabIndex = -1
  region.focus({ preventScroll: true })
  region.addEventListener('blur', () => region.removeAttribute('tabindex'), { once: true })
}

function say(words: string): void {
  const state = document.getElementById('live-state')
  if (!state || state.textContent === words) return
  state.textContent = words
  state.dataset.state = words
}

function listen(address: string): void {
  const stream = new EventSource(address)
  source = stream
  stream.onopen = () => {
    say(isGone() ? 'gone' : document.body.dataset.awaits === undefined ? 'live' : 'not open yet')
    // Whatever happened while nobody listened.
    refresh()
  }
  for (const type of types)
    stream.addEventListener(type, event => {
      if (isMeant(event as MessageEvent<string>)) refresh(type)
    })
  stream.onerror = () => {
    if (source !== stream) return
    say('offline')
    if (stream.readyState !== EventSource.CLOSED) return
    // The page's own address tells why.
    refresh()
    setTimeout(() => source === stream && !document.hidden && listen(address), retryAfter)
  }
}

/** While a space is awaited, the stream tells of all of them. */
function isMeant({ data }: MessageEvent<string>): boolean {
  const { awaits } = document.body.dataset
  return awaits === undefined || JSON.parse(data).space === awaits
}

function stop(): void {
  source?.close()
  source = undefined
}

/** Follows the events of the page's space while somebody looks: a browser has few connections to share among its tabs. */
export function startLive(): void {
  const { events } = document.body.dataset
  if (events === undefined) return
  const turn = () => {
    stop()
    // When the space is gone, its own stream is, too.
    if (!document.hidden) listen(isGone() ? `${document.body.dataset.root}/events` : events)
  }
  document.addEventListener('visibilitychange', turn)
  addEventListener('pagehide', stop)
  addEventListener('pageshow', event => event.persisted && turn())
  turn()
}
