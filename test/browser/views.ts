import type { Page } from 'playwright-core'
import { accessible } from './accessible.ts'
import { fitsWidth } from './fitting.ts'
import { picture } from './pictures.ts'

/** As what a page is looked at. */
export interface View {
  readonly scheme: 'light' | 'dark'
  /** Of the window, in CSS pixels. */
  readonly width: number
}

/** How high a window of a usual width is, in CSS pixels: a telephone, half a screen, a small screen, a screen. */
export const heights: Readonly<Record<number, number>> = { 360: 740, 900: 900, 1280: 900, 1440: 900 }

const widths = Object.keys(heights).map(Number)
const ends = [Math.min(...widths), Math.max(...widths)]

/** In each of these a page must hold. */
export const views: readonly View[] = (['light', 'dark'] as const).flatMap(scheme =>
  widths.map(width => ({ scheme, width })),
)

/**
 * Looks at an open page in both schemes and at all widths: it takes pictures (see `picture`), and must fit the window
 * and be accessible in each. What the page is to show has to be there already.
 * @param name what the page is called in the pictures' names
 * @throws an error that tells everything that does not hold, view by view
 */
export async function holdsInEveryView(page: Page, name: string): Promise<void> {
  const wrong: string[] = []
  for (const { scheme, width } of views) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.setViewportSize({ width, height: heights[width]! })
    await isAtRest(page)
    await picture(page, name)
    // The schemes differ in colours alone, and no width between the ends has colours of its own: see
    // test/pages/styles.test.ts.
    const aspects = { structure: scheme === 'light', colours: ends.includes(width) }
    for (const check of [() => fitsWidth(page), () => accessible(page, aspects)])
      await check().catch((error: Error) => wrong.push(`${scheme}, ${width} px: ${error.message}`))
  }
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
}

/** Waits until the page is laid out anew, and nothing in it is on its way to another place or colour. */
async function isAtRest(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await new Promise(laidOut => requestAnimationFrame(() => requestAnimationFrame(laidOut)))
    const ending = document
      .getAnimations()
      .filter(it => it.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY)
    await Promise.allSettled(ending.map(it => it.finished))
  })
}
