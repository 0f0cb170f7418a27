import type { Page } from 'playwright-core'

/** Where the focus of somebody who presses Tab comes to rest. */
export interface Stop {
  /** Such as `a`, `button`, `input`. */
  readonly tag: string
  /** What stands on it, or what it is called. */
  readonly name: string
  /** Whether one sees that it has the focus, and where it is. */
  readonly isSeen: boolean
}

/** More than any of our pages should have. */
const most = 300

/**
 * Walks through an open page by Tab, from its beginning to its end.
 * @returns every stop, in order
 * @throws an error for a page that holds the focus or does not end
 */
export async function walk(page: Page): Promise<Stop[]> {
  // Whatever had the focus: what is next is now what comes first.
  await page.evaluate(() => {
    const start = document.createElement('span')
    start.tabIndex = -1
    document.body.prepend(start)
    start.focus()
    start.remove()
  })
  const stops: Stop[] = []
  for (let pressed = 0; pressed < most; pressed++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(look)
    if (stop === 'end') return stops
    if (stop !== 'same') stops.push(stop)
  }
  throw new Error(`${page.url()} does not end after ${most} presses of Tab`)
}

/** Looks, in the page, at what has the focus. */
function look(): Stop | 'end' | 'same' {
  const element = document.activeElement
  if (!element || element === document.body) return 'end'
  const before = document.documentElement.dataset
  const walked = (element as HTMLElement).dataset
  // A frame keeps the focus while it goes through what is in the frame.
  if (walked.walked !== undefined) return walked.walked === before.walks ? 'same' : 'end'
  before.walks = String(Number(before.walks ?? 0) + 1)
  walked.walked = before.walks
  const isMarked = (it: Element | null, part?: string) => {
    if (!it) return false
    const { outlineStyle, outlineWidth } = getComputedStyle(it, part)
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0
  }
  // A link may fill its row, and mark that; a radio button may leave it to what stands for it.
  const { nextElementSibling: next, parentElement: parent } = element
  const marked = [isMarked(element), isMarked(element, '::after'), isMarked(next), isMarked(parent)]
  const box = element.getBoundingClientRect()
  const isInWindow = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth
  const labels = (element as HTMLInputElement).labels ?? []
  const words = [
    element.getAttribute('aria-label'),
    // What is drawn has text only.
    (element as HTMLElement).innerText ?? element.textContent,
    ...[...labels].map(it => it.innerText),
    element.getAttribute('title'),
  ]
  return {
    tag: element.localName,
    name: words.find(it => it?.trim())?.trim() ?? '',
    isSeen: isInWindow && marked.includes(true),
  }
}
