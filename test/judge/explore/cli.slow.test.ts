import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readScenario } from '../../../src/rig/scenarios/read.ts'
import { eventually, program, run, temporaryDirectory } from '../../process.ts'

const main = join(import.meta.dirname, '../../../examples/clients')
const reference = [process.execPath, join(main, 'reference/main.mjs')]
const mutant = (id: string) => [process.execPath, join(main, 'mutants/main.mjs'), id]
const fast = ['--speed', '60']

/** An attempt to send, with the variables of a case. */
const attempt = (variables: string) => `(env => fetch(
  env.MAILING_SYNC_URL + '/integrations/mailing-platform/mailing-synchronizations/' + env.MAILING_SYNC_SYNCHRONIZATION_ID + '/sendings',
  {
    method: 'POST',
    headers: {
      authorization: 'Basic ' + btoa(env.MAILING_SYNC_USER + ':' + env.MAILING_SYNC_PASSWORD),
      'content-type': 'application/hal+json',
    },
    body: JSON.stringify({ transactionId: env.MAILING_SYNC_STATE.split('/').at(-1), scheduleDate: env.MAILING_SYNC_SCHEDULE_DATE }),
  },
))(${variables})`

const moduleText = (body: string) => `
const path = ({ url, synchronizationId }) =>
  url + '/integrations/mailing-platform/mailing-synchronizations/' + synchronizationId + '/sendings'
export default async call => {
  for (let nth = 0; nth < 5; nth++) {
    const answer = await fetch(path(call), {
      method: 'POST',
      headers: { authorization: 'Basic ' + btoa(call.user + ':' + call.password), 'content-type': 'application/hal+json' },
      body: JSON.stringify({ transactionId: ${body} }),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined)
    if (answer?.status === 201) return 'sent'
    await new Promise(resolve => setTimeout(resolve, 1_000 * 2 ** nth))
  }
  return 'unknown'
}
`

describe.concurrent('mailing-sync-mock exam with plans', () => {
  test('mailing-sync-mock exam ends with 0 for a right client that is a command', async () => {
    const undisturbed = ['--plan', 'undisturbed,scheduled:undisturbed,two-mailings:undisturbed']
    const { code, output } = await run(['exam', ...undisturbed, ...fast, '--', ...reference])
    expect(output).toMatch(/^Passed: 3 plans passed; nothing found \(seed 1, speed 60, /m)
    expect(code).toBe(0)
  })

  test('mailing-sync-mock exam hands one case after another to a warm client', async () => {
    const plans = '500-sent,reset-nothing,killed-sent,told-failed+told-pending'
    const { code, output } = await run([
      ...['exam', '--warm', '--jobs', '1', '--plan', plans],
      ...[...fast, '--', ...reference],
    ])
    expect(output).toMatch(/^Passed: 4 plans passed/m)
    expect(code).toBe(0)
  })

  test('mailing-sync-mock exam finds a mistake again with the line that it prints', async () => {
    const first = await run(['exam', '--plan', '500-sent', '--strict', ...fast, '--', ...mutant('M1')])
    expect(first.code).toBe(1)
    expect(first.output).toMatch(/^Not passed: 1 of 1 plan failed; /)
    expect(first.output).toContain('error R02')
    const [, line] = /^ {2}Reproduce: (.*)$/m.exec(first.output)!
    expect(line).toContain(' --strict ')
    const again = spawn('sh', ['-c', line!], { stdio: 'ignore' })
    expect(await once(again, 'close')).toEqual([1, null])
  })

  test('mailing-sync-mock exam keeps a module’s counterexamples as scenarios, plays them first, and reports the same from any number of threads', {
    // Three whole explorations of a client with many mistakes, beside whatever else the machine plays.
    timeout: 300_000,
  }, async () => {
    using place = temporaryDirectory()
    const folder = place.path
    const file = join(folder, 'client.mjs')
    writeFileSync(file, moduleText("'id-' + nth"))
    const corpus = join(folder, 'corpus')
    const reports = ['html', 'junit', 'json'].flatMap(form => [`--${form}`, join(folder, `report.${form}`)])
    const few = ['--only', 'reset-after', '--depth', '1']
    const args = ['exam', '--module', ...few, '--corpus', corpus, ...reports, '--', file]
    const { code } = await run(args)
    expect(code).toBe(1)
    expect(readdirSync(corpus)).toContain('500-nothing.yaml')
    const text = readFileSync(join(corpus, '500-nothing.yaml'), 'utf8')
    expect(readScenario(text, '500-nothing', 'corpus')).toMatchObject({ expect: { sent: 1, belief: 'sent' } })
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('Coverage of plans')
    expect(readFileSync(join(folder, 'report.junit'), 'utf8')).toContain('R02 in 500-nothing')
    const before = readFileSync(join(folder, 'report.json'), 'utf8')
    const again = await run(['exam', '--module', '--only', 'reset-after', '--corpus', corpus, '--', file])
    expect(again.output).toContain('R02')
    const other = args.with(args.indexOf(join(folder, 'report.json')), join(folder, 'again.json'))
    await run(other.toSpliced(1, 0, '--jobs', '3'))
    expect(readFileSync(join(folder, 'again.json'), 'utf8')).toBe(before)
  })

  test('mailing-sync-mock exam confirms a receipt in another folder and time zone, and not for another client', async () => {
    using place = temporaryDirectory()
    const write = (folder: string, id: string) => {
      mkdirSync(place.at(folder))
      const file = place.at(`${folder}/client.mjs`)
      writeFileSync(file, moduleText(id))
      return file
    }
    const receipt = place.at('receipt.json')
    const few = ['--module', '--plan', 'reset-sent,hang-sent+told-pending']
    await run(['exam', ...few, '--receipt', receipt, '--', write('one', "'same'")])
    const check = (file: string) => run(['exam', '--check', receipt, '--', file], { TZ: 'Asia/Tokyo' })
    expect(await check(write('other', "'same'"))).toMatchObject({
      output: expect.stringMatching(/receipt\.json is confirmed\.$/m),
      code: 0,
    })
    const changed = await check(write('changed', "'id-' + nth"))
    expect(changed.output).toContain(
      'receipt.json is not confirmed:\n  client.mjs is not the file of the receipt\n',
    )
    expect(changed.output).toMatch(/found now and not then: R02 in /)
    expect(changed.output).toContain('what the client did in the plans of depth 1 is not the same')
    expect(changed.code).toBe(1)
    const refused = await run(['exam', '--check', receipt, '--seed', '2', '--', 'x'])
    expect(refused.errors).toContain('--seed does nothing with --check: ')
  })

  test('mailing-sync-mock exam says that a module ends its thread', async () => {
    using place = temporaryDirectory()
    const file = join(place.path, 'client.mjs')
    writeFileSync(file, 'export default () => process.exit()')
    const { code, errors } = await run(['exam', '--module', '--', file])
    expect(errors).toContain('the client ended its thread: it called process.exit()')
    expect(code).toBe(2)
  })

  test('mailing-sync-mock exam says what it expects in place of a client or a portrait of another kind', async () => {
    using place = temporaryDirectory()
    writeFileSync(place.at('client.py'), 'print(1)')
    expect(await run(['exam', '--module', '--', place.at('client.py')])).toMatchObject({
      code: 2,
      errors: expect.stringContaining(
        'is no JavaScript module; leave --module out, and give the command that',
      ),
    })
    writeFileSync(place.at('portrait.md'), '# What it does')
    expect(await run(['exam', '--portrait-of', place.at('portrait.md'), '--', 'x'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('portrait.md is no JSON, as --portrait writes it: '),
    })
  })

  test('mailing-sync-mock exam reports what was played when its budget ends', async () => {
    const { code, output } = await run([
      ...['exam', '--only', 'happy-path', '--budget', '1ms', '--depth', '1', ...fast, '--', ...reference],
    ])
    expect(output).toMatch(
      /^Not finished: 1 case passed; nothing found .*\nIt ended early: the budget is used up\.$/m,
    )
    expect(code).toBe(0)
  })

  test('mailing-sync-mock exam leaves no process behind after an interruption, and reports', async () => {
    using place = temporaryDirectory()
    const folder = place.path
    const file = join(folder, 'client.mjs')
    // It says who it is, and never ends.
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs'; appendFileSync('${join(folder, 'ids')}', process.pid + '\\n'); setInterval(() => {}, 1000)`,
    )
    const child = spawn(process.execPath, [program, 'exam', '--jobs', '2', '--', process.execPath, file])
    let output = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text
    })
    const ids = () => {
      try {
        return readFileSync(join(folder, 'ids'), 'utf8').trim().split('\n').map(Number)
      } catch {
        return []
      }
    }
    await eventually('two clients', () => (ids().length === 2 ? true : undefined))
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([1, null])
    expect(output).toContain('It ended early: it was interrupted.')
    for (const id of ids()) expect(() => process.kill(id, 0)).toThrow()
  })

  /** A module whose client waits in steps of a millisecond of virtual time. Files say where it keeps its state when it begins, and that half an hour is over. */
  function waitingModule(folder: string): string {
    const file = join(folder, 'client.mjs')
    writeFileSync(
      file,
      `import { writeFileSync } from 'node:fs'
      export default async call => {
        writeFileSync('${join(folder, 'began')}', call.state)
        for (let waits = 0; waits < 1_800_000; waits++) await new Promise(resolve => setTimeout(resolve, 1))
        writeFileSync('${join(folder, 'waited')}', '')
      }`,
    )
    return file
  }

  test('mailing-sync-mock exam --module does not wait for runs that have begun when it is interrupted, and reports', async () => {
    using place = temporaryDirectory()
    const child = spawn(process.execPath, [program, 'exam', '--module', '--', waitingModule(place.path)])
    let output = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      output += text
    })
    await eventually('a run', () => existsSync(place.at('began')) || undefined)
    child.kill('SIGINT')
    expect(await once(child, 'close')).toEqual([1, null])
    expect(output).toContain('It ended early: it was interrupted.')
    expect(existsSync(place.at('waited'))).toBe(false)
  })

  test('a second interruption of mailing-sync-mock exam leaves no folder behind', async () => {
    using place = temporaryDirectory()
    const child = spawn(process.execPath, [program, 'exam', '--module', '--', waitingModule(place.path)])
    const state = () => existsSync(place.at('began')) && readFileSync(place.at('began'), 'utf8')
    const inFolder = await eventually('a run', () => state() || undefined)
    const [folder = ''] = /^.*?mailing-sync-module-[^/\\]+/.exec(inFolder) ?? []
    expect(existsSync(folder)).toBe(true)
    child.kill('SIGINT')
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(existsSync(folder)).toBe(false)
  })

  test('mailing-sync-mock exam ends the processes that a client leaves behind, and says so', async () => {
    using place = temporaryDirectory()
    const client = join(place.path, 'client.mjs')
    // One stays in its group, the other one leaves it.
    writeFileSync(
      client,
      `import { appendFileSync } from 'node:fs'
      import { spawn } from 'node:child_process'
      for (const detached of [true, false]) {
        const child = spawn('sleep', ['1000'], { detached, stdio: 'ignore' })
        child.unref()
        appendFileSync('${place.at('ids')}', child.pid + '\\n')
      }
      await import(${JSON.stringify(reference[1])})`,
    )
    const undisturbed = ['--plan', 'undisturbed,scheduled:undisturbed,two-mailings:undisturbed']
    const { code, errors } = await run(['exam', ...undisturbed, ...fast, '--', process.execPath, client])
    const ids = readFileSync(place.at('ids'), 'utf8').trim().split('\n').map(Number)
    expect(ids).toHaveLength(8)
    const isRunning = (id: number) => {
      try {
        // One that has ended may not have been buried.
        return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, 'utf8'))
      } catch {
        return false
      }
    }
    await eventually('their end', () => (ids.some(isRunning) ? undefined : true))
    expect(errors).toContain('the client left processes behind, which had to be ended: 8')
    expect(code).toBe(0)
  })

  test.each<[what: string, flags: string[], text: string, sentence: string]>([
    ['crashes at its start', [], "throw new Error('no configuration')", 'error crashed'],
    [
      'sends to an address of its own',
      [],
      "await fetch('http://127.0.0.1:9').catch(() => process.exit(3))",
      'error ended-at-start',
    ],
    ['sends nothing', ['--timeout', '2s'], 'setInterval(() => {}, 1000)', 'error silent'],
    ['floods', ['--timeout', '10m'], `for (;;) await ${attempt('process.env')}`, 'error flooded'],
    [
      'never ends',
      ['--timeout', '12s'],
      `await ${attempt('process.env')}; setInterval(() => {}, 1000)`,
      'error never-ended',
    ],
    [
      'ends after each case, though warm',
      ['--warm', '--jobs', '1', '--plan', 'told-pending'],
      `process.stdin.once('data', async line => { await ${attempt('JSON.parse(line)')}; console.log('{"believes":"sent"}'); process.exit() })`,
      'it ended instead of taking another case',
    ],
    [
      'looks for its address in the environment, though warm',
      ['--warm'],
      "if (!process.env.MAILING_SYNC_URL) throw new Error('MAILING_SYNC_URL is missing')",
      'with --warm this variable comes in a line of standard input, not in the environment',
    ],
    [
      'prints a line without an end, though warm',
      ['--warm', '--timeout', '1s'],
      "const more = () => process.stdout.write('x'.repeat(1e6), more); more()",
      'error silent',
    ],
  ])('mailing-sync-mock exam comes to an end with a client that %s', async (_, flags, text, sentence) => {
    using place = temporaryDirectory()
    const client = join(place.path, 'client.mjs')
    writeFileSync(client, text)
    const { output, code } = await run([
      'exam',
      '--plan',
      'undisturbed',
      ...flags,
      '--',
      process.execPath,
      client,
    ])
    expect(output).toContain(sentence)
    expect(code).toBe(1)
  })

  test('mailing-sync-mock exam says which two runs of a command differ', async () => {
    using place = temporaryDirectory()
    const client = join(place.path, 'client.mjs')
    const starts = JSON.stringify(place.at('starts'))
    // Each start sends one attempt more.
    writeFileSync(
      client,
      `import { appendFileSync, readFileSync } from 'node:fs'
      appendFileSync(${starts}, '.')
      for (const _ of readFileSync(${starts}, 'utf8').slice(0, 9)) await ${attempt('process.env')}`,
    )
    let output = ''
    // On a slow machine a short budget ends before the first plan is repeated, and a short limit before the client has begun.
    for (const [budget, timeout] of [
      ['3s', '3s'],
      ['30s', '5s'],
      ['70s', '10s'],
    ] as const) {
      rmSync(place.at('starts'), { force: true })
      const few = ['--only', 'happy-path', '--depth', '1', '--budget', budget]
      const options = [...few, '--timeout', timeout, '--jobs', '1', ...fast]
      ;({ output } = await run(['exam', ...options, '--', process.execPath, client]))
      if (output.includes('not deterministic')) break
    }
    expect(output).toContain(
      'The client is not deterministic, so no depth is complete: undisturbed and undisturbed should begin alike',
    )
    expect(output).toMatch(/one run: {5}transactionId 1.*\n {2}another run: transactionId 1; transactionId 1/)
  })

  test.each<[what: string, args: string[], sentence: string]>([
    ['no client', [], 'exam needs a client: give its command after --'],
    ['a command that is not there', ['--', 'no-such-command'], 'there is no command "no-such-command"'],
    ['a warm command that is not there', ['--warm', '--', 'no-such'], 'there is no command "no-such"'],
    ['a warm module', ['--warm', '--module', '--', 'x.mjs'], '--warm does nothing with --module'],
    ['a fast module', ['--speed', '30', '--module', '--', 'x.mjs'], '--speed does nothing with --module'],
    [
      'a timed module',
      ['--timeout', '9s', '--module', '--', 'x.mjs'],
      '--timeout does nothing with --module',
    ],
    [
      'a module that is not there',
      ['--module', '--', 'no-such.mjs'],
      '--module: there is no file no-such.mjs',
    ],
    ['a module without a client', ['--module', '--', 'package.json'], '; "node package.json" shows the line'],
    ['arguments of a module', ['--module', '--', 'x.mjs', 'y'], '--module takes one file'],
    [
      'output of a module that is to be kept',
      ['--keep-output', 'x', '--module', '--', 'x.mjs'],
      '--keep-output does nothing with --module',
    ],
    ['HTTPS without sockets', ['--tls', '--module', '--', 'x.mjs'], '--tls does nothing with --module'],
    ['an unknown plan', ['--plan', 'no-such', '--', 'x'], 'there is no plan "no-such"'],
    [
      'a misspelt plan',
      ['--plan', '500-sent+reset-nothin', '--', 'x'],
      'there is no plan "500-sent+reset-nothin"; did you mean "reset-nothing"?',
    ],
    ['a folder that is a file', ['--corpus', 'package.json', '--', 'x'], 'there is a file of that name'],
  ])('mailing-sync-mock exam ends with 2 and one sentence for %s', async (_, args, sentence) => {
    const { code, errors } = await run(['exam', ...args])
    expect(errors).toContain(sentence)
    expect(code).toBe(2)
  })
})
