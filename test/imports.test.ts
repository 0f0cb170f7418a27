import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

/** Which part of the source may know which: `service/` has never heard of scenarios, faults, the journal or sockets. */
const mayImport: Record<string, readonly string[]> = {
  store: ['store'],
  service: ['service', 'store'],
  tls: ['tls', 'store'],
  rig: ['rig', 'service', 'store'],
  judge: ['judge', 'rig', 'store'],
  contract: ['contract', 'service', 'store'],
  'contract/verify': ['contract/verify', 'contract', 'service', 'store', 'judge'],
  'contract/pull': ['contract/pull', 'contract/verify', 'store'],
  control: ['control', 'contract', 'judge', 'rig', 'service', 'store'],
  pages: ['pages', 'control', 'judge', 'rig', 'service', 'store'],
  http: ['http', 'control', 'pages', 'rig', 'service', 'store', 'tls'],
  lib: ['lib', 'index.ts', 'contract/pull', 'control', 'http', 'judge', 'rig', 'service', 'store', 'tls'],
  cli: [
    'cli',
    'lib',
    'http',
    'pages',
    'contract',
    'contract/pull',
    'contract/verify',
    'judge',
    'rig',
    'service',
    'store',
    'tls',
  ],
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
const importsOf = (file: string) =>
  [...readFileSync(join('src', file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, target]) => target!,
  )

/** The first folder, or the first two where the second is a part of its own. */
const partOf = (file: string): string =>
  Object.keys(mayImport).find(part => part.includes('/') && file.startsWith(`${part}/`)) ??
  file.split('/')[0]!

it.each(files.filter(file => file.includes('/')))('%s imports only what its part may know', file => {
  const part = partOf(file)
  for (const target of importsOf(file).filter(name => name.startsWith('.'))) {
    const path = normalize(join(dirname(file), target))
    expect(mayImport[part], `${file} imports ${target}`).toContain(partOf(path))
  }
})

/** The files of each circle of imports, types and lazy imports included (Tarjan's strongly connected components). */
function findCircles(): string[][] {
  const positions = new Map<string, number>()
  const path: string[] = []
  const circles: string[][] = []
  /** Position of the earliest file on the path that this one leads back to. */
  function visit(file: string): number {
    const position = positions.size
    positions.set(file, position)
    const start = path.push(file) - 1
    let earliest = position
    for (const name of importsOf(file).filter(it => it.startsWith('.'))) {
      const target = normalize(join(dirname(file), name)).replace(/\.js$/, '.ts')
      if (!files.includes(target)) continue
      if (!positions.has(target)) earliest = Math.min(earliest, visit(target))
      else if (path.includes(target)) earliest = Math.min(earliest, positions.get(target)!)
    }
    if (earliest === position) circles.push(path.splice(start))
    return earliest
  }
  for (const file of files) if (!positions.has(file)) visit(file)
  return circles.filter(({ length }) => length > 1).map(circle => circle.sort())
}

it('no module imports itself by way of others, not even for a type', () => {
  expect(findCircles()).toEqual([])
})

/**
 * Memories of what follows from their keys alone: whatever happened before, they give the same. What pages run in a browser is not
 * looked at: there a module belongs to one page.
 */
const memories = ['rig/scenarios/library.ts', 'control/openapi.ts', 'pages/api-document.ts']
const looksAt = /^(?:rig|http|tls|lib|cli|control|pages(?!\/browser))\//

it.each(files.filter(file => looksAt.test(file) && !memories.includes(file)))(
  'two mocks of a process share nothing that changes: %s',
  file => {
    const text = readFileSync(join('src', file), 'utf8')
    expect(text).not.toMatch(/^(?:export )?let /m)
    for (const [, name] of text.matchAll(/^(?:export )?const (\w+)\b.* new (?:Weak)?(?:Map|Set)\b/gm))
      expect(text, `${name} is filled later`).not.toMatch(
        new RegExp(`\\b${name}\\.(?:set|add|delete|clear)\\(|getOrMake\\(${name}\\b`),
      )
  },
)

/** A black box is asked over HTTP: of a mock's inside, what verifies may know names and words only. */
const plainData = [
  'store/user-error.ts',
  'store/glob.ts',
  'store/retry-after.ts',
  'contract/clauses.ts',
  'service/claim.ts',
  'service/operation.ts',
  'service/dials.ts',
  'service/resource.ts',
  'service/operations.ts',
  'service/json-size.ts',
  'store/validation-messages.ts',
  'store/rows.ts',
  'store/maps.ts',
  'judge/exam/report-text.ts',
]

it('what verifies knows of other parts plain data only, and makes neither time nor chance', () => {
  for (const file of files.filter(name => name.startsWith('contract/verify/'))) {
    const reached = importsOf(file)
      .filter(name => name.startsWith('.'))
      .map(name => normalize(join(dirname(file), name)))
    for (const name of reached.filter(it => !it.startsWith('contract/verify/')))
      expect(plainData, `${file} imports ${name}`).toContain(name)
    expect(readFileSync(join('src', file), 'utf8'), file).not.toMatch(/Date\.now\(|Math\.random|randomUUID/)
  }
})

/** Of verifying: how a target is asked and what its answers are. Of the store: what a fixture is, and why a file cannot be used. */
const knownToPull = [
  'store/user-error.ts',
  'store/parallel.ts',
  'store/disk.ts',
  'contract/verify/cannot-verify.ts',
  'contract/verify/probe.ts',
  'contract/verify/exchange.ts',
  'contract/verify/unknown-json.ts',
  'contract/verify/target.ts',
  'contract/verify/target-reader.ts',
  'contract/verify/paths.ts',
  'contract/verify/resource-kinds.ts',
  'store/fixtures.ts',
  'store/content.ts',
  'store/format.ts',
  'store/maps.ts',
  'store/rows.ts',
]

it('what pulls knows how a service is asked and what a fixture is, and makes neither time nor chance', () => {
  for (const file of files.filter(name => name.startsWith('contract/pull/'))) {
    const reached = importsOf(file)
      .filter(name => name.startsWith('.'))
      .map(name => normalize(join(dirname(file), name)))
    for (const name of reached.filter(it => !it.startsWith('contract/pull/')))
      expect(knownToPull, `${file} imports ${name}`).toContain(name)
    expect(readFileSync(join('src', file), 'utf8'), file).not.toMatch(
      /process\.env|Date\.now\(|new Date\(\)|Math\.random|randomUUID/,
    )
  }
})

it('neither service nor store opens a socket to clients, reads the environment, or takes time or chance from the process', () => {
  for (const file of files) {
    if (!/^(service|store)\//.test(file)) continue
    const allowed = file === 'store/disk-files.ts' ? ['node:net'] : []
    for (const target of importsOf(file))
      if (/^node:(net|http|https|http2|tls|dgram)$/.test(target)) expect(allowed, file).toContain(target)
    expect(readFileSync(join('src', file), 'utf8'), file).not.toMatch(
      /process\.env|Date\.now\(|new Date\(\)|Math\.random|randomUUID/,
    )
  }
})

it('the client of the control API takes types alone from the server, so that it brings none of it along', () => {
  const lines = files
    .filter(file => /^lib\/(?:connect|control-)/.test(file))
    .flatMap(file => readFileSync(join('src', file), 'utf8').split(/\n(?=import|export)/))
    .filter(line => /^(?:import|export) [^\n]*from '\.\.\//.test(line))
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(line).toMatch(/^(?:import|export) type /)
})
