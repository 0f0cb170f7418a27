import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { quoteForShell } from '../../../src/judge/exam/report-text.ts'
import {
  installedWords,
  programWords,
  type ReplaySettings,
  reproduceLine,
} from '../../../src/judge/exam/reproduce.ts'

const replay: ReplaySettings = {
  program: '/usr/local/bin/mailing-sync-mock',
  nodeOptions: [],
  environment: {},
  seed: 7,
  speed: 1,
  tls: false,
  command: ['java', '-jar', 'my client.jar'],
}

const resetAfter = { name: 'reset-after', isPlan: false }

describe('the line that plays a case again', () => {
  it('the line that plays a case again names case, seed and command', () => {
    expect(reproduceLine(resetAfter, replay)).toBe(
      "mailing-sync-mock exam --only reset-after --seed 7 -- java -jar 'my client.jar'",
    )
  })

  it('the line that plays a case again has what else was asked for', () => {
    expect(
      reproduceLine(resetAfter, {
        ...replay,
        speed: 60,
        tls: true,
        strict: true,
        timeout: 90_000,
        scenarios: 'my own',
      }),
    ).toBe(
      "mailing-sync-mock exam --only reset-after --seed 7 --speed 60 --tls --strict --timeout 90000ms --scenarios 'my own' -- java -jar 'my client.jar'",
    )
  })

  it('the line that plays a plan again names the plan, and how the client is run', () => {
    const plan = { name: 'scheduled:500-sent', isPlan: true }
    expect(reproduceLine(plan, { ...replay, module: true, command: ['client.mjs'] })).toBe(
      'mailing-sync-mock exam --plan scheduled:500-sent --seed 7 --module -- client.mjs',
    )
    expect(reproduceLine(plan, { ...replay, warm: true, command: ['client'] })).toContain(
      ' --warm --speed 1 -- client',
    )
  })

  it.each([
    ['a file that Node runs', `${process.cwd()}/dist/main.js`, 'node dist/main.js exam'],
    ['a file elsewhere', '/elsewhere/dist/main.js', 'node /elsewhere/dist/main.js exam'],
    ['a dependency', '/project/node_modules/.bin/mailing-sync-mock', 'npx mailing-sync-mock exam'],
  ])('the line that plays a case again starts %s as it was started', (_, program, start) => {
    expect(reproduceLine(resetAfter, { ...replay, program }).startsWith(start)).toBe(true)
  })

  const ofNode = { ...replay, program: `${process.cwd()}/dist/main.js` }
  const npm = (name: string, script: string) => ({ npm_lifecycle_event: name, npm_lifecycle_script: script })

  it.each<[string, Partial<ReplaySettings>, string]>([
    [
      "Node's own options",
      { nodeOptions: ['--enable-source-maps'] },
      'node --enable-source-maps dist/main.js exam',
    ],
    [
      'npm start',
      {
        program: `${process.cwd()}/scripts/start.mjs`,
        environment: npm('start', 'node scripts/start.mjs'),
      },
      'npm start -- exam',
    ],
    ['another script of npm', { environment: npm('mock', 'node dist/main.js') }, 'npm run mock -- exam'],
    ['no script that does more', { environment: npm('test', 'sh all-tests') }, 'node dist/main.js exam'],
  ])('the line that plays a case again begins with what was typed: %s', (_, started, start) => {
    expect(reproduceLine(resetAfter, { ...ofNode, ...started }).startsWith(`${start} --only`)).toBe(true)
  })
})

describe('a word of a shell', () => {
  it.each(['plain', 'two words', "it's", '$HOME `id` "x" \\ *', '', '-', 'ä€'])(
    '%j comes back from it',
    text => {
      expect(execFileSync('sh', ['-c', `printf %s ${quoteForShell(text)}`], { encoding: 'utf8' })).toBe(text)
    },
  )

  it('a word of a shell stays on one line', () => {
    expect(quoteForShell("line\nbreak's\ttab")).toBe("$'line\\x0abreak\\'s\\x09tab'")
  })

  it.each([
    ['a dependency', '/project/node_modules/mailing-sync-mock', '/project', 'npx mailing-sync-mock'],
    ['a clone', '/clone', '/clone', 'npm start --'],
    ['a clone of which a folder is the current one', '/clone', '/clone/examples', 'node /clone/dist/main.js'],
    ['a clone elsewhere', '/clone', '/project', 'node /clone/dist/main.js'],
    ['a clone below', '/project/clone', '/project', 'node clone/dist/main.js'],
  ])('a test runner that has loaded %s is told how to start it', (_, folder, current, words) => {
    expect(installedWords(folder, current).join(' ')).toBe(words)
  })

  it.each(['/clone/node_modules/vitest/vitest.mjs', '/clone/node_modules/.bin/vitest', '', '/x/client.mjs'])(
    'the program of a test runner or of a client is never taken for the mock: %s',
    program => {
      expect(programWords({ program }).join(' ')).toBe('npm start --')
    },
  )
})
