/**
 * What somebody writes who has read the README of a retry library and not the service's document: directory, npm package,
 * what is wrong with it, and the rules of conduct that it breaks.
 * @type {readonly {
 *   readonly name: string,
 *   readonly library: string | undefined,
 *   readonly fault: string,
 *   readonly rules: readonly string[],
 * }[]}
 */
export const naiveClients = [
  {
    name: 'naive-axios-retry',
    library: 'axios-retry',
    fault:
      'Repeats a POST without a transaction ID after a network error; redirects are followed, any 2xx is "sent".',
    rules: ['R01', 'R25'],
  },
  {
    name: 'naive-got',
    library: 'got',
    fault: 'Retries, but never a POST; any 2xx is "sent".',
    rules: ['R11', 'R24'],
  },
  {
    name: 'naive-p-retry',
    library: 'p-retry',
    fault: 'Makes the transaction ID inside the function that is retried, whatever went wrong.',
    rules: ['R02', 'R03', 'R04'],
  },
  {
    name: 'naive-cockatiel',
    library: 'cockatiel',
    fault: 'Has no pauses, since none were asked for, and stops at nothing.',
    rules: ['R15', 'R05', 'R06'],
  },
  {
    name: 'naive-undici',
    library: 'undici',
    fault: 'Takes any 2xx for "sent", also PENDING and FAILED; a redirect is the end.',
    rules: ['R24', 'R11'],
  },
  {
    name: 'naive-fetch',
    library: undefined,
    fault: 'Makes the transaction ID inside the loop, follows redirects, takes any 2xx for "sent".',
    rules: ['R02', 'R24', 'R25'],
  },
]
