import { execFile } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type CaseOutcome, findInOutcome } from '../../../src/judge/exam/outcome.ts'
import { findUncaughtException, outputTail } from '../../../src/judge/exam/output-tail.ts'

/** What a program really prints on standard error. */
const errorsOf = (program: string, ...args: string[]): Promise<string | undefined> =>
  new Promise(resolve => {
    execFile(program, args, (error, _, errors) => {
      resolve(error && (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : errors)
    })
  })
const node = (script: string) => errorsOf(process.execPath, '-e', script)

const java = `Exception in thread "main" java.lang.IllegalStateException: no connection
\tat Client.main(Client.java:12)
Caused by: java.net.ConnectException: Connection refused
\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)
\t... 3 more
`
const dotnet = `Unhandled exception. System.Net.Http.HttpRequestException: Connection refused
   at Client.Main() in /app/Client.cs:line 8
`
const ruby = `client.rb:4:in \`send': no answer (RuntimeError)
\tfrom client.rb:9:in \`<main>'
`
const go = `panic: no answer

goroutine 1 [running]:
main.main()
\t/app/main.go:4 +0x25
exit status 2
`

describe('an exception that nobody caught is known by the last words', () => {
  it.each([
    ['throw new TypeError("no answer")', 'TypeError: no answer'],
    ['Promise.reject(new Error("no answer"))', 'Error: no answer'],
    ['setTimeout(() => { JSON.parse("<html>") })', /^SyntaxError: Unexpected token/],
    ['throw "no answer"', /no answer|Uncaught/],
  ])('of Node: %s', async (script, expected) => {
    expect(findUncaughtException((await node(script))!)).toMatch(expected)
  })

  it('of Python, also behind another one', async context => {
    const script = 'try:\n  int("x")\nexcept ValueError:\n  raise KeyError("no answer")'
    const errors = await errorsOf('python3', '-c', script)
    if (errors === undefined) return context.skip('there is no Python here')
    expect(findUncaughtException(errors)).toBe("KeyError: 'no answer'")
  })

  it.each([
    ['Java', java, 'Exception in thread "main" java.lang.IllegalStateException: no connection'],
    ['.NET', dotnet, 'Unhandled exception. System.Net.Http.HttpRequestException: Connection refused'],
    ['Ruby', ruby, "client.rb:4:in `send': no answer (RuntimeError)"],
    ['Go', go, 'panic: no answer'],
  ])('of %s', (_, errors, expected) => {
    expect(findUncaughtException(`starting\n${errors}`)).toBe(expected)
  })
})

describe('what was only logged is no crash:', () => {
  it.each([
    ['Node', 'console.error(new Error("no answer")); process.exitCode = 1'],
    ['Node, the whole of it', 'console.error("Node.js v20.0.0 is what this runs on")'],
  ])('what was only logged is no crash: %s', async (_, script) => {
    expect(findUncaughtException((await node(script))!)).toBeUndefined()
  })

  it.each([
    ['Python', 'Traceback (most recent call last):\n  File "x", line 1\nValueError: no\ngiving up\n'],
    ['Java', `${java}giving up\n`],
    ['nothing', ''],
  ])('what was only logged is no crash: %s', (_, errors) => {
    expect(findUncaughtException(errors)).toBeUndefined()
  })
})

describe('the reason of an end', () => {
  it.each([
    [
      'is the last line that speaks of an error',
      'Error: one\nError: two\n    at x (y.js:1)\n\nNode v20',
      'Error: two',
    ],
    ['is the cause behind it', `${java}\nbye`, 'Caused by: java.net.ConnectException: Connection refused'],
    ['is else the last lines', '1\n2\n3\n\n4\n5\n6\n', '2\n3\n4\n5\n6'],
    ['is cut', 'x'.repeat(500), `${'x'.repeat(297)}...`],
    ['is nothing where nothing was printed', '\n \n', undefined],
  ])('the reason of an end: %s', (_, output, expected) => {
    expect(outputTail(output)).toBe(expected)
  })
})

/** A client that asked once, got no answer and ended. */
const endedWith = (exitCode: number): CaseOutcome => ({
  task: { synchronizationId: 's', scheduleDate: undefined } as CaseOutcome['task'],
  endings: [{ believes: 'unknown', exitCode, output: '' }],
  stop: undefined,
  limit: 60,
  requests: 1,
  brokenConnections: 0,
  isJoint: false,
  isSecure: false,
  lastRequests: ['r0-1'],
  creations: [{ id: 'r0-1', synchronizationId: 's', transactionId: 'one', told: 'nothing' }],
  sent: [],
  stopped: 0,
  lastReport: undefined,
  toldCreated: undefined,
  mayKnowCreated: false,
  broken: new Set(),
  expect: { sent: 1, belief: 'sent' },
})

it.each([
  [1, /would have succeeded\.$/],
  [3, /would have succeeded\.$/],
  [2, /would have succeeded\. It ended with exit code 2\.$/],
  [
    13,
    /would have succeeded\. It ended with exit code 13: if it runs on Node, a top-level await never settled /,
  ],
])('a client that gave up is told its exit code, if that is no word of a client: %s', (code, expected) => {
  expect(findInOutcome(endedWith(code)).map(({ rule, sentence }) => [rule, sentence])).toEqual([
    ['given-up', expect.stringMatching(expected)],
  ])
})

it('a client that gave up after FAILED is not told to repeat with the same transaction ID alone', () => {
  const [found] = findInOutcome({ ...endedWith(3), lastReport: { id: 'r0-1', state: 'FAILED' } })
  expect(found).toMatchObject({
    rule: 'given-up',
    remedy: expect.stringMatching(/after FAILED with a new one/),
  })
})

it.each([
  ['not-sent', 'warning'],
  // It was told more than that.
  ['unknown', 'error'],
] as const)(
  'a client that ends at FAILED, as it may, and reports %s, gets a given-up of severity %s',
  (believes, severity) => {
    const outcome = { ...endedWith(1), endings: [{ believes, exitCode: 1, output: '' }] }
    const findings = findInOutcome({ ...outcome, lastReport: { id: 'r0-1', state: 'FAILED' } })
    expect(findings.map(it => [it.rule, it.severity])).toEqual([['given-up', severity]])
  },
)
