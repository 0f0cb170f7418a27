/**
 * What a page may load and run: only what is served from here. No inline script, no inline style, and nobody may put the
 * page into a frame.
 */
const policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/** Directives that one page has otherwise, such as `{ 'frame-src': "'self'" }` where it shows previews. */
export type Policy = Partial<Record<keyof typeof policy | 'frame-src' | 'worker-src', string>>

export const policyText = (changed: Policy = {}): string =>
  Object.entries({ ...policy, ...changed })
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

/** Headers of every page. */
export const pageHeaders = (changed?: Policy): Record<string, string> => ({
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': policyText(changed),
  'X-Content-Type-Options': 'nosniff',
  // With none at all a form of ours would say that it comes from nowhere, and be refused.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
})
