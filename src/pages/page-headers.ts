/** What a page may load and run: only what this server serves. No inline script or style, no embedding in a frame. */
const defaultPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/** Directives that differ on one page, such as `{ 'frame-src': "'self'" }` for previews. */
export type PolicyChanges = Partial<Record<keyof typeof defaultPolicy | 'frame-src' | 'worker-src', string>>

/** The headers of a page. @param changed what its policy has in addition */
export const pageHeaders = (changed: PolicyChanges = {}): Record<string, string> => ({
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': Object.entries({ ...defaultPolicy, ...changed })
    .map(directive => directive.join(' '))
    .join('; '),
  'X-Content-Type-Options': 'nosniff',
  // With "no-referrer" our forms would send "Origin: null" and be refused.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
})
