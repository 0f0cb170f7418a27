/** A time as the service writes it: UTC, three fraction digits, `Z`. @param milliseconds since 1970 */
export const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** The later of two date-times as the service writes them. */
export const later = (a: string, b: string): string => (a > b ? a : b)
