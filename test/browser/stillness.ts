import type { Page } from 'playwright-core'

/**
 * How much of an open page has moved by itself since it was opened, as Chromium measures it: the share of the window
 * times how far. Below 0.1 counts as good; what follows from somebody's click or key is left out.
 * @returns the sum, and the elements that moved, for whoever has to mend it
 */
export async function movedByItself(page: Page): Promise<{ share: number; elements: string[] }> {
  return page.evaluate(
    () =>
      new Promise(resolve => {
        const observer = new PerformanceObserver(list => {
          observer.disconnect()
          resolve(summary(list.getEntries()))
        })
        observer.observe({ type: 'layout-shift', buffered: true })
        // With nothing to tell, the observer never calls.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(summary(observer.takeRecords()))))

        function summary(entries: PerformanceEntryList) {
          type Shift = PerformanceEntry & {
            value: number
            hadRecentInput: boolean
            sources: readonly { node: Node | null }[]
          }
          const shifts = (entries as Shift[]).filter(it => !it.hadRecentInput)
          const elements = shifts.flatMap(({ sources }) =>
            sources.map(({ node }) =>
              node instanceof Element ? (node.cloneNode() as Element).outerHTML : String(node?.textContent),
            ),
          )
          return { share: shifts.reduce((sum, { value }) => sum + value, 0), elements }
        }
      }),
  )
}
