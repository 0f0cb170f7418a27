/** Rows of the table that are not work over HTTP, by key; those that are stand in work.mjs. */
export const otherRows = {
  start: { name: 'start to first answer, with what it comes with', unit: 'ms', lessIsBetter: true },
  memory: { name: 'resident memory after it', unit: 'MB', lessIsBetter: true },
  reset: { name: 'reset, 1,000 mailings', unit: 'ms', lessIsBetter: true },
  'reset-large': { name: 'reset, 20,000 mailings', unit: 'ms', lessIsBetter: true },
  space: { name: 'new private space, 1,000 mailings', unit: 'ms', lessIsBetter: true },
  'space-large': { name: 'new private space, 20,000 mailings', unit: 'ms', lessIsBetter: true },
  hanging: { name: 'memory for each hanging request', unit: 'KB', lessIsBetter: true },
  tls: { name: 'read one synchronization over TLS', unit: '/s' },
  handshake: { name: 'TLS handshake with one read', unit: '/s' },
  'hanging-tls': { name: 'memory for each hanging request over TLS', unit: 'KB', lessIsBetter: true },
  'in-process': { name: 'read in process', unit: '/s' },
  'verdict-first': {
    name: 'first verdict over 10,000 requests, with its 4 MB over HTTP',
    unit: 'ms',
    lessIsBetter: true,
  },
  'verdict-later': {
    name: 'verdict over 10,000 requests, with its 4 MB over HTTP',
    unit: 'ms',
    lessIsBetter: true,
  },
  'verdict-judged': { name: 'verdict over 10,000 requests', unit: 'ms', lessIsBetter: true },
  explore: { name: 'plans of two troubles in process', unit: '/s' },
  orders: { name: 'orders of two workers', unit: '/s' },
  'explore-command': { name: 'plans of one trouble, to a command', unit: '/s' },
  'explore-warm': { name: 'plans of one trouble, to a warm command', unit: '/s' },
  'explore-memory': {
    name: 'exploration in process, memory that a run leaves',
    unit: 'KB',
    lessIsBetter: true,
  },
}
