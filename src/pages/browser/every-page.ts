import { announce, copyToOpen, noAnswer, startCalls } from './calls.ts'
import { createElement, startClock, startLive } from './live.ts'

/** Copies a text to the clipboard, also on pages that were not loaded over a secure connection. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = createElement('textarea', { value: text, className: 'unseen' })
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (!isDone) throw new Error('refused')
}

/** Makes buttons with `data-copy` copy its value. */
function startCopying(): void {
  document.addEventListener('click', async event => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy]')
    if (!button) return
    try {
      await copyText(button.dataset.copy!)
      announce('Copied.')
    } catch {
      announce('The browser did not allow copying.')
    }
  })
}

/** Opens what the address leads to. */
function openTarget(): void {
  const target = document.getElementById(location.hash.slice(1))
  if (target instanceof HTMLDetailsElement) target.open = true
}

interface HtmxRequest {
  readonly ctx: {
    readonly request: { readonly method: string; readonly body: FormData }
    readonly response?: { readonly status: number }
    readonly text?: string
  }
}

const isFilter = ({ target }: Event) => (target as Element).matches('form.filter')

/**
 * Leaves empty fields out of an address, so that it stays readable. An error of a filter is shown at the end of the
 * page until the next success, because the list still shows the previous result. A filter that had no answer is tried
 * again as soon as the mock answers.
 */
function startFiltering(): void {
  let isTold = false
  let unanswered: HTMLFormElement | undefined
  const tell = (words: string) => {
    isTold = true
    announce(words, true)
  }
  document.addEventListener('htmx:config:request', event => {
    const { method, body } = (event as CustomEvent<HtmxRequest>).detail.ctx.request
    if (method !== 'GET') return
    for (const [name, value] of [...body]) if (value === '') body.delete(name)
  })
  document.addEventListener('htmx:error', event => {
    if (!isFilter(event)) return
    unanswered = event.target as HTMLFormElement
    tell(`The list is not filtered: ${noAnswer}`)
  })
  document.addEventListener('mock:refreshed', () => {
    unanswered?.requestSubmit()
    unanswered = undefined
  })
  document.addEventListener('htmx:response:error', event => {
    if (!isFilter(event)) return
    const { response, text = '' } = (event as CustomEvent<HtmxRequest>).detail.ctx
    tell(`The list is not filtered: ${readProblem(text) || `the mock answered ${response?.status}`}`)
  })
  document.addEventListener('htmx:after:request', event => {
    const { response } = (event as CustomEvent<HtmxRequest>).detail.ctx
    if (!isTold || !isFilter(event) || (response && response.status >= 400)) return
    isTold = false
    unanswered = undefined
    announce('')
  })
}

function readProblem(page: string): string {
  const main = new DOMParser().parseFromString(page, 'text/html').getElementById('main')
  const parts = main?.querySelectorAll('p:not(.soft, :has(a)), li') ?? []
  return [...parts].map(it => it.textContent.trim()).join(' ')
}

/** A link for each row of the page's list: to its request, if it has one. */
const rowLinks = () =>
  [...document.querySelectorAll('main tbody tr')].flatMap(
    row =>
      row.querySelector<HTMLElement>('.platform-cause a') ??
      row.querySelector<HTMLElement>('.leads > a, .lane-step') ??
      [],
  )

/** Focuses the next row, or the previous one; the first when no row has the focus. An item goes to that of its list. */
function moveToRow(by: 1 | -1): void {
  const links = rowLinks()
  // Lists begin with what is latest. The page of a request may have rows too.
  if (links.length === 0 || document.querySelector('main [rel=up]')) {
    document.querySelector<HTMLElement>(`main [rel=${by > 0 ? 'prev' : 'next'}]`)?.click()
    return
  }
  const at = links.findIndex(it => it.closest('tr')!.contains(document.activeElement))
  links[at < 0 ? 0 : Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
}

/** Leaves a field or a row; otherwise goes to the list that the page belongs to. */
function leave(): void {
  const held = document.activeElement as HTMLElement | null
  if (held && held !== document.body && held.closest('tbody, input, select, textarea')) held.blur()
  else document.querySelector<HTMLElement>('main [rel=up]')?.click()
}

/** Where the address of the list is kept from which an item was opened, and that of the item to which a list goes back. */
const [listKept, itemKept] = ['list-left', 'item-left']

/** A page that belongs to a list leads back to the list as it was: with its filter, and with the focus on its row. */
function startReturning(): void {
  const item = sessionStorage.getItem(itemKept)
  sessionStorage.removeItem(itemKept)
  rowLinks()
    .find(it => it.getAttribute('href') === item)
    ?.focus()
  document.addEventListener('click', ({ target }) => {
    const link = (target as Element).closest<HTMLAnchorElement>('main a')
    if (!link) return
    if (link.rel === 'up') {
      const list = new URL(sessionStorage.getItem(listKept) ?? location.href)
      if (list.pathname === link.pathname) link.search = list.search
      sessionStorage.setItem(itemKept, location.pathname)
    } else if (!document.querySelector('main [rel=up]')) sessionStorage.setItem(listKept, location.href)
  })
}

const keysInWords =
  '/ search or filter · j, k next or previous row · Enter open the row · Escape leave it, or go back · ? these keys'

/** Keys of all pages. */
function startKeys(): void {
  const tellKeys = () => announce(keysInWords)
  document.querySelector('.keys')?.addEventListener('click', tellKeys)
  document.addEventListener('keydown', event => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') return leave()
    if ((event.target as Element).closest('input, select, textarea')) return
    if (event.key === '?') tellKeys()
    if (event.key === 'j' || event.key === 'k') moveToRow(event.key === 'j' ? 1 : -1)
    const search = document.querySelector<HTMLElement>('[aria-keyshortcuts="/"]')
    if (event.key !== '/' || !search) return
    event.preventDefault()
    search.focus()
  })
}

/** Opens the private space that a click on the page before asked for; a link from elsewhere opens nothing. */
function openAskedCopy(): void {
  if (sessionStorage.getItem(copyToOpen) === location.pathname)
    document.querySelector<HTMLElement>('#not-open button[data-call]')?.click()
  sessionStorage.removeItem(copyToOpen)
}

startClock()
startCalls()
startCopying()
startFiltering()
startKeys()
startReturning()
startLive()
openAskedCopy()
openTarget()
addEventListener('hashchange', openTarget)
