import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { operationIds } from '../../src/service/operations.ts'
import { titleOr } from '../not-run.ts'
import { type Running, start } from '../process.ts'

/* Clients that generators make of both documents: they compile, have every operation, and send one mailing. */

const { nodes, projects } = inject('installed')
const run = promisify(execFile)
/** Some of the generators need a Node that is newer than the one that the mock is for. */
const node = nodes.at(-1)?.path
const documents = ['openapi.yaml', 'openapi-3.0.yaml']

/** By the name of what uses the result. `{in}` is the document, `{out}` a folder. */
const generators = [
  {
    name: 'openapi-typescript',
    tools: ['openapi-typescript@7', 'openapi-fetch@0.17'],
    program: 'openapi-typescript/bin/cli.js',
    args: ['{in}', '-o', '{out}/schema.ts'],
    result: 'schema.ts',
    operation: /^ {4}\w+: \{\n {8}parameters: \{/gm,
  },
  {
    name: 'hey-api',
    tools: ['@hey-api/openapi-ts@0.95'],
    program: '@hey-api/openapi-ts/bin/run.js',
    args: ['-i', '{in}', '-o', '{out}'],
    result: 'sdk.gen.ts',
    operation: /^export const \w+ = </gm,
  },
  {
    name: 'orval',
    tools: ['orval@8'],
    program: 'orval/dist/bin/orval.mjs',
    args: ['--input', '{in}', '--output', '{out}/service.ts', '--client', 'fetch'],
    result: 'service.ts',
    operation: /^export const \w+ = async/gm,
  },
]

const noNode = node === undefined ? 'no Node came from the registry' : undefined

describe.skipIf(noNode)(titleOr('the client of', noNode), () => {
  const work = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-generators-'))
  let mock: Running

  beforeAll(async () => {
    writeFileSync(join(work, 'package.json'), '{ "private": true, "type": "module" }')
    const tools = ['typescript@5.9', '@types/node@20', ...generators.flatMap(it => it.tools)]
    const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await run('npm', ['install', ...flags, ...tools], { cwd: work })
    for (const { name } of generators)
      copyFileSync(new URL(`generators/${name}.ts`, import.meta.url), join(work, `${name}.ts`))
    mock = await start(['--in-memory'])
  })
  afterAll(async () => {
    await mock?.stop()
    await rm(work, { recursive: true, force: true })
  })

  const packaged = join(projects[0]!.path, 'node_modules/mailing-sync-mock')
  const cases = generators.flatMap(generator => documents.map(document => ({ ...generator, document })))
  it.each(cases)('$name from $document compiles, has each operation once, and sends', async it => {
    const { name, document, program, args, result, operation } = it
    const places = { '{in}': join(packaged, document), '{out}': join(work, name) }
    await rm(places['{out}'], { recursive: true, force: true })
    const told = args.map(arg => arg.replace(/^\{\w+\}/, place => places[place as keyof typeof places]))
    await run(node!, [join(work, 'node_modules', program), ...told], { cwd: work })
    expect(readFileSync(join(places['{out}'], result), 'utf8').match(operation)).toHaveLength(
      operationIds.length,
    )

    const strict = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'esnext']
    const compiler = join(work, 'node_modules/typescript/bin/tsc')
    const compiled = await run(
      node!,
      [
        compiler,
        ...strict,
        '--moduleResolution',
        'bundler',
        '--lib',
        'es2022,dom,dom.iterable',
        `${name}.ts`,
      ],
      { cwd: work },
    ).catch(error => error)
    expect(compiled.stdout).toBe('')

    const bundle = await rolldown({ input: join(work, `${name}.ts`), platform: 'node', logLevel: 'silent' })
    await bundle.write({ file: join(work, `${name}.mjs`) })
    await bundle.close()
    const env = { ...process.env, MOCK_URL: mock.url, MOCK_USER: `demo+${name}-${document}` }
    const sent = await run(node!, [join(work, `${name}.mjs`)], { env })
    expect(sent.stdout).toMatch(/^201 CREATED \d+\n$/)
  })
})
