/** As what a page is looked at. */
export interface View {
  readonly scheme: 'light' | 'dark'
  /** Of the window, in CSS pixels. */
  readonly width: number
}

/** How high a window of a usual width is, in CSS pixels: a telephone, half a screen, a screen. */
export const heights: Readonly<Record<number, number>> = { 360: 740, 900: 900, 1600: 1000 }

/** In each of these a page must hold, for `test.each(views)('… ($scheme, $width px)', async view => …)`. */
export const views: readonly View[] = (['light', 'dark'] as const).flatMap(scheme =>
  Object.keys(heights).map(width => ({ scheme, width: Number(width) })),
)
