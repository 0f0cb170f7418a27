let written = { milliseconds: 0, text: new Date(0).toISOString() }

/** A time as the service writes it: UTC, three fraction digits, `Z`. @param milliseconds since 1970 */
export function instant(milliseconds: number): string {
  // Under load many requests share a millisecond, and writing it out is dear.
  if (written.milliseconds !== milliseconds)
    written = { milliseconds, text: new Date(milliseconds).toISOString() }
  return written.text
}

/** The later of two date-times as the service writes them. */
export const later = (a: string, b: string): string => (a > b ? a : b)
