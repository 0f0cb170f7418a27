import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'
import { readCapsule } from '../../src/control/capsule/capsule-file.ts'
import { judgeCapsule } from '../../src/lib/capsule/judge-capsule.ts'
import { temporaryDirectory } from '../process.ts'

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

const capsules = temporaryDirectory()
afterAll(() => capsules[Symbol.dispose]())

/** A test run of its own, as a user starts it. */
async function runExamples(
  more: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<{ code: number; out: string; errors: string }> {
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, CI: ____, ...rest } = process.env
  const env = { ...rest, MAILING_SYNC_MOCK_CAPSULES: capsules.path, ...variables }
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/testing/examples/vitest.config.ts']
  return promisify(execFile)(process.execPath, [...args, ...more], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, errors: stderr }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, errors: stderr }),
  )
}

it('gives each test a space of its own, and fails those whose client broke the rules', async () => {
  const { out } = await runExamples(['--reporter=json'])
  const report: Report = JSON.parse(out.slice(out.indexOf('{')))
  const results = report.testResults.flatMap(it => it.assertionResults)
  expect(results.map(it => it.title).filter(it => it.startsWith('passes'))).toHaveLength(23)
  expect(results.find(it => it.title.startsWith('retried'))?.failureMessages).toEqual([
    expect.stringMatching(/^AssertionError: expected 1 to be 2(?![\s\S]*in space)/),
    expect.stringMatching(
      /in space "demo\+retried-a-client-that-sends-nothing-in-the-second-attempt\.[\da-f]{8}" scenario reset-after was armed, and no request/,
    ),
  ])
  const failed = results.filter(it => it.status !== 'passed' && !it.title.startsWith('retried'))
  // Each tells why, and tells it once.
  expect(failed.map(it => it.failureMessages.length)).toEqual(failed.map(() => 1))
  const failures = new Map(failed.map(it => [it.title, it.failureMessages.join()]))
  expect([...failures.keys()]).toEqual([
    'fails: the verdict',
    'fails: a client that sends nothing',
    'fails: a client with a wrong password',
    'fails: its own assertion',
    'fails: a mistake of the test',
    'fails: its own assertion, and nothing is proved',
    'fails: sent twice',
    'fails: a new ID after an error',
    'fails: naive-axios-retry',
    'fails: naive-p-retry',
    'fails: naive-fetch',
    'fails: what its client believes is not true',
    'fails: a matcher that is told what the client believes',
    'fails: two where one was expected',
    'fails: sent never, and its space stays',
    'fails: its own assertion in a shared mock',
  ])
  expect(failures.get('fails: the verdict')).toMatch(
    /R13 was broken: scheduleDate changed on a repeat; sent once, in space "demo\+fails-the-verdict\.[\s\S]*error R13: [\s\S]*told 201 CREATED, which was withheld \(reset-after, fault reset\)[\s\S]*verdict: 'ignored'/,
  )
  expect(failures.get('fails: a client that sends nothing')).toMatch(
    /in space "demo\+fails-a-client\S+" scenario reset-after was armed, and no request with the user and password of this space was for an operation of the service, so the test proves nothing\./,
  )
  expect(failures.get('fails: its own assertion')).toMatch(
    /expected 'sent' to be 'unknown'[\s\S]*Besides, R02 is suspected: new transactionId [^\n]*; sent 2 times, in space[\s\S]*2 mailings were sent for what looks like one\.[\s\S]*transactionId "7c1e2b44\.\.\.c0e9"/,
  )
  expect(failures.get('fails: its own assertion, and nothing is proved')).toMatch(
    /expected 'PENDING' to be 'CREATED'[\s\S]*In space "demo\+fails-its-own[\s\S]*What clients asked for, and were told:\n {2}r\d-1 {2}transactionId "a": told 20[01] PENDING/,
  )
  expect(failures.get('fails: a mistake of the test')).toMatch(
    /there is no scenario "reset-aftr"; did you mean "reset-after"/,
  )
  expect(failures.get('fails: a mistake of the test')).not.toMatch(/No request came|was asked for|To see it/)
  failures.delete('fails: a mistake of the test')
  for (const [title, message] of failures) {
    const [, file] = /To see it on any machine: npm start -- open (\S+\.capsule\.json)/.exec(message)!
    const capsule = readCapsule(readFileSync(file!), title)
    const judged = await judgeCapsule(capsule)
    expect([title, judged.difference, judged.text]).toEqual([title, undefined, capsule.verdictText])
    // The capsule says what the test said.
    for (const [, rule] of message.matchAll(/(R\d\d) was broken/g))
      expect(judged.text, title).toMatch(new RegExp(`^GUILTY: .*\\b${rule}\\b`, 'm'))
    if (message.includes('the client did harm'))
      expect(judged.verdict.failure, title).toMatch(/^the client did harm/)
  }
  expect(failures.get('fails: sent twice')).toMatch(/it was sent 2 times\nR02 is suspected: /)
  expect(failures.get('fails: sent twice'), 'the matcher lists it all').not.toContain('Besides')
  expect(failures.get('fails: a new ID after an error')).toMatch(
    /R02 is suspected: new transactionId after an error or a timeout; sent 2 times, in space[\s\S]*2 mailings were sent for what looks like one\.[\s\S]*verdict: \{ expected: 2 \}/,
  )
  for (const name of ['naive-axios-retry', 'naive-p-retry', 'naive-fetch'])
    expect(failures.get(`fails: ${name}`), name).toMatch(
      /2 mailings were sent for what looks like one\.[\s\S]*If several mailings were meant, say how many: test\.override\(\{ verdict: \{ expected: 2 \} \}\)/,
    )
  const counted = failures.get('fails: two where one was expected')
  expect(counted).toMatch(
    /R\d\d was broken: .*; sent 2 times, in space .*\s+2 mailings were sent, where 1 was expected\./,
  )
  expect(counted).not.toContain('If several')
  const told = failures.get('fails: a matcher that is told what the client believes')
  expect(told).toMatch(/to have no findings; R24 was broken/)
  expect(told, 'the matcher lists it all').not.toContain('Besides')
  expect(failures.get('fails: what its client believes is not true')).toMatch(
    /the client did harm: sent unnoticed, in space[\s\S]*sent unnoticed: /,
  )
})

it('fails the run when nobody awaited a matcher, since that is no pass', async () => {
  const { code, errors } = await runExamples(['-t', 'nobody awaited'])
  expect(code).toBe(1)
  expect(errors).toMatch(/Unhandled Rejection[\s\S]*to have sent 3 times; it was never sent/)
})

it('names the page of a space in a shared mock, but not in a job of CI, whose mock is gone at its end', async () => {
  const said = async (CI: string) => (await runExamples(['-t', 'in a shared mock'], { CI })).errors
  expect(await said('')).toMatch(/Its page: \S+\/verdict/)
  const inJob = await said('true')
  expect(inJob).toContain('To see it on any machine: ')
  expect(inJob).not.toContain('Its page: ')
})

it.each([
  { name: 'by its title', more: [] },
  { name: 'as vitest knows it', more: ['--includeTaskLocation'] },
])(
  'leads an annotation of GitHub to the line of a test that only the judge failed, $name',
  async ({ more }) => {
    const args = ['--reporter=github-actions', '-t', '^fails: a client that sends nothing$', ...more]
    const { out } = await runExamples(args, { GITHUB_ACTIONS: 'true' })
    const file = resolve('test/testing/examples/own-tests.example.ts')
    const line =
      readFileSync(file, 'utf8')
        .split('\n')
        .findIndex(it => it.startsWith("test('fails: a client that sends nothing'")) + 1
    const annotations = out.split('\n').filter(it => it.startsWith('::error'))
    expect(annotations).toEqual([expect.stringContaining('scenario reset-after was armed')])
    expect(annotations[0]).toContain(`file=${file},`)
    expect(annotations[0]).toContain(`,line=${line},`)
  },
)
