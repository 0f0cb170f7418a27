/** Generated documents and schemas: those in the repository by their hashes, those that are served as they are. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { jsonText, Recording } from './entries.mjs'
import { RunningMock, root } from './mock.mjs'

const files = [
  'openapi.yaml',
  'docs/fidelity.md',
  'docs/dials.md',
  'docs/conduct.md',
  'docs/scenarios.md',
  'docs/settings.md',
  'docs/pact.md',
  'docs/convictions.json',
  ...named('docs', '.schema.json'),
  'scenarios/scenario.schema.json',
  'scenarios/README.md',
  ...named('fixtures', '.json'),
  ...named('scenarios', '.yaml'),
]

/** The last column of the register names tests, which may move and be renamed. Another test holds that it is right. */
const lastColumn = /[^|\n]*\|$/gm

export async function record() {
  const recording = new Recording()
  const hash = (/** @type {string} */ path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const said = path === 'docs/fidelity.md' ? text.replaceAll(lastColumn, '') : text
    return createHash('sha256').update(said).digest('hex')
  }
  for (const path of files) recording.add(`sha256 of ${path}`, hash(path))
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  recording.add('exports of package.json', Object.keys(exports))
  for (const [name, entry] of Object.entries(exports)) {
    if (typeof entry === 'string') continue
    // The fixture for vitest can be imported by vitest only.
    if (name === './vitest') continue
    const module = await import(pathToFileURL(join(root, entry.default)).href)
    recording.add(`names exported by ${name}`, Object.keys(module).sort())
  }
  await served(recording)
  return { documents: recording.entries }
}

/** Schemas are long and nested: what lies deeper than this stands on one line. */
const depth = 5

/** @param {Recording} recording */
async function served(recording) {
  const mock = await RunningMock.start()
  try {
    const service = await mock.must('GET', '/openapi.json')
    const written = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'))
    const { servers: _, ...withoutServers } = service
    const { servers: __, ...writtenWithout } = written
    const isSame = isDeepStrictEqual(withoutServers, writtenWithout)
    recording.add('openapi.json of the service is openapi.yaml but for its servers', String(isSame))
    recording.add('servers of openapi.json', service.servers)
    const control = await mock.must('GET', '/control/openapi.json')
    for (const [key, value] of Object.entries(control))
      if (key !== 'paths' && key !== 'components') recording.add(`control openapi.json: ${key}`, value)
    for (const [path, value] of Object.entries(control.paths))
      recording.add(`control openapi.json: ${path}`, jsonText(value, depth))
    for (const [group, members] of Object.entries(control.components))
      for (const [name, value] of Object.entries(/** @type {object} */ (members)))
        recording.add(`control openapi.json: ${group}/${name}`, jsonText(value, depth))
    for (const path of [
      '/operations',
      '/dials',
      '/faults',
      '/exam-cases',
      '/pact/provider-states',
      '/scenarios',
    ])
      recording.add(`GET /_mock${path}`, await mock.must('GET', path))
    const { _embedded } = await mock.must('GET', '/exam-cases')
    for (const { name } of _embedded.cases)
      if (name.startsWith('loss-')) {
        const { definition } = await mock.must('GET', `/scenarios/${name}`)
        recording.add(`GET /_mock/scenarios/${name}`, JSON.stringify(definition))
      }
  } finally {
    await mock.stop()
  }
}

/** @param {string} folder @param {string} ending */
function named(folder, ending) {
  return readdirSync(join(root, folder))
    .filter(name => name.endsWith(ending))
    .sort()
    .map(name => `${folder}/${name}`)
}
