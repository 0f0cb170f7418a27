import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createMock } from '../src/index.ts'
import { ids, type Json, synchronizationPath } from './mock.ts'
import { takenPort, temporaryDirectory } from './process.ts'

/** Nobody runs GitHub or GitLab here: the shell steps of both are run against a mock. */

const action: Json = parse(readFileSync('action.yml', 'utf8'))
const template: Json = parse(readFileSync('templates/mailing-sync-mock.yml', 'utf8'))['.mailing-sync-mock']

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  using taken = await takenPort()
  return taken.port
}

/** What a shell does with these lines. */
async function shell(lines: string, cwd: string, env: Record<string, string>) {
  const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', lines], {
    cwd,
    env: { PATH: process.env.PATH!, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = [text(child.stdout), text(child.stderr)]
  const [code] = await once(child, 'exit')
  return { code, output: await output, errors: await errors }
}

/** A value of a step as GitHub fills it in. */
const filled = (value: string, inputs: Record<string, string>) =>
  value.replace(/\$\{\{ (?:inputs\.([\w-]+)|github\.action_path) \}\}/g, (_, name) =>
    name === undefined ? process.cwd() : (inputs[name] ?? String(action.inputs[name].default)),
  )

/** Sends a mailing twice, or once. */
const client = (url: string, count: number) =>
  Array.from({ length: count }, (_, nth) => nth)
    .map(
      nth =>
        `node -e ${quoted(`fetch('${url}${synchronizationPath(ids.ready, '/sendings')}', { method: 'POST', headers: { Authorization: 'Basic ' + btoa('demo+suite:demo'), 'Content-Type': 'application/hal+json' }, body: JSON.stringify({ transactionId: 'T${nth}' }) })`)}`,
    )
    .join('\n')

/** The test of the client says how many mailings it meant. */
const judged = (url: string) =>
  `node -e ${quoted(`fetch('${url}/_mock/spaces/demo+suite/verdict?expected=1&workers=1')`)}`

const quoted = (line: string) => `'${line.replaceAll("'", "'\\''")}'`

/** Flags of a mock that cannot start, and what its log says; without flags its port is taken by another mock. */
const wrongStarts = [
  ['another mock has its port', '', 'is in use'],
  ['a flag is mistaken', '--sed 7', "unknown option '--sed'"],
] as const

describe('action.yml', () => {
  const stepsFor = (step: string): Json[] =>
    action.runs.steps.filter(({ if: when, run }: Json) => run && when.startsWith(`inputs.step == '${step}'`))
  const linesFor = ({ run, env = {} }: Json, inputs: Record<string, string>) =>
    [
      ...Object.entries<string>(env).map(
        ([name, value]) => `export ${name}=${quoted(filled(value, inputs))}`,
      ),
      run,
    ].join('\n')

  it.each([
    [1, 'passed', undefined],
    [2, 'failed', 'failed=true\n'],
  ])(
    'its steps start a mock, wait for it, and report on a client that sends %i times: %s',
    async (count, status, told) => {
      using folder = temporaryDirectory()
      const port = String(await freePort())
      const inputs = { port, output: folder.at('out'), arguments: '--seed 7' }
      const given = {
        RUNNER_TEMP: folder.path,
        GITHUB_ENV: folder.at('env'),
        GITHUB_OUTPUT: folder.at('outputs'),
        GITHUB_STEP_SUMMARY: folder.at('summary.md'),
      }
      const lines = (step: Json) => linesFor(step, inputs)
      const [start] = stepsFor('start')
      const [report, fail] = stepsFor('report')
      const url = `http://127.0.0.1:${port}`
      // One shell, so that the mock ends with it.
      const ended = await shell(
        [
          lines(start),
          `trap 'kill $(jobs -p)' EXIT`,
          client(url, count),
          judged(url),
          `(${lines(report)})`,
        ].join('\n'),
        folder.path,
        given,
      )
      expect(ended.errors).not.toMatch(/^mailing-sync-mock:/m)
      expect(ended.code).toBe(0)
      expect(readFileSync(folder.at('env'), 'utf8')).toBe(`MAILING_SYNC_URL=${url}\n`)
      expect(readFileSync(folder.at('summary.md'), 'utf8')).toContain(`1 space: 1 ${status}`)
      expect(readFileSync(folder.at('out', 'report.xml'), 'utf8')).toContain(
        '<testcase classname="space" name="demo+suite"',
      )
      expect(JSON.parse(readFileSync(folder.at('out', 'report.json'), 'utf8')).cases[0].status).toBe(status)
      expect(readFileSync(folder.at('out', 'report.html'), 'utf8')).toContain('</html>')
      const capsules = readdirSync(folder.at('out', 'capsules'))
      expect(capsules).toEqual(told === undefined ? [] : ['demo+suite.capsule.json'])
      expect(
        readFileSync(folder.at('summary.md'), 'utf8').includes(
          'Look at demo+suite.capsule.json in a clone of mailing-sync-mock: `npm start -- open /path/to/',
        ),
      ).toBe(told !== undefined)
      expect(readFileSync(folder.at('summary.md'), 'utf8')).not.toContain('while the mock runs')
      expect(ended.output.includes('::error title=demo+suite%3A')).toBe(told !== undefined)
      expect(existsSync(folder.at('outputs')) ? readFileSync(folder.at('outputs'), 'utf8') : undefined).toBe(
        told,
      )
      expect((await shell(lines(fail), folder.path, given)).code).toBe(1)
      expect(fail.if).toContain("steps.report.outputs.failed == 'true'")
    },
    120_000,
  )

  it.each(wrongStarts)(
    'its start fails with the log of the mock, and tells no address, where %s',
    async (...row) => {
      await using foreign = await createMock({ logLevel: 'silent' })
      const { port } = new URL((await foreign.listen()).url)
      const [, flags, said] = row
      using folder = temporaryDirectory()
      const inputs = { port: flags === '' ? port : String(await freePort()), arguments: flags }
      const given = { RUNNER_TEMP: folder.path, GITHUB_ENV: folder.at('env') }
      // An earlier start in the same job has left its log.
      writeFileSync(folder.at('mailing-sync-mock.log'), 'mailing-sync-mock ready on http://localhost:4025\n')
      const [start] = stepsFor('start')
      const { code, output } = await shell(linesFor(start!, inputs), folder.path, given)
      expect(code).toBe(1)
      expect(output).toContain(said)
      expect(existsSync(folder.at('env'))).toBe(false)
    },
    60_000,
  )

  it('a step that there is not is refused', async () => {
    const [refusal, ...others] = action.runs.steps
    expect(refusal.if).toBe("inputs.step != 'start' && inputs.step != 'report'")
    for (const { if: when } of others) expect(when).toMatch(/^inputs\.step == '(?:start|report)'/)
    const { code, output } = await shell(linesFor(refusal, { step: 'strat' }), '.', {})
    expect([code, output]).toEqual([1, '::error::step is "strat"; possible: start, report\n'])
  })

  it('every input that a step reads is declared', () => {
    const named = [...JSON.stringify(action.runs).matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name)
    expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(named))
    // What is filled into a line of a shell would be run there.
    for (const { run } of action.runs.steps) expect(run ?? '').not.toContain('${{')
  })
})

describe('the template of GitLab', () => {
  it.each([
    [1, 0, 'passed'],
    [2, 1, 'failed'],
  ])(
    'its job starts a mock and ends with a report in the project on a client that sends %i times in a folder of it, with code %i',
    async (count, code, status) => {
      using folder = temporaryDirectory()
      using temporary = temporaryDirectory()
      const url = `http://127.0.0.1:${await freePort()}`
      const env = Object.fromEntries(
        Object.entries<string>(template.variables).map(([name, value]) => [name, value]),
      )
      const { code: ended, output } = await shell(
        [...template.before_script, 'mkdir backend && cd backend', client(url, count), judged(url)].join(
          '\n',
        ),
        folder.path,
        {
          ...env,
          MAILING_SYNC_URL: url,
          MAILING_SYNC_CLONE: process.cwd(),
          MAILING_SYNC_ARGUMENTS: '--seed 7 --profile strict',
          CI_PROJECT_DIR: folder.path,
          CI_JOB_ID: '4711',
          TMPDIR: temporary.path,
        },
      )
      expect(ended).toBe(code)
      // The headline once, and last what failed.
      expect(output.match(/^(?:Not p|P)assed: .*/gm)).toEqual([
        `${code === 0 ? 'Passed' : 'Not passed'}: 1 space: 1 ${status}`,
      ])
      expect(output.trimEnd().split('\n').at(-1)).toBe(
        code === 0
          ? '1 request, 1 mailing sent.'
          : '  Look at demo+suite.capsule.json in a clone of mailing-sync-mock: npm start -- open /path/to/demo+suite.capsule.json',
      )
      expect(readFileSync(folder.at('mailing-sync-report', 'report.md'), 'utf8')).toContain(`1 ${status}`)
      for (const file of ['report.xml', 'report.json', 'report.html'])
        expect(readFileSync(folder.at('mailing-sync-report', file), 'utf8')).toContain('demo+suite')
      expect(readdirSync(folder.at('mailing-sync-report', 'capsules'))).toEqual(
        code === 0 ? [] : ['demo+suite.capsule.json'],
      )
      // What the mock says is outside the project.
      expect(readdirSync(folder.path).sort()).toEqual(['backend', 'mailing-sync-report'])
      expect(readdirSync(temporary.path)).toContain('mailing-sync-mock-4711.log')
    },
    120_000,
  )

  it.each(wrongStarts)(
    'its job fails at once with the log of the mock where %s',
    async (...row) => {
      await using foreign = await createMock({ logLevel: 'silent' })
      const taken = (await foreign.listen()).url
      const [, flags, said] = row
      using folder = temporaryDirectory()
      const { code, output } = await shell(template.before_script.join('\n'), folder.path, {
        MAILING_SYNC_URL: flags === '' ? taken : `http://127.0.0.1:${await freePort()}`,
        MAILING_SYNC_ARGUMENTS: flags,
        MAILING_SYNC_CLONE: process.cwd(),
        CI_JOB_ID: '4711',
        TMPDIR: folder.path,
      })
      expect(code).toBe(1)
      expect(output).toContain(said)
    },
    60_000,
  )

  it.each([
    [undefined, []],
    ['v0.1.0', ['--branch', 'v0.1.0']],
  ])('its job clones the branch or tag that it names: %s', async (ref, words) => {
    const { output } = await shell(
      `git() { printf '%s\\n' "$@"; exit; }\n${template.before_script[0]}`,
      '.',
      {
        ...(ref && { MAILING_SYNC_REF: ref }),
        MAILING_SYNC_REPOSITORY: 'owner/mock',
        MAILING_SYNC_CLONE: '/tmp/no-such-clone-of-the-mock',
        CI_SERVER_PROTOCOL: 'https',
        CI_SERVER_URL: 'https://gitlab.example.com',
        CI_JOB_TOKEN: 'token',
      },
    )
    expect(output.trim().split('\n')).toEqual([
      ...['clone', '--depth', '1', ...words],
      'https://gitlab-ci-token:token@gitlab.example.com/owner/mock.git',
      '/tmp/no-such-clone-of-the-mock',
    ])
  })
})
