import { refresh, wouldReopenSpace } from './live.ts'

/** Where the session keeps the path of a private space that a click asked to open. */
export const copyToOpen = 'copy-to-open'

/** The outcome of a control call. */
export interface Outcome {
  readonly isDone: boolean
  /** Why it was refused, in words. */
  readonly refusal: string
  /** The JSON of the response to a call that was not refused, if any. */
  readonly body: unknown
}

interface Problem {
  readonly title?: string
  readonly detail?: string
  readonly generalErrors?: readonly string[]
  readonly invalidFields?: readonly { readonly field: string; readonly problem: string }[]
}

/** Makes a control call that changes something. Never rejects: errors are returned in words. */
export async function call(method: string, address: string, body: unknown): Promise<Outcome> {
  if (!wouldReopenSpace(address)) return sendCall(method, address, body)
  return refused('Nothing was done: this space is gone. Open it again first.')
}

/** Shown when a request fails. */
export const noAnswer = 'The mock did not answer. Is it still running?'

const refused = (refusal: string): Outcome => ({ isDone: false, refusal, body: undefined })

async function sendCall(method: string, address: string, body: unknown): Promise<Outcome> {
  try {
    const response = await fetch(address, {
      method,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(body),
      mode: 'same-origin',
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    const answer: unknown = isJson ? JSON.parse(text) : undefined
    // The answer tells a program what header to send.
    if (response.status === 401) return refused('You are signed out. Reload the page to sign in.')
    return response.ok
      ? { isDone: true, refusal: '', body: answer }
      : refused(describeProblem(response.status, answer as Problem | undefined))
  } catch {
    return refused(noAnswer)
  }
}

function describeProblem(status: number, problem: Problem = {}): string {
  const { title = `The mock answered ${status}`, detail, generalErrors = [], invalidFields = [] } = problem
  const parts = [...generalErrors, ...invalidFields.map(it => `${it.field}: ${it.problem}`)]
  // The detail may already contain them.
  const sentences = [detail, ...parts.filter(part => !detail?.includes(part))].filter(Boolean)
  return sentences.join('. ') || title
}

/** Shows a short message at the end of the page. */
export function announce(words: string, isRefusal = false): void {
  const told = document.getElementById('told')
  if (told) showText(told, words, isRefusal)
}

/** Shows the result beside the element that made the call. */
export function showResult(source: Element, words: string, isRefusal = false): void {
  const place = source.closest('[data-tells]')?.querySelector<HTMLElement>('[data-answer]')
  if (place) showText(place, words, isRefusal)
  else announce(words, isRefusal)
}

const fading = new WeakMap<Element, number>()

function showText(place: HTMLElement, words: string, isRefusal: boolean): void {
  place.textContent = words
  place.classList.toggle('refused', isRefusal)
  clearTimeout(fading.get(place))
  // Good news disappears by itself; a refusal stays until the next attempt.
  if (!isRefusal)
    fading.set(
      place,
      setTimeout(() => {
        place.textContent = ''
      }, 4_000),
    )
}

/** Makes the call of a button or a form, and shows its result beside it. */
export async function runCall(source: HTMLElement, body: unknown): Promise<void> {
  const { call: method, href, done = 'Done.', then } = source.dataset
  if (source.getAttribute('aria-busy') === 'true') return
  source.setAttribute('aria-busy', 'true')
  const { isDone, refusal } = await (source.closest('#not-open') ? sendCall : call)(method!, href!, body)
  source.removeAttribute('aria-busy')
  showResult(source, isDone ? done : byLabels(source, refusal), !isDone)
  if (isDone && then !== undefined) location.assign(then)
  else if (isDone) refresh()
}

/** A refusal as a reader of the form knows its fields: by their labels, not by the members of the JSON. */
function byLabels(source: HTMLElement, refusal: string): string {
  let words = refusal
  for (const field of source.querySelectorAll<HTMLInputElement>('[name]')) {
    const label = field.labels?.[0]?.firstChild?.textContent?.trim()
    if (label) words = words.replaceAll(`${field.name}: `, `${label}: `)
  }
  return words
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The fields of a form as a JSON object. @throws SyntaxError for a field of type json that is not JSON */
export function jsonOf(form: HTMLFormElement): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const field of form.elements as unknown as Iterable<Field>) {
    if (!field.name || field.disabled || field.value === '') continue
    const outer = field.name.split('.')
    const name = outer.pop()!
    let place = body
    for (const part of outer) {
      place[part] ??= {}
      place = place[part] as Record<string, unknown>
    }
    place[name] = readValue(field)
  }
  return body
}

function readValue({ type, value, dataset }: Field): unknown {
  if (type === 'number') return Number(value)
  return dataset.type === 'json' ? JSON.parse(value) : value
}

/** Makes buttons and forms with `data-call` send control calls. */
export function startCalls(): void {
  document.addEventListener('click', event => {
    const button = (event.target as Element).closest<HTMLElement>('button[data-call]')
    if (button) void runCall(button, JSON.parse(button.dataset.body ?? '{}'))
  })
  // The browser says what is wrong; what was told before is no answer to it.
  document.addEventListener('invalid', ({ target }) => showResult(target as Element, ''), true)
  document.addEventListener('submit', event => {
    const form = event.target as HTMLFormElement
    if (form.dataset.call === undefined) return
    event.preventDefault()
    try {
      void runCall(form, jsonOf(form))
    } catch (error) {
      showResult(form, `That is no JSON: ${(error as Error).message}`, true)
    }
  })
}
