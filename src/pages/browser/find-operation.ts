/** Searches the list of operations and follows `#createSending` to the page of that operation. */

const field = document.querySelector<HTMLInputElement>('[data-find]')
const entries = [...document.querySelectorAll<HTMLElement>('[data-operation]')]
const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')]

/** All words must occur, in any order: in the operation itself, or, if none has them, among the names and values of its bodies. */
function showMatches(text: string): void {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const has = (text: string) => words.every(word => text.includes(word))
  const isNamed = entries.some(({ dataset }) => has(dataset.operation!))
  for (const entry of entries) {
    const { operation, words: ofBodies } = entry.dataset
    entry.hidden = !has(isNamed ? operation! : `${operation} ${ofBodies}`)
  }
  for (const group of groups) group.hidden = !group.querySelector('[data-operation]:not([hidden])')
  const found = entries.filter(({ hidden }) => !hidden).length
  document.querySelector('[data-found]')!.textContent =
    words.length === 0 ? '' : found === 0 ? 'No operation has these words.' : `${found} of ${entries.length}`
}

function openLinkedOperation(): void {
  const entry = entries.find(({ id }) => `#${id}` === location.hash)
  const link = entry?.querySelector('a')
  // The operation's own page lists it as well; stay there.
  if (link && link.pathname !== location.pathname) location.replace(link.href)
}

if (field) {
  field.disabled = false
  field.addEventListener('input', () => showMatches(field.value))
  field.addEventListener('keydown', event => {
    const [first] = entries.filter(({ hidden }) => !hidden)
    if (event.key === 'Enter' && field.value !== '') first?.querySelector('a')?.click()
  })
  // After "back" the browser restores the search text.
  if (field.value !== '') showMatches(field.value)
}
addEventListener('hashchange', openLinkedOperation)
openLinkedOperation()

/** Where the list scrolls by itself at the side, scroll to the current operation. */
const current = document.querySelector<HTMLElement>('.docs-index [aria-current]')
const list = current?.closest<HTMLElement>('.docs-index')
if (current && list) {
  const { top } = list.getBoundingClientRect()
  list.scrollTop += current.getBoundingClientRect().top - top - list.clientHeight / 2
}
