import { announce } from './calls.ts'

interface Asking {
  readonly ctx: {
    readonly request: { readonly method: string; readonly body: FormData }
    readonly response?: { readonly status: number }
    readonly text?: string
  }
}

const isFilter = ({ target }: Event) => (target as Element).matches('form.filter')

/**
 * Leaves fields without a value out of an address, so that it can be read and kept. What a filter was not answered stands
 * at the end of the page until it is: the list would go on showing what was asked for before.
 */
export function startFiltering(): void {
  let isTold = false
  const tell = (words: string) => {
    isTold = true
    announce(words, true)
  }
  document.addEventListener('htmx:config:request', event => {
    const { method, body } = (event as CustomEvent<Asking>).detail.ctx.request
    if (method !== 'GET') return
    for (const [name, value] of [...body]) if (value === '') body.delete(name)
  })
  document.addEventListener('htmx:error', event => {
    if (isFilter(event)) tell('The list is not filtered: the mock did not answer. Is it still running?')
  })
  document.addEventListener('htmx:response:error', event => {
    if (!isFilter(event)) return
    const { response, text = '' } = (event as CustomEvent<Asking>).detail.ctx
    tell(`The list is not filtered: ${sentencesIn(text) || `the mock answered ${response?.status}`}`)
  })
  document.addEventListener('htmx:after:request', event => {
    const { response } = (event as CustomEvent<Asking>).detail.ctx
    if (!isTold || !isFilter(event) || (response && response.status >= 400)) return
    isTold = false
    announce('')
  })
}

/** What a page that tells of a problem says. */
function sentencesIn(page: string): string {
  const main = new DOMParser().parseFromString(page, 'text/html').getElementById('main')
  const parts = main?.querySelectorAll('p:not(.soft, :has(a)), li') ?? []
  return [...parts].map(it => it.textContent.trim()).join(' ')
}
