/** Whether the space that the page shows is no more: what stands on it is of before. */
export const isGone = (): boolean => document.body.dataset.gone !== undefined

/** Whether a control call would be for the space that is gone, and would open another one of its name. */
export function wouldOpenAnew(address: string): boolean {
  const { gone, awaits, root } = document.body.dataset
  if (gone === undefined || awaits === undefined) return false
  const { pathname } = new URL(address, location.href)
  const space = `${root}/spaces/${encodeURIComponent(awaits)}`
  return pathname === space || pathname.startsWith(`${space}/`)
}

/**
 * Says above what the page shows that its space is gone, and what to do. What it shows stays, since somebody may be reading
 * it; but its buttons must not open another space without a word.
 * @param page what stands at its address now
 */
export function tellGone(page: Document): void {
  const { awaits } = page.body.dataset
  Object.assign(document.body.dataset, { gone: '', awaits })
  for (const button of document.querySelectorAll<HTMLButtonElement>(
    'button[data-call], form[data-call] button',
  ))
    button.disabled = true
  const ways = page.getElementById('not-open')
  const banner = document.createElement('section')
  banner.className = 'gone'
  banner.setAttribute('role', 'alert')
  const words = document.createElement('p')
  words.className = 'gone-words'
  words.textContent = `${ways?.dataset.gone ?? 'This space was removed.'} What stands below is how it was, and its buttons do nothing.`
  banner.append(words)
  if (ways) {
    ways.querySelector('[data-lead]')?.remove()
    banner.append(document.importNode(ways, true))
  }
  document.getElementById('main')!.prepend(banner)
}

/** A space of its name is there again, in which there is no such page as this one. */
export function tellBegunAnew(): void {
  const { root, awaits } = document.body.dataset
  const banner = document.querySelector('.gone')
  if (!banner || banner.querySelector('[data-anew]')) return
  const link = document.createElement('a')
  link.href = `${root}/spaces/${encodeURIComponent(awaits!)}`
  link.textContent = 'See how it is now.'
  link.dataset.anew = ''
  const words = document.createElement('p')
  words.className = 'gone-words'
  words.append('This space has begun anew, and what stands below is not in it any more. ', link)
  banner.replaceChildren(words)
}
