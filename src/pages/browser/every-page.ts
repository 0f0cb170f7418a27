import { announce, noAnswer, startCalls } from './calls.ts'
import { startClock, startLive } from './live.ts'

/** Copies a text to the clipboard, also on pages that were not loaded over a secure connection. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
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
      button.dataset.copied = ''
      setTimeout(() => delete button.dataset.copied, 1_500)
    } catch {
      announce('The browser did not allow copying.')
    }
  })
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
 * page until the next success, because the list still shows the previous result.
 */
function startFiltering(): void {
  let isTold = false
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
    if (isFilter(event)) tell(`The list is not filtered: ${noAnswer}`)
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
    announce('')
  })
}

function readProblem(page: string): string {
  const main = new DOMParser().parseFromString(page, 'text/html').getElementById('main')
  const parts = main?.querySelectorAll('p:not(.soft, :has(a)), li') ?? []
  return [...parts].map(it => it.textContent.trim()).join(' ')
}

startClock()
startCalls()
startCopying()
startFiltering()
startLive()
