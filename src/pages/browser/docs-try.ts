import { curl } from '../curl.ts'
import { type Asked, addressOf, credentials, type Filled, headersOf, lineBody } from '../docs/request.ts'
import { readAnswer } from './docs-answer.ts'

/** Makes the request that the form on the page of an operation asks for, and keeps its curl line true. */

const form = document.querySelector<HTMLFormElement>('form[data-asked]')!
const asked: Asked = JSON.parse(form.dataset.asked!)
/** Address of the API in the line, without a slash at the end. */
const base = form.dataset.base!
const send = form.querySelector<HTMLButtonElement>('[type=submit]')
const stop = form.querySelector<HTMLButtonElement>('[data-stop]')
let running: AbortController | undefined

const read = (): Filled => Object.fromEntries(new FormData(form) as unknown as Iterable<[string, string]>)
const isService = form.dataset.users !== undefined

function writeLine(): void {
  const filled = read()
  const text = curl({
    method: asked.method,
    url: base + addressOf(asked, filled),
    user: isService ? credentials(filled) : undefined,
    headers: headersOf(asked, filled),
    body: lineBody(filled),
  })
  const snippet = document.querySelector('.docs-try .snippet')!
  snippet.querySelector('code')!.textContent = text
  snippet.querySelector<HTMLElement>('[data-copy]')!.dataset.copy = text
}

/** The token's place in the line is not filled here: a cookie stands for it. */
function headers(filled: Filled): Headers {
  const all = new Headers(headersOf(asked, filled))
  all.delete('Authorization')
  if (isService) {
    const bytes = new TextEncoder().encode(`${filled.user}:${filled.password}`)
    all.set('Authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`)
  }
  return all
}

/** Where the mock tells what it knows of the request that a user of a space or of its private copies has made. */
function explained(id: string, user: string): string | undefined {
  const users: Record<string, string> = JSON.parse(form.dataset.users ?? '{}')
  const [name = '', ...rest] = user.split(/(?=\+)/)
  const home = Object.hasOwn(users, name) ? users[name] : undefined
  if (home === undefined) return undefined
  const space = encodeURIComponent(home + rest.join(''))
  return `${document.body.dataset.root}/spaces/${space}/requests/${encodeURIComponent(id)}`
}

async function make(): Promise<void> {
  const filled = read()
  running = new AbortController()
  turn(true)
  // Asked where this page stands: a public address may be another, which a browser would not let it ask.
  const path = document.body.dataset.root!.replace(/\/_mock$/, '') + addressOf(asked, filled)
  const body = filled.body || undefined
  await readAnswer(
    () =>
      fetch(path, {
        method: asked.method,
        headers: headers(filled),
        ...(body !== undefined && { body }),
        mode: 'same-origin',
        // Without credentials of its own the browser asks for none when they are refused.
        credentials: isService ? 'omit' : 'same-origin',
        cache: 'no-store',
        signal: running!.signal,
      }),
    id => explained(id, filled.user ?? ''),
  )
  running = undefined
  turn(false)
}

function turn(isRunning: boolean): void {
  send!.setAttribute('aria-busy', String(isRunning))
  stop!.hidden = !isRunning
}

form.addEventListener('input', writeLine)
form.addEventListener('change', event => {
  const select = event.target as HTMLSelectElement
  if (select.dataset.examples === undefined) return
  form.querySelector('textarea')!.value = select.value
  writeLine()
})
form.addEventListener('submit', event => {
  event.preventDefault()
  if (send && !running) void make()
})
stop?.addEventListener('click', () => {
  running?.abort()
  send!.focus()
})
if (send) send.disabled = false
// A browser that goes back fills in what stood there.
writeLine()
