import {
  type FormRequest,
  type FormValues,
  formAddress,
  formCredentials,
  formHeaders,
  formLine,
} from '../request-form.ts'
import { createElement } from './live.ts'

/** Longest body that is shown, in characters. */
const maxBodyLength = 200_000

const partOf = (name: string) => document.querySelector<HTMLElement>(`[data-${name}]`)!

/** The state of the sending in a response: a 200 is no success where that is FAILED. */
function stateIn(body: string): string | undefined {
  try {
    const { state } = JSON.parse(body)
    return typeof state === 'string' ? state.slice(0, 24) : undefined
  } catch {
    return undefined
  }
}

/** @returns why the response did not end normally, if so */
async function showResponse(response: Response): Promise<string | undefined> {
  partOf('headers').textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const type = response.headers.get('content-type') ?? ''
  const isStream = type.startsWith('text/event-stream')
  const body = partOf('body')
  body.textContent = ''
  partOf('told').hidden = false
  showOutcome(`${response.status} ${response.statusText}`.trim(), toneOf(response.status))
  let text = ''
  let broken: string | undefined
  try {
    for await (const piece of readPieces(response)) {
      text += piece
      if (isStream) body.textContent = truncateBody(text)
    }
  } catch (error) {
    broken = isStop(error) ? 'stopped' : 'it broke off before its end'
  }
  body.textContent = text === '' ? 'No body.' : truncateBody(/json/.test(type) ? formatJson(text) : text)
  return broken
}

async function* readPieces({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  if (!reader) return
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    yield decoder.decode(piece.value, { stream: true })
}

const truncateBody = (text: string): string =>
  text.length > maxBodyLength
    ? `${text.slice(0, maxBodyLength)}\n… and more: this is only its beginning`
    : text

/** What only claims to be JSON is shown as it is. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

const isStop = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

const describeError = (error: unknown): string =>
  isStop(error)
    ? 'Stopped: no response had come.'
    : 'No response came that a browser can show: the connection was refused or broken, or what came was no HTTP.'

function toneOf(status: number, broken?: string): string {
  if (broken || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

function showOutcome(words: string, tone = '', href?: string): void {
  const outcome = partOf('outcome')
  outcome.className = tone === '' ? '' : `docs-outcome ${tone}`
  outcome.textContent = words
  if (href !== undefined) outcome.append(' · ', createElement('a', { href }, 'What happened'))
}

/** Sends the request of the form on an operation's page and keeps its curl line up to date. */

const form = document.querySelector<HTMLFormElement>('form[data-asked]')!
const formRequest: FormRequest = JSON.parse(form.dataset.asked!)
/** Base address of the API in the curl line, without a trailing slash. */
const base = form.dataset.base!
const send = form.querySelector<HTMLButtonElement>('[type=submit]')
const stop = form.querySelector<HTMLButtonElement>('[data-stop]')
let running: AbortController | undefined

const readForm = (): FormValues =>
  Object.fromEntries(new FormData(form) as unknown as Iterable<[string, string]>)
const isService = form.dataset.users !== undefined

function writeLine(): void {
  const filled = readForm()
  const text = formLine(formRequest, filled, base, isService ? formCredentials(filled) : undefined)
  const snippet = document.querySelector('.docs-try .snippet')!
  snippet.querySelector('code')!.textContent = text
  snippet.querySelector<HTMLElement>('[data-copy]')!.dataset.copy = text
}

/** A text with a character for each byte of its UTF-8, which is what the curl line sends. */
const inBytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text))

/** The token placeholder is only for the curl line; here a cookie replaces it. */
function requestHeaders(filled: FormValues): Headers {
  const all = new Headers()
  for (const [name, value] of formHeaders(formRequest, filled)) all.append(name, inBytes(value))
  all.delete('Authorization')
  if (isService) all.set('Authorization', `Basic ${btoa(inBytes(`${filled.user}:${filled.password}`))}`)
  return all
}

/** The address of the page about a request, made by a user of a space or of its private spaces. */
function explanationAddress(id: string, user: string): string | undefined {
  const users: Record<string, string> = JSON.parse(form.dataset.users ?? '{}')
  const [name = '', ...rest] = user.split(/(?=\+)/)
  const home = Object.hasOwn(users, name) ? users[name] : undefined
  if (home === undefined) return undefined
  const space = encodeURIComponent(home + rest.join(''))
  return `${document.body.dataset.root}/spaces/${space}/requests/${encodeURIComponent(id)}`
}

/** Makes the request and shows the response: status, headers and formatted body. A stream is shown as it arrives. */
async function sendRequest(): Promise<void> {
  const filled = readForm()
  running = new AbortController()
  setRunning(true)
  const begun = performance.now()
  showOutcome('Under way …')
  partOf('told').hidden = true
  try {
    const response = await ask(filled, running.signal)
    const broken = await showResponse(response)
    const took = `${Math.round(performance.now() - begun)} ms`
    const id = response.headers.get('x-mock-request-id')
    const state = stateIn(partOf('body').textContent ?? '')
    const hint = response.headers.get('x-mock-hint')
    const facts = [`${response.status} ${response.statusText}`.trim(), state, took, broken, hint]
    showOutcome(
      facts.filter(Boolean).join(' · '),
      state !== undefined && state !== 'CREATED' ? 'warn' : toneOf(response.status, broken),
      id === null ? undefined : explanationAddress(id, filled.user ?? ''),
    )
  } catch (error) {
    showOutcome(describeError(error), 'bad')
  }
  running = undefined
  setRunning(false)
}

function ask(filled: FormValues, signal: AbortSignal): Promise<Response> {
  // Sent to the page's own origin: the public address may be another one, which the browser would block.
  const path = document.body.dataset.root!.replace(/\/_mock$/, '') + formAddress(formRequest, filled)
  return fetch(path, {
    method: formRequest.method,
    headers: requestHeaders(filled),
    ...(filled.body && { body: filled.body }),
    mode: 'same-origin',
    // Without this the browser asks the user for a password after a 401.
    credentials: isService ? 'omit' : 'same-origin',
    cache: 'no-store',
    signal,
  })
}

function setRunning(isRunning: boolean): void {
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
  if (send && !running) void sendRequest()
})
stop?.addEventListener('click', () => {
  running?.abort()
  send!.focus()
})
if (send) send.disabled = false
// After "back" the browser restores the fields.
writeLine()
