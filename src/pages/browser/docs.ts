/** Finds operations by words, and follows `#createSending` to the page of that operation. */

const field = document.querySelector<HTMLInputElement>('[data-find]')
const entries = [...document.querySelectorAll<HTMLElement>('[data-operation]')]
const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')]

/** All words must occur, in whichever order. */
function find(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  for (const entry of entries) entry.hidden = !words.every(word => entry.dataset.operation!.includes(word))
  for (const group of groups) group.hidden = !group.querySelector('[data-operation]:not([hidden])')
  const found = entries.filter(({ hidden }) => !hidden).length
  document.querySelector('[data-found]')!.textContent =
    words.length === 0 ? '' : found === 0 ? 'No operation has these words.' : `${found} of ${entries.length}`
}

function follow(): void {
  const entry = entries.find(({ id }) => `#${id}` === location.hash)
  const link = entry?.querySelector('a')
  // The page of an operation lists it as well, and is where this leads.
  if (link && link.pathname !== location.pathname) location.replace(link.href)
}

if (field) {
  field.disabled = false
  field.addEventListener('input', () => find(field.value))
  field.addEventListener('keydown', event => {
    const [first] = entries.filter(({ hidden }) => !hidden)
    if (event.key === 'Enter' && field.value !== '') first?.querySelector('a')?.click()
  })
  document.addEventListener('keydown', event => {
    const isWriting = (event.target as Element).closest('input, textarea, select')
    if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
  // A browser that goes back fills in what was looked for.
  if (field.value !== '') find(field.value)
}
addEventListener('hashchange', follow)
follow()

/** Where the list stands at the side and scrolls by itself, it shows the operation that one has come to. */
const current = document.querySelector<HTMLElement>('.docs-index [aria-current]')
const list = current?.closest<HTMLElement>('.docs-index')
if (current && list) {
  const { top } = list.getBoundingClientRect()
  list.scrollTop += current.getBoundingClientRect().top - top - list.clientHeight / 2
}
