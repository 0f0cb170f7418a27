import type { Htmx } from 'htmx.org'
import { dayAndTime, relativeText, timeOfDay } from '../time-text.ts'

/** The last clock state on the page, and when it was read, by the machine's own clock. */
let lastClock = { now: '', rate: 1, seen: 0 }

/** The space's time in milliseconds since 1970; real time on a page without a space. */
function spaceNow(): number {
  const { now, rate } = document.getElementById('space-clock')?.dataset ?? {}
  if (now === undefined) return Date.now()
  if (lastClock.now !== now || lastClock.rate !== Number(rate))
    lastClock = { now, rate: Number(rate), seen: performance.now() }
  return Number(now) + (performance.now() - lastClock.seen) * lastClock.rate
}

function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** An element with these properties and this content. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...content)
  return made
}

/** Updates the clock and all relative times. */
function updateTimes(): void {
  const clock = spaceNow()
  const texts = dayAndTime(clock).split(' ')
  document.querySelectorAll('#space-now > *').forEach((it, at) => {
    setText(it, texts[at]!)
  })
  for (const element of document.querySelectorAll<HTMLElement>('[data-ago]')) {
    const { ago, agoOf } = element.dataset
    setText(element, relativeText(Number(ago), agoOf === 'real' ? Date.now() : clock))
  }
}

/** Whether the page is still told what happens; one that never was follows nothing. */
const isCurrent = (): boolean =>
  [undefined, 'live', 'not open'].includes(document.getElementById('live-state')?.dataset.state)

/** Updates every second while the page is visible, and as long as what it shows is current. */
export function startClock(): void {
  setInterval(() => {
    if (document.hidden || !isCurrent()) return
    updateTimes()
    // What falls due by the clock alone makes no event.
    if (Number(document.getElementById('space-clock')?.dataset.due) <= spaceNow()) refresh('clock')
  }, 1_000)
}

/** Whether the space of this page no longer exists: the page shows its last state. */
const isGone = (): boolean => document.body.dataset.gone !== undefined

/** Whether a control call is for the missing space and would open a new one with the same name. */
export function wouldReopenSpace(address: string): boolean {
  const { gone, awaits, root } = document.body.dataset
  if (gone === undefined || awaits === undefined) return false
  const { pathname } = new URL(address, location.href)
  const space = `${root}/spaces/${encodeURIComponent(awaits)}`
  return pathname === space || pathname.startsWith(`${space}/`)
}

/**
 * Shows a banner that the space is gone, and what to do. The content stays for reading, but the buttons are disabled:
 * they would open another space.
 * @param page the page that is at this address now
 */
function showSpaceGone(page: Document): void {
  const { awaits } = page.body.dataset
  Object.assign(document.body.dataset, { gone: '', awaits })
  for (const button of document.querySelectorAll<HTMLButtonElement>(
    'button[data-call], form[data-call] button',
  ))
    button.disabled = true
  const ways = page.getElementById('not-open')
  ways?.querySelector('[data-lead]')?.remove()
  const words = `${ways?.dataset.gone ?? 'This space was removed.'} What stands below is how it was, and its buttons do nothing.`
  showBanner('space-gone', createElement('p', {}, words), ...(ways ? [document.importNode(ways, true)] : []))
}

const showBanner = (id: string, ...content: Node[]) =>
  document
    .getElementById('main')!
    .prepend(createElement('section', { id, className: 'gone', role: 'alert' }, ...content))

/** The space counts from 1 again after a reset, so what comes to the same address later is something else. */
function showItemGone(): void {
  if (document.getElementById('item-gone')) return
  document.getElementById('space-gone')?.remove()
  // The tab of its list, or all spaces.
  const [to] = [...document.querySelectorAll<HTMLAnchorElement>('.brand, .tabs [aria-current]')].reverse()
  const link = createElement('a', { href: to!.href }, 'See how it is now.')
  const words = 'What stands below is not there any more, as after a reset. '
  showBanner('item-gone', createElement('p', {}, words, link))
}

declare const htmx: Htmx

/** Minimum time between two refreshes. Milliseconds. */
const minGap = 250
/** Pause after a refresh, as a multiple of its duration: watching must not slow down the mock. */
const restFactor = 4
/** Delay before a refused event stream is opened again. Milliseconds. */
const retryAfter = 3_000

const eventTypes = ['request', 'clock', 'scenario', 'mailing', 'reset', 'space']

/** Types of events that are not handled yet; `*` is everything. */
const pendingTypes = new Set<string>()
let source: EventSource | undefined
let timer: number | undefined
/** When the next request may start, by `performance.now()`. */
let next = 0
let isAsking = false

/** Reloads the live parts of the page that depend on this type of event; by default all of them. */
export function refresh(type = '*'): void {
  pendingTypes.add(type)
  if (timer !== undefined || isAsking || document.hidden) return
  timer = setTimeout(refreshParts, Math.max(0, next - performance.now()))
}

const isConcerned = (part: HTMLElement, asked: ReadonlySet<string>) =>
  asked.has('*') || part.dataset.live!.split(' ').some(type => asked.has(type))

async function refreshParts(): Promise<void> {
  timer = undefined
  const asked = new Set(pendingTypes)
  pendingTypes.clear()
  const parts = [...document.querySelectorAll<HTMLElement>('[data-live]')]
  const concerned = parts.filter(part => isConcerned(part, asked))
  if (concerned.length === 0 && document.body.dataset.awaits === undefined) return
  isAsking = true
  const begun = performance.now()
  const { href } = location
  try {
    const response = await fetch(href, { headers: { Accept: 'text/html' }, mode: 'same-origin' })
    const text = await response.text()
    // A filter may have changed the address in the meantime, with a response of its own.
    if (location.href !== href) pendingTypes.add('*')
    else await applyResponse(response, concerned, new DOMParser().parseFromString(text, 'text/html'))
  } catch {
    showState('offline')
  } finally {
    isAsking = false
    next = Math.max(begun + minGap, performance.now() + restFactor * (performance.now() - begun))
    if (pendingTypes.size > 0) refresh([...pendingTypes][0])
  }
}

/** @param fresh the page that is at this address now */
async function applyResponse(
  response: Response,
  concerned: readonly HTMLElement[],
  fresh: Document,
): Promise<void> {
  const { awaits } = document.body.dataset
  const isAwaited = fresh.body.dataset.awaits !== undefined
  if (response.status === 401) showState('signed out')
  else if (awaits !== undefined) {
    if (isAwaited) return
    if (isGone() && (showsSingleItem() || !response.ok)) showItemGone()
    else if (response.ok) {
      stopListening()
      location.reload()
    }
  } else if (isAwaited) {
    showSpaceGone(fresh)
    showState('gone')
    stopListening()
    listen(fresh.body.dataset.events!)
  } else if (document.getElementById('item-gone') || (response.status === 404 && partsOf(fresh) === '')) {
    showItemGone()
    showState('not there any more')
  } else if (partsOf(fresh) === partsOf(document)) await swapParts(concerned, fresh)
  // A mailing has a draft now, or none any more.
  else if (partsOf(fresh) !== '') location.reload()
}

const partsOf = (page: Document) => [...page.querySelectorAll('main [data-live]')].map(it => it.id).join()

/** Whether the page shows a single request, mailing or sending of its space. */
const showsSingleItem = () =>
  location.pathname.slice(document.body.dataset.root!.length).split('/').filter(Boolean).length > 3

/** Changes only what differs, so that focus, selection and open details stay. */
async function swapParts(parts: readonly HTMLElement[], fresh: Document): Promise<void> {
  const held = document.activeElement
  // Look them up before the element is removed.
  const around = ['li[id]', '[data-tells]', '[data-live]'].map(it => held?.closest<HTMLElement>(it))
  for (const part of parts) {
    const made = fresh.getElementById(part.id)
    if (!made || !part.isConnected || made.isEqualNode(part)) continue
    await htmx.swap({ text: made.outerHTML, target: part, swap: 'outerMorph', sourceElement: part })
  }
  restoreFocus(held, around)
  updateTimes()
  document.dispatchEvent(new CustomEvent('mock:refreshed'))
}

/**
 * Focuses the same item again when it was rendered as another element, such as an attempt that moved to another lane.
 * For a button that is gone or disabled after its call, focuses the item or the region around it.
 */
function restoreFocus(held: Element | null, parts: readonly (HTMLElement | null | undefined)[]): void {
  if (!held || (held.isConnected && !held.matches(':disabled'))) return
  const around = parts.find(it => it?.isConnected)
  const href = held.getAttribute('href')
  const next =
    (held.id && document.getElementById(held.id)) ||
    (href !== null &&
      [...document.querySelectorAll<HTMLElement>('main [href]')].find(
        it => it.getAttribute('href') === href && it.getAttribute('class') === held.getAttribute('class'),
      ))
  if (next && next !== held) next.focus({ preventScroll: true })
  else if (around) {
    // Focusable only while it has the focus, so that a click does not focus it.
    around.tabIndex = -1
    around.focus({ preventScroll: true })
    around.addEventListener('blur', () => around.removeAttribute('tabindex'), { once: true })
  }
}

function showState(words: string): void {
  const state = document.getElementById('live-state')
  if (!state || state.textContent === words) return
  state.textContent = words
  state.dataset.state = words
  if (words !== 'offline') document.getElementById('unanswered')?.remove()
  const since = timeOfDay(Date.now())
  setTimeout(() => state.dataset.state === 'offline' && showUnanswered(since), offlineGrace)
}

/** A stream that ends with its space has an answer by then. Milliseconds. */
const offlineGrace = 1_500

/** Says in sight of everything since when the mock gives no answer. */
function showUnanswered(since: string): void {
  if (document.getElementById('unanswered')) return
  const words = `The mock has not answered since ${since} UTC. What stands here is how it was then.`
  const banner = createElement('p', { id: 'unanswered', className: 'gone', role: 'alert' }, words)
  document.getElementById('main')!.before(banner)
}

function listen(address: string): void {
  const stream = new EventSource(address)
  source = stream
  stream.onopen = () => {
    showState(isGone() ? 'gone' : document.body.dataset.awaits === undefined ? 'live' : 'not open')
    // Something may have happened while there was no connection.
    refresh()
  }
  for (const type of eventTypes)
    stream.addEventListener(type, event => {
      if (isForThisPage(event as MessageEvent<string>)) refresh(type)
    })
  stream.onerror = () => {
    if (source !== stream) return
    showState('offline')
    if (stream.readyState !== EventSource.CLOSED) return
    // The response at the page's own address shows the reason.
    refresh()
    setTimeout(() => source === stream && !document.hidden && listen(address), retryAfter)
  }
}

/** While a space is awaited, the stream has the events of all spaces. */
function isForThisPage({ data }: MessageEvent<string>): boolean {
  const { awaits } = document.body.dataset
  return awaits === undefined || JSON.parse(data).space === awaits
}

function stopListening(): void {
  source?.close()
  source = undefined
}

/** While the clock runs, some figures grow without an event. Milliseconds. */
const growInterval = 5_000

/** Follows the events of the page's space while the page is visible: a browser has few connections for all its tabs. */
export function startLive(): void {
  const { events } = document.body.dataset
  if (events === undefined) return
  const turn = () => {
    stopListening()
    // The stream of a removed space is closed, too.
    if (!document.hidden) listen(isGone() ? `${document.body.dataset.root}/events` : events)
  }
  setInterval(() => {
    const isRunning = document.getElementById('space-clock')?.dataset.rate !== '0'
    if (isRunning && !document.hidden && document.querySelector('[data-grows]')) refresh('clock')
  }, growInterval)
  document.addEventListener('visibilitychange', turn)
  addEventListener('pagehide', stopListening)
  addEventListener('pageshow', event => event.persisted && turn())
  turn()
}
