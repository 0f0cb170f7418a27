import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FlagsOf } from '../src/cli/command-flags.ts'
import { readCommandLine } from '../src/cli/command-line.ts'
import { reportCommand } from '../src/cli/report-command.ts'
import { openingOf } from '../src/judge/run/run-text.ts'
import type { AssemblyOptions } from '../src/lib/assemble-mock.ts'
import { ids, synchronizationPath } from './mock.ts'
import { takenPort, temporaryDirectory } from './process.ts'
import { startTester, type Tester } from './rig/control/tester.ts'

let tester: Tester
let url: string
const start = async (options: AssemblyOptions = {}) => {
  tester = await startTester(options)
  url = await tester.listen()
}
afterEach(() => tester?.close())

/** What the command prints, on standard output and on standard error. */
const printed = { output: '', errors: '' }
beforeEach(() => {
  printed.output = ''
  printed.errors = ''
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    printed.output += text
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation(text => {
    printed.errors += text
    return true
  })
})
afterEach(() => vi.restoreAllMocks())

/** Reads flags as the command line does, and runs the command. */
async function report(...args: string[]) {
  const task = await readCommandLine(['report', '--url', url, ...args], {}, '1.0.0')
  if (task.run !== 'report') throw new Error(`it would ${task.run}`)
  return reportCommand(task.flags as FlagsOf<'report'>)
}

const send = (user: string, transactionId = 'one') =>
  tester.as(user).post(synchronizationPath(ids.ready, '/sendings'), { transactionId })

/** A client of which a test says that it meant one mailing, and that sends two. */
async function sendTwice(user: string) {
  for (const transactionId of ['one', 'two']) await send(user, transactionId)
  await tester.get(`/spaces/${encodeURIComponent(user)}/verdict?expected=1&workers=1`)
}

describe('mailing-sync-mock report', () => {
  it('report prints a page and ends with 0 where no client failed, with 1 where one did', async () => {
    await start()
    await send('demo+right')
    expect(await report()).toBe(0)
    expect(printed.output).toContain('Passed: 1 space: 1 passed')
    await sendTwice('demo+wrong')
    expect(await report()).toBe(1)
    expect(await report('--label', 'demo+right')).toBe(0)
    expect(await report('--fail-on', 'never')).toBe(0)
  })

  it('report fails where its label matches nothing, unless nothing is to fail', async () => {
    await start()
    await send('demo')
    expect(await report('--label', 'nobody')).toBe(1)
    expect(printed.output).toContain('no request came to a space whose name matches nobody')
    expect(await report('--label', 'nobody', '--fail-on', 'never')).toBe(0)
  })

  it.each([
    ['junit', '<testsuites name="mailing-sync-mock run"'],
    ['json', '"version": 1'],
    ['html', '<!doctype html>'],
    ['markdown', '## '],
    ['text', 'Not passed: '],
    ['github', '::error title=demo+wrong%3A '],
  ])('report writes the form %s to a file', async (form, text) => {
    using folder = temporaryDirectory()
    await start()
    await sendTwice('demo+wrong')
    expect(await report('--format', form, '--output', folder.at('report'))).toBe(1)
    expect(readFileSync(folder.at('report'), 'utf8')).toContain(text)
    expect(printed.output).toBe('')
    expect(printed.errors).toBe(`Not passed: 1 space: 1 failed\nWritten: ${folder.at('report')}\n`)
  })

  it('report keeps the capsules of what did not pass, and names their files in place of addresses', async () => {
    using folder = temporaryDirectory()
    await start()
    await send('demo+right')
    await sendTwice('demo+wrong/../../x')
    const file = join(folder.at('capsules'), 'demo+wrong%2F..%2F..%2Fx.capsule.json')
    expect(await report('--capsules', folder.at('capsules'))).toBe(1)
    expect(readdirSync(folder.at('capsules'))).toEqual([basename(file)])
    expect(JSON.parse(readFileSync(file, 'utf8')).space).toBe('demo+wrong/../../x')
    const where = `Look at ${basename(file)} in a clone of mailing-sync-mock:`
    const command = `npm start -- open /path/to/${basename(file)}`
    expect(printed.output).toContain(`: \`${command}\``)
    expect(printed.output).not.toContain('while the mock runs')
    const commands = {
      html: `<p>${where}</p><pre>${command}</pre>`,
      junit: `${where} ${command}`,
      json: file,
    }
    for (const [format, text] of Object.entries(commands)) {
      printed.output = ''
      expect(await report('--capsules', folder.at('capsules'), '--format', format)).toBe(1)
      expect(printed.output, format).toContain(text)
      expect(printed.output, format).not.toContain('/wrong%2F..%2F..%2Fx/capsule')
    }
  })

  it('report names a space of which no capsule came, and makes no folder where a file is', async () => {
    using folder = temporaryDirectory()
    await start()
    await sendTwice('demo+wrong')
    writeFileSync(folder.at('file'), '')
    await expect(report('--capsules', folder.at('file'))).rejects.toThrow(/cannot write to the folder .*file/)
    const answer = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (...call) => {
      const response = await answer(...call)
      // Meanwhile another test removes its space.
      if (new URL((call[0] as Request).url).pathname.endsWith('/report'))
        await tester.delete('/spaces/demo+wrong')
      return response
    })
    expect(await report('--capsules', folder.at('capsules'))).toBe(1)
    expect(printed.errors).toMatch(/no capsule of demo\+wrong: .*404/)
    expect(printed.output).not.toMatch(/capsule/i)
  })

  it('report accepts what a known-file has, and names the entries that accept nothing', async () => {
    using folder = temporaryDirectory()
    await start()
    await sendTwice('demo+wrong')
    const { causes } = (await tester.get('/report')).json.cases[0]
    expect(causes).toEqual(['R23', 'sent-too-often'])
    const file = folder.at('known.yaml')
    writeFileSync(
      file,
      `${causes.map((it: string) => `- rule: ${it}\n  case: demo+wr*\n  reason: to be mended\n`).join('')}- rule: R01\n  reason: long ago\n`,
    )
    expect(await report('--known', file)).toBe(0)
    expect(printed.output).toContain('1 space: 1 known')
    expect(printed.output).toContain('known.yaml:7: R01')
    printed.output = ''
    expect(await report('--known', file, '--format', 'junit')).toBe(0)
    expect(printed.output).toContain(
      '<skipped message="known: sent-too-often: to be mended; R23: to be mended"/>',
    )
    writeFileSync(file, '- rule: R99\n  reason: none\n')
    await expect(report('--known', file)).rejects.toThrow(/known\.yaml:1:9: rule: there is no rule "R99"/)
  })

  it('an annotation of GitHub is one line, whatever a client says', async () => {
    await start()
    await sendTwice('demo+a,b%0A')
    await report('--format', 'github')
    expect(printed.output.match(/\n/g)).toHaveLength(1)
    expect(printed.output).toMatch(/^::error title=demo\+a%2Cb%250A%3A [^\n]+::/)
  })

  it('the text for the log of a job begins with the headline, and ends with what failed and the command for its capsule', async () => {
    using folder = temporaryDirectory()
    await start()
    await sendTwice('demo+wrong')
    await send('demo+x')
    expect(await report('--format', 'text', '--capsules', folder.at('capsules'))).toBe(1)
    const file = join(folder.at('capsules'), 'demo+wrong.capsule.json')
    const lines = printed.output.split('\n')
    expect(lines[0]).toBe('Not passed: 2 spaces: 1 failed, 1 passed')
    expect(lines.slice(2, 4)).toEqual(['', expect.stringMatching(/^demo\+wrong: R23 was broken: /)])
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}Read: docs\/conduct\.md#r23$/))
    // Nothing is installed here, and npx would fetch whatever has that name at a registry.
    const { where, command } = openingOf(file)
    expect(lines.slice(-2)).toEqual([`  ${where}: ${command}`, ''])
    expect(command).toBe('npm start -- open /path/to/demo+wrong.capsule.json')
    expect(openingOf(file, ['npx', 'mailing-sync-mock'])).toEqual({
      where: 'Look at it',
      command: `npx mailing-sync-mock open ${file}`,
    })
  })

  it('the annotations name what failed although no space is listed', async () => {
    await start()
    expect(await report('--format', 'github')).toBe(1)
    expect(printed.output).toBe('::error title=mailing-sync-mock::Not passed: no request came to a space\n')
  })

  it('Markdown has paths as code, without backslashes', async () => {
    await start()
    await sendTwice('demo+wrong')
    await report()
    expect(printed.output).toContain('- Read: `docs/conduct.md#r23`')
  })

  it('a mock with a token takes it from the flag, and is refused without it', async () => {
    await start({ token: 'a-long-token' })
    await send('demo')
    expect(await report('--token', 'a-long-token')).toBe(0)
    await expect(report()).rejects.toThrow(/was refused \(401\)/)
  })

  it('report says so where no mock answers', async () => {
    using taken = await takenPort()
    url = `http://127.0.0.1:${taken.port}/not/a?mock`
    await expect(report()).rejects.toThrow(/is no address of a mock/)
  })
})
