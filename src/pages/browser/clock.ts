import { dayAndTime, relativeText } from '../relative.ts'

/** Where the clock stood when the page last heard of it, and when that was on the machine's own clock. */
let known = { now: '', rate: 1, seen: 0 }

/** The space's time in milliseconds since 1970; the real one on a page that is of no space. */
export function spaceNow(): number {
  const { now, rate } = document.getElementById('space-clock')?.dataset ?? {}
  if (now === undefined) return Date.now()
  if (known.now !== now || known.rate !== Number(rate))
    known = { now, rate: Number(rate), seen: performance.now() }
  return Number(now) + (performance.now() - known.seen) * known.rate
}

function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** Brings everything that says how late it is, or how long ago, up to date. */
export function tell(): void {
  const clock = spaceNow()
  const shown = document.getElementById('space-now')
  if (shown) write(shown, dayAndTime(clock))
  for (const element of document.querySelectorAll<HTMLElement>('[data-ago]')) {
    const { ago, agoOf } = element.dataset
    write(element, relativeText(Number(ago), agoOf === 'real' ? Date.now() : clock))
  }
}

/** Every second while somebody looks. */
export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) tell()
  }, 1_000)
}
