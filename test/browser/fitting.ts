import type { Page } from 'playwright-core'

/**
 * Looks whether the page can be read by scrolling down alone. A table that scrolls in a box of its own is all right.
 * @throws an error that names the elements that stick out, innermost first
 */
export async function fitsWidth(page: Page): Promise<void> {
  const { wide, room, sticking } = await page.evaluate(() => {
    const room = document.documentElement.clientWidth
    const isBoxed = (element: Element | null): boolean =>
      !!element &&
      element !== document.body &&
      element !== document.documentElement &&
      (getComputedStyle(element).overflowX !== 'visible' || isBoxed(element.parentElement))
    // An element's own box, or a word in it that could not be broken.
    const endOf = (element: Element) => {
      const { left, right } = element.getBoundingClientRect()
      return isBoxed(element) ? right : Math.max(right, left + element.scrollWidth)
    }
    const sticking = [...document.body.querySelectorAll('*')]
      .filter(it => endOf(it) > room + 1 && !isBoxed(it.parentElement))
      .map(it => `${(it.cloneNode() as Element).outerHTML} ends at ${Math.round(endOf(it))} px`)
    return { wide: document.documentElement.scrollWidth, room, sticking: sticking.reverse() }
  })
  if (wide > room)
    throw new Error(
      `${page.url()} is ${wide} px wide in a window of ${room} px\n${sticking.slice(0, 8).join('\n')}`,
    )
}
