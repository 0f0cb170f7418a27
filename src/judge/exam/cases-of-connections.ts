import { type OwnCases, onCreate, once, sent } from './own-case.ts'

/** The first attempt is sent on to another host, and nothing is done. */
const redirected = (status: number) => (host: string) => [
  onCreate(
    {
      phase: 'before',
      answer: { status, body: 'empty', headers: { Location: `http://${host}/sendings` } },
    },
    { state: 'CREATED' },
  ),
]

/** Another host, and a port at which connections break. */
export const casesOfConnections: OwnCases = {
  'redirect-301-elsewhere': {
    description:
      'The first attempt is redirected, 301, to another host, and nothing was done. Whoever follows must not show its credentials there.',
    rules: redirected(301),
    expect: sent,
    tags: ['wrong-answer', 'redirect', 'credentials'],
    course: once,
  },
  'redirect-307-elsewhere': {
    description:
      'The first attempt is redirected, 307, to another host, and nothing was done. Whoever follows with the whole request must not show its credentials there.',
    rules: redirected(307),
    expect: sent,
    tags: ['wrong-answer', 'redirect', 'credentials'],
    course: once,
  },
  'connection-reset-at-accept': {
    description:
      'The first two connections break as soon as they stand, before a request could come; the next ones reach the service. Nothing has been processed by then.',
    rules: [],
    expect: sent,
    tags: ['connection', 'no-answer'],
    course: once,
    door: [{ mode: 'reset-at-accept', connections: 2 }],
  },
  'connection-reset-at-data': {
    description:
      'The first two connections break with the first bytes that the client sends, as at a balancer that cannot reach anybody; the next ones reach the service. Nothing has been processed by then.',
    rules: [],
    expect: sent,
    tags: ['connection', 'no-answer'],
    course: once,
    door: [{ mode: 'reset-at-data', connections: 2 }],
  },
  'connection-refused': {
    description:
      'The service starts again: the first connection breaks, for a second and a half all others are refused, then they reach the service. Nothing has been processed by then.',
    rules: [],
    expect: sent,
    tags: ['connection', 'no-answer'],
    course: once,
    door: [
      { mode: 'reset-at-accept', connections: 1 },
      { mode: 'refuse', for: 1_500 },
    ],
  },
  'connection-silent': {
    description:
      'The first connection is accepted, and nobody ever answers on it. A client with a time limit for the whole exchange goes on, and its next connection reaches the service.',
    rules: [],
    expect: sent,
    tags: ['connection', 'no-answer', 'slow'],
    course: once,
    door: [{ mode: 'silent', connections: 1 }],
  },
}
