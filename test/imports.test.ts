import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

/** Which part of the source may know which: `service/` has never heard of scenarios, faults, the journal or sockets. */
const mayImport: Record<string, readonly string[]> = {
  store: ['store'],
  service: ['service', 'store'],
  rig: ['rig', 'service', 'store'],
  judge: ['judge', 'rig', 'store'],
  contract: ['contract', 'service', 'store'],
  pages: ['pages', 'rig', 'service', 'store'],
  client: ['client', 'rig', 'store'],
  testing: ['testing', 'client', 'index.ts'],
  verify: ['verify', 'contract', 'service', 'store', 'judge'],
  pull: ['pull', 'verify', 'store'],
  commands: [
    'commands',
    'config.ts',
    'config-error.ts',
    'settings.ts',
    'exam.ts',
    'contract',
    'judge',
    'pull',
    'rig',
    'service',
    'verify',
  ],
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
const importsOf = (file: string) =>
  [...readFileSync(join('src', file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, target]) => target!,
  )

it.each(files.filter(file => file.includes('/')))('%s imports only what its part may know', file => {
  const part = file.split('/')[0]!
  for (const target of importsOf(file).filter(name => name.startsWith('.'))) {
    const reached = normalize(join(dirname(file), target)).split('/')[0]!
    expect(mayImport[part], `${file} imports ${target}`).toContain(reached)
  }
})

/** A black box is asked over HTTP: of a mock's inside, what verifies may know names and words only. */
const plainData = [
  'contract/clauses.ts',
  'contract/openapi/resources/resources.ts',
  'service/dials.ts',
  'store/nearest.ts',
  'store/rows.ts',
  'judge/exam/reports/escaped.ts',
]

it('what verifies knows of other parts plain data only, and makes neither time nor chance', () => {
  for (const file of files.filter(name => name.startsWith('verify/'))) {
    const reached = importsOf(file)
      .filter(name => name.startsWith('.'))
      .map(name => normalize(join(dirname(file), name)))
    for (const name of reached.filter(it => !it.startsWith('verify/')))
      expect(plainData, `${file} imports ${name}`).toContain(name)
    expect(readFileSync(join('src', file), 'utf8'), file).not.toMatch(/Date\.now\(|Math\.random|randomUUID/)
  }
})

/** Of verifying: how a target is asked and what its answers are. Of the store: what a fixture is. */
const knownToPull = [
  'verify/cannot-verify.ts',
  'verify/deadline.ts',
  'verify/entry.ts',
  'verify/exchange.ts',
  'verify/hal.ts',
  'verify/patience.ts',
  'verify/target.ts',
  'verify/world.ts',
  'store/fixtures.ts',
  'store/format.ts',
  'store/generate/letters.ts',
  'store/generate/newsletter.ts',
  'store/rows.ts',
]

it('what pulls knows how a service is asked and what a fixture is, and makes neither time nor chance', () => {
  for (const file of files.filter(name => name.startsWith('pull/'))) {
    const reached = importsOf(file)
      .filter(name => name.startsWith('.'))
      .map(name => normalize(join(dirname(file), name)))
    for (const name of reached.filter(it => !it.startsWith('pull/')))
      expect(knownToPull, `${file} imports ${name}`).toContain(name)
    expect(readFileSync(join('src', file), 'utf8'), file).not.toMatch(
      /process\.env|Date\.now\(|new Date\(\)|Math\.random|randomUUID/,
    )
  }
})

it('neither service nor store opens a socket to clients, reads the environment, or takes time or chance from the process', () => {
  for (const file of files) {
    if (!/^(service|store)\//.test(file)) continue
    const allowed = file === 'store/lock.ts' ? ['node:net'] : []
    for (const target of importsOf(file))
      if (/^node:(net|http|https|http2|tls|dgram)$/.test(target)) expect(allowed, file).toContain(target)
    expect(readFileSync(join('src', file), 'utf8'), file).not.toMatch(
      /process\.env|Date\.now\(|new Date\(\)|Math\.random|randomUUID/,
    )
  }
})

it('the client of the control API takes types alone from the server, so that it brings none of it along', () => {
  const lines = files
    .filter(file => file.startsWith('client/'))
    .flatMap(file => readFileSync(join('src', file), 'utf8').split(/\n(?=import|export)/))
    .filter(line => /^(?:import|export) [^\n]*from '[^']*\.\.\/|from '\.\.\//.test(line))
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line).toMatch(/^(?:import|export) type /)
})
