import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { quoteForShell } from '../../../src/judge/exam/report-text.ts'
import { type ReplaySettings, reproduceCase } from '../../../src/judge/exam/run-exam.ts'

const replay: ReplaySettings = {
  program: '/usr/local/bin/mailing-sync-mock',
  nodeOptions: [],
  environment: {},
  seed: 7,
  speed: 1,
  tls: false,
  limit: undefined,
  scenarios: undefined,
  command: ['java', '-jar', 'my client.jar'],
}

describe('the line that plays a case again', () => {
  it('the line that plays a case again names case, seed and command', () => {
    expect(reproduceCase('reset-after', replay)).toBe(
      "mailing-sync-mock exam --only reset-after --seed 7 -- java -jar 'my client.jar'",
    )
  })

  it('the line that plays a case again has what else was asked for', () => {
    expect(
      reproduceCase('reset-after', {
        ...replay,
        speed: 60,
        tls: true,
        strict: true,
        limit: 90_000,
        scenarios: 'my own',
      }),
    ).toBe(
      "mailing-sync-mock exam --only reset-after --seed 7 --speed 60 --tls --strict --timeout 90000ms --scenarios 'my own' -- java -jar 'my client.jar'",
    )
  })

  it.each([
    ['a file that Node runs', `${process.cwd()}/dist/main.js`, 'node dist/main.js exam'],
    ['a file elsewhere', '/elsewhere/dist/main.js', 'node /elsewhere/dist/main.js exam'],
    ['a dependency', '/project/node_modules/.bin/mailing-sync-mock', 'npx mailing-sync-mock exam'],
  ])('the line that plays a case again starts %s as it was started', (_, program, start) => {
    expect(reproduceCase('reset-after', { ...replay, program }).startsWith(start)).toBe(true)
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
    expect(reproduceCase('reset-after', { ...ofNode, ...started }).startsWith(`${start} --only`)).toBe(true)
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
})
