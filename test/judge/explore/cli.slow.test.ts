import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readScenario } from '../../../src/rig/scenarios/read.ts'
import { eventually, program, run, temporaryDirectory } from '../../process.ts'

const main = join(import.meta.dirname, '../../../examples/clients')
const reference = [process.execPath, join(main, 'reference/main.mjs')]
const mutant = (id: string) => [process.execPath, join(main, 'mutants/main.mjs'), id]
const fast = ['--speed', '60']

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

describe.concurrent('mailing-sync-mock explore', () => {
  test('mailing-sync-mock explore ends with 0 for a right client that is a command', async () => {
    const { code, output } = await run(['explore', '--depth', '0', ...fast, '--', ...reference])
    expect(output).toMatch(/^Passed: 3 runs, nothing found; complete up to depth 0 \(seed 1\)$/m)
    expect(code).toBe(0)
  })

  test('mailing-sync-mock explore hands one case after another to a warm client', async () => {
    const plans = '500-sent,reset-nothing,killed-sent,told-failed+told-pending'
    const { code, output } = await run([
      ...['explore', '--warm', '--jobs', '1', '--plan', plans],
      ...[...fast, '--', ...reference],
    ])
    expect(output).toMatch(/^Passed: 4 runs/m)
    expect(code).toBe(0)
  })

  test('mailing-sync-mock explore finds a mistake again with the line that it prints', async () => {
    const first = await run(['explore', '--plan', '500-sent', ...fast, '--', ...mutant('M1')])
    expect(first.code).toBe(1)
    expect(first.output).toContain('error R02')
    const [, line] = /^ {2}Reproduce: (.*)$/m.exec(first.output)!
    const again = spawn('sh', ['-c', line!], { stdio: 'ignore' })
    expect(await once(again, 'close')).toEqual([1, null])
  })

  test('mailing-sync-mock explore keeps a module’s counterexamples as scenarios, plays them first, and reports the same from any number of threads', async () => {
    using place = temporaryDirectory()
    const folder = place.path
    const file = join(folder, 'client.mjs')
    writeFileSync(file, moduleText("'id-' + nth"))
    const corpus = join(folder, 'corpus')
    const reports = ['html', 'junit', 'json'].flatMap(form => [`--${form}`, join(folder, `report.${form}`)])
    const args = ['explore', '--module', '--depth', '1', '--corpus', corpus, ...reports, '--', file]
    const { code } = await run(args)
    expect(code).toBe(1)
    expect(readdirSync(corpus)).toContain('500-nothing.yaml')
    const text = readFileSync(join(corpus, '500-nothing.yaml'), 'utf8')
    expect(readScenario(text, '500-nothing', 'corpus')).toMatchObject({ expect: { sent: 1, belief: 'sent' } })
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('Coverage of plans')
    expect(readFileSync(join(folder, 'report.junit'), 'utf8')).toContain('R02 in 500-nothing')
    const before = readFileSync(join(folder, 'report.json'), 'utf8')
    const again = await run(['explore', '--module', '--depth', '0', '--corpus', corpus, '--', file])
    expect(again.output).toContain('R02')
    const other = args.with(args.indexOf(join(folder, 'report.json')), join(folder, 'again.json'))
    await run(other.toSpliced(1, 0, '--jobs', '3'))
    expect(readFileSync(join(folder, 'again.json'), 'utf8')).toBe(before)
  })

  test('mailing-sync-mock explore says that a module ends its thread', async () => {
    using place = temporaryDirectory()
    const file = join(place.path, 'client.mjs')
    writeFileSync(file, 'export default () => process.exit()')
    const { code, errors } = await run(['explore', '--module', '--', file])
    expect(errors).toContain('the client ended its thread: it called process.exit()')
    expect(code).toBe(2)
  })

  test('mailing-sync-mock explore reports what was played when its budget ends', async () => {
    const { code, output } = await run([
      ...['explore', '--budget', '1ms', '--depth', '1', ...fast, '--', ...reference],
    ])
    expect(output).toContain('It ended early: the budget is used up.')
    expect(code).toBe(1)
  })

  test('mailing-sync-mock explore leaves no process behind after an interruption, and reports', async () => {
    using place = temporaryDirectory()
    const folder = place.path
    const file = join(folder, 'client.mjs')
    // It says who it is, and never ends.
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs'; appendFileSync('${join(folder, 'ids')}', process.pid + '\\n'); setInterval(() => {}, 1000)`,
    )
    const child = spawn(process.execPath, [program, 'explore', '--jobs', '2', '--', process.execPath, file])
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

  test.each<[what: string, args: string[], sentence: string]>([
    ['no client', [], 'explore needs a client: give its command after --'],
    ['a command that is not there', ['--', 'no-such-command'], 'there is no command "no-such-command"'],
    ['a warm command that is not there', ['--warm', '--', 'no-such'], 'there is no command "no-such"'],
    ['a warm module', ['--warm', '--module', '--', 'x.mjs'], '--warm does nothing with --module'],
    ['a module that is not there', ['--module', '--', 'no-such.mjs'], 'cannot load the module no-such.mjs'],
    ['a module without a client', ['--module', '--', 'package.json'], 'cannot load the module package.json'],
    ['arguments of a module', ['--module', '--', 'x.mjs', 'y'], '--module takes one file'],
    ['an unknown plan', ['--plan', 'no-such', '--', 'x'], 'there is no plan "no-such"'],
    ['a folder that is a file', ['--corpus', 'package.json', '--', 'x'], 'there is a file of that name'],
  ])('mailing-sync-mock explore ends with 2 and one sentence for %s', async (_, args, sentence) => {
    const { code, errors } = await run(['explore', ...args])
    expect(errors).toContain(sentence)
    expect(code).toBe(2)
  })
})
