const whole = new Intl.NumberFormat('en')

/** A count with its thousands set apart: `12,480`. */
export const count = (value: number): string => whole.format(value)

/** `1 mail`, `12,480 mails`. */
export const counted = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`

/** A quotient as a percentage: `42.0 %`; a dash where there is no whole. */
export const share = (part: number, of: number): string => (of === 0 ? '–' : percent(part / of))

/** @param rate 0 to 1 */
export const percent = (rate: number): string => `${(rate * 100).toFixed(1)} %`
