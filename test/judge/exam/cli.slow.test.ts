import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { titleOr } from '../../not-run.ts'
import { eventually, program, run, temporaryDirectory } from '../../process.ts'

const client = (way: string, ...args: string[]) => [
  '--',
  process.execPath,
  'test/judge/exam/client.mjs',
  way,
  ...args,
]
const exam = (args: readonly string[]) => run(['exam', ...args])

describe.concurrent('mailing-sync-mock exam', () => {
  test('mailing-sync-mock exam ends with 0 when all passed', async () => {
    const { code, output } = await exam(['--verbose', '--only', 'happy-path', ...client('right')])
    expect(output).toMatch(/^happy-path +passed/m)
    expect(output).toMatch(/^Passed: 1 case passed; nothing found \(seed 1, /m)
    expect(code).toBe(0)
  })

  test('mailing-sync-mock exam ends with 1 when something was found, and tells a line that finds it again', async () => {
    const first = await exam(['--only', 'error-500-before', '--seed', '5', ...client('gives-up')])
    expect(first.code).toBe(1)
    const [, line] = /^ {2}Reproduce: (.*)$/m.exec(first.output)!
    expect(line).toMatch(/^node \S*main\.js exam --only error-500-before --seed 5 -- /)
    const again = spawn('sh', ['-c', line!], { stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    again.stdout.setEncoding('utf8').on('data', text => {
      output += text
    })
    expect(await once(again, 'close')).toEqual([1, null])
    expect(output).toMatch(/^Not passed: 1 of 1 case failed; /m)
    expect(output).toContain('given-up')
  })

  test('mailing-sync-mock exam passes once --write-known has reasons, and not before', async () => {
    using folder = temporaryDirectory()
    const known = folder.at('known.yaml')
    const play = (...args: string[]) => exam(['--only', 'error-500-before', ...args, ...client('gives-up')])
    expect(await play('--write-known', known)).toMatchObject({ code: 1 })
    expect(await play('--known', known)).toMatchObject({
      code: 2,
      errors: expect.stringContaining('say why'),
    })
    writeFileSync(known, readFileSync(known, 'utf8').replaceAll('to be filled in', 'mended in May'))
    expect(await play('--known', known)).toMatchObject({
      code: 0,
      output: expect.stringContaining('1 known'),
    })
    const right = await exam(['--only', 'error-500-before', '--known', known, ...client('right')])
    expect(right).toMatchObject({ code: 1, output: expect.stringContaining('No longer happens') })
  })

  test('mailing-sync-mock exam warns of its own flags behind a client that no -- introduces', async () => {
    const { code, errors } = await exam([
      ...['--only', 'happy-path', process.execPath, 'test/judge/exam/client.mjs', 'right'],
      ...['--seed', '3', '--other'],
    ])
    expect(errors).toContain("the client gets --seed, since it stands behind the client's command")
    expect(code).toBe(0)
  })

  test.each<[what: string, args: string[], sentence: string]>([
    [
      'a script that is not there',
      ['--', 'node', 'examples/missing.mjs'],
      'there is no file examples/missing.mjs',
    ],
    ['a report of nothing', ['--list', '--json', 'all.json'], '--json does nothing with --list'],
    ['outputs of nothing', ['--list', '--keep-output', 'logs'], '--keep-output does nothing with --list'],
    ['no client', ['--only', 'happy-path'], 'exam needs a client: give its command after --'],
    ['a command that is not there', ['--', 'no-such-command'], 'there is no command "no-such-command"'],
    [
      'an address',
      ['--', 'http://localhost:4025'],
      'is no program; give the client after --: a mock is started for it',
    ],
    [
      'a file that is no program',
      ['--', './package.json'],
      '"./package.json" may not be executed; write the program that runs it in front, such as node, or make it executable',
    ],
    ['an unknown flag', ['--onyl', 'x'], "unknown option '--onyl'"],
    ['a bad number', ['--jobs', '0', ...client('right')], 'expected a whole number from 1 to 1000'],
    ['a bad duration', ['--timeout', '5', ...client('right')], 'expected a duration'],
    ['a case that is not there', ['--only', 'no-such', ...client('right')], 'no case has the name "no-such"'],
    ['a folder of scenarios that is not there', ['--scenarios', '/no/such', ...client('right')], '/no/such'],
    [
      'a report nowhere',
      ['--json', '/dev/null/x.json', ...client('right')],
      'cannot write /dev/null/x.json: there is no folder /dev/null',
    ],
    ['a report that is a folder', ['--json', '.', ...client('right')], 'cannot write .: it is a folder'],
    [
      'two reports in one file',
      ['--json', './x.out', '--html', 'x.out', ...client('right')],
      '--html and --json name the same file, ./x.out',
    ],
  ])('mailing-sync-mock exam ends with 2 and one sentence for %s', async (_, args, sentence) => {
    const { code, output, errors } = await exam(args)
    expect(errors).toContain(sentence)
    expect(errors).toMatch(/^mailing-sync-mock: [^\n]+\n$/)
    expect([code, output]).toEqual([2, ''])
  })

  test('mailing-sync-mock exam says that a command is not there which PATH has only as what may not be executed', async () => {
    using folder = temporaryDirectory()
    writeFileSync(folder.at('closed-command'), '', { mode: 0o600 })
    const { code, errors } = await run(['exam', '--', 'closed-command'], { PATH: folder.path })
    expect(errors).toContain('there is no command "closed-command" that may be executed')
    expect(code).toBe(2)
  })

  test('mailing-sync-mock exam takes no flags before its name', async () => {
    const { code, errors } = await run(['--seed', '3', 'exam', ...client('right')])
    expect(errors).toContain('flags of exam stand behind that word')
    expect(code).toBe(2)
  })

  test('mailing-sync-mock exam lists the cases without playing one', async () => {
    const { code, output } = await exam(['--list', '--tag', 'five-minutes'])
    expect(output.split('\n').map(line => line.split(' ')[0])).toEqual([
      'pending-for-ever',
      'pending-until-4m50',
      'pending-until-5m10',
      '',
    ])
    expect(code).toBe(0)
  })

  test('mailing-sync-mock exam has every flag in its help', async () => {
    const { code, output } = await exam(['--help'])
    for (const flag of ['--only', '--tag', '--slow', '--list', '--seed', '--jobs', '--timeout', '--speed'])
      expect(output).toContain(flag)
    for (const flag of ['--scenarios', '--strict', '--html', '--junit', '--json', '--keep-output', '--depth'])
      expect(output).toContain(flag)
    expect(code).toBe(0)
  })

  test('mailing-sync-mock exam writes the reports, and what the client printed', async () => {
    using folder = temporaryDirectory()
    const at = (name: string) => folder.at('deep', name)
    mkdirSync(folder.at('deep'))
    const { code } = await exam([
      ...['--only', 'happy-path', '--html', at('exam.html'), '--junit', at('exam.xml')],
      ...['--json', at('exam.json'), '--keep-output', at('output'), ...client('prints')],
    ])
    expect(code).toBe(1)
    expect(readFileSync(at('exam.html'), 'utf8')).toContain('ended-at-start')
    expect(readFileSync(at('exam.xml'), 'utf8')).toContain('<testcase classname="exam" name="happy-path"')
    expect(JSON.parse(readFileSync(at('exam.json'), 'utf8'))).toMatchObject({ version: 1, failed: 1 })
    expect(readFileSync(at('output/happy-path.log'), 'utf8')).toContain('line 19999')
  })

  test('mailing-sync-mock exam keeps the bytes that the client printed, also those that are no text', async () => {
    using folder = temporaryDirectory()
    await exam(['--only', 'happy-path,two-mailings', '--keep-output', folder.path, ...client('prints-bytes')])
    const bytes = Buffer.from([0xff, 0x00, 0xe2, 0x82])
    expect(readFileSync(folder.at('happy-path.log'))).toEqual(bytes)
    const starts = ['--- start 1 ---\n', bytes, '--- start 2 ---\n', bytes].map(it => Buffer.from(it))
    expect(readFileSync(folder.at('two-mailings.log'))).toEqual(Buffer.concat(starts))
  })

  // Node's own recursion over folders does not return there.
  const hasProc = existsSync('/proc/self')
  const noProc = hasProc ? undefined : 'there is no /proc here'
  test.runIf(hasProc)(titleOr('ends with 2 for a folder that the system does not make', noProc), async () => {
    const { code, errors } = await exam(['--keep-output', '/proc/x/y', ...client('right')])
    expect(errors).toMatch(
      /^mailing-sync-mock: cannot make the folder \/proc\/x\/y: there is no such file or folder\n$/,
    )
    expect(code).toBe(2)
  })

  test('mailing-sync-mock exam shows the result, and writes what can be written, when a report cannot', async () => {
    using folder = temporaryDirectory()
    const gone = folder.at('gone')
    mkdirSync(gone)
    const { code, output, errors } = await exam([
      ...['--only', 'happy-path', '--html', `${gone}/exam.html`, '--json', folder.at('exam.json')],
      ...client('removes', gone),
    ])
    expect(output).toMatch(/^Passed: 1 case passed; nothing found /m)
    expect(errors).toContain(
      `mailing-sync-mock: cannot write ${gone}/exam.html: there is no such file or folder`,
    )
    expect(JSON.parse(readFileSync(folder.at('exam.json'), 'utf8'))).toMatchObject({ isPassed: true })
    expect(code).toBe(2)
  })

  test('mailing-sync-mock exam ends with 1 when nothing was proved', async () => {
    const { code, output } = await exam(['--only', 'keepalive-race-sent', ...client('right')])
    expect(output).toMatch(/^Not passed: 0 of 1 case passed, 1 proved nothing; .*\nNothing was proved\.$/m)
    expect(code).toBe(1)
  })

  test('mailing-sync-mock exam takes a flag with names again', async () => {
    const { output } = await exam([
      ...['--list', '--only', 'happy-path', '--only', 'reset-after,reset-before'],
    ])
    expect(output.split('\n').map(line => line.split(' ')[0])).toEqual([
      'happy-path',
      'reset-after',
      'reset-before',
      '',
    ])
  })

  test("mailing-sync-mock exam plays scenarios of one's own as well", async () => {
    using folder = temporaryDirectory()
    writeFileSync(
      folder.at('my-own.yaml'),
      'rules:\n  - on: createSending\n    steps:\n      - { phase: after, answer: { status: 502 } }\n      - { state: CREATED }\n',
    )
    const { code, output } = await exam([
      '--verbose',
      '--scenarios',
      folder.path,
      '--only',
      'my-own',
      ...client('right'),
    ])
    expect(output).toMatch(/^my-own +passed/m)
    expect(code).toBe(0)
  })

  test.each([
    ['SIGINT', 'with-child'],
    ['SIGTERM', 'with-child'],
    ['SIGINT', 'with-stray'],
  ] as const)(
    'mailing-sync-mock exam leaves nothing behind after %s, and ends with 1 (%s)',
    async (signal, way) => {
      using folder = temporaryDirectory()
      const file = folder.at('ids.json')
      const child = spawn(process.execPath, [program, 'exam', '--only', 'happy-path', ...client(way, file)])
      let output = ''
      child.stdout.setEncoding('utf8').on('data', text => {
        output += text
      })
      child.stderr.resume()
      await eventually('the client to have begun', () =>
        existsSync(file) && readFileSync(file, 'utf8').endsWith(']') ? true : undefined,
      )
      child.kill(signal)
      expect(await once(child, 'close')).toEqual([1, null])
      expect(output).toContain('It ended early: it was interrupted.')
      for (const id of JSON.parse(readFileSync(file, 'utf8')) as number[])
        await eventually(`process ${id} to be gone`, () => (isAlive(id) ? undefined : true))
    },
  )
})

function isAlive(id: number): boolean {
  try {
    process.kill(id, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${id}/status`, 'utf8'))
  } catch {
    return false
  }
}
