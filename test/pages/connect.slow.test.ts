import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createMock } from '../../src/index.ts'
import { firstPrograms } from '../../src/pages/connect-page.tsx'
import { hasPhpunit, junitClassPath, pythonWith, ran, runJunit } from '../examples/runtimes.ts'
import { ids } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { start, temporaryDirectory } from '../process.ts'

type Env = Record<string, string | undefined>

const runtimes = {
  'Node.js': [process.execPath, 'first.mjs'],
  Python: ['python3', 'first.py'],
  Java: ['java', 'First.java'],
  PHP: ['php', 'first.php'],
} as const

const programs = firstPrograms('mailing-platform').map(({ language: name, sending: text }) => {
  const [runtime, file] = runtimes[name as keyof typeof runtimes]
  const isHere = spawnSync(runtime, ['--version']).status === 0
  return {
    title: titleOr(name, isHere ? undefined : 'it is not installed here'),
    name,
    text,
    runtime,
    file,
    isHere,
  }
})

for (const { title, name, text, runtime, file, isHere } of programs)
  it.runIf(isHere)(`the first sending on the page Connect sends one mailing: ${title}`, async () => {
    await using mock = await createMock()
    const { url } = await mock.listen()
    using folder = temporaryDirectory()
    writeFileSync(folder.at(file), text)
    const env = {
      PATH: process.env.PATH,
      MAILING_SYNC_URL: url,
      MAILING_SYNC_USER: 'demo',
      MAILING_SYNC_PASSWORD: 'demo',
      MAILING_SYNC_SYNCHRONIZATION_ID: ids.ready,
    }
    const { code, output } = await runToEnd(runtime, folder.at(file), env)
    expect(output, name).toMatch(/^201 .*CREATED/)
    expect(code).toBe(0)
    expect(await mock.space('demo').sent()).toHaveLength(1)
  })

const kits = {
  Python: {
    files: [
      'kits/python/mailing_sync_mock.py',
      'recipes/pytest/conftest.py',
      'recipes/pytest/mailing_client.py',
    ],
    test: 'test_retry.py',
    isHere: pythonWith('pytest') !== undefined,
    run: (folder: string, env: Env) => ran(folder, pythonWith('pytest')!, ['-B', '-m', 'pytest', '-q'], env),
    passes: /1 passed/,
  },
  Java: {
    files: ['kits/java/MailingSyncMock.java', 'recipes/junit/MailingClient.java'],
    test: 'RetryTest.java',
    isHere: junitClassPath !== undefined,
    run: (folder: string, env: Env) => {
      copyFileSync('test/examples/recipes/RunTests.java', join(folder, 'RunTests.java'))
      const sources = ['MailingSyncMock.java', 'MailingClient.java', 'RetryTest.java', 'RunTests.java']
      return runJunit(folder, sources, 'RetryTest', env)
    },
    passes: /passed 1 of 1/,
  },
  PHP: {
    files: ['kits/php/MailingSyncMock.php', 'recipes/phpunit/MailingClient.php'],
    test: 'RetryTest.php',
    isHere: hasPhpunit,
    run: (folder: string, env: Env) =>
      ran(folder, 'phpunit', ['--no-configuration', '--do-not-cache-result', 'RetryTest.php'], env),
    passes: /OK \(1 test/,
  },
} as const

for (const { language, test } of firstPrograms('mailing-platform').filter(it => it.test)) {
  const { files, test: file, isHere, run, passes } = kits[language as keyof typeof kits]
  const title = titleOr(language, isHere ? undefined : 'its test runner is not installed here')
  it.runIf(isHere)(`the test on the page Connect passes with the kit: ${title}`, async () => {
    await using mock = await start(['--in-memory'])
    using folder = temporaryDirectory()
    for (const name of files) copyFileSync(join('examples', name), folder.at(basename(name)))
    writeFileSync(folder.at(file), test!)
    const { status, output } = run(folder.path, { MAILING_SYNC_URL: mock.url })
    expect(output).toMatch(passes)
    expect(status).toBe(0)
  })
}

function runToEnd(runtime: string, file: string, env: NodeJS.ProcessEnv) {
  const child = spawn(runtime, [file], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', piece => {
      output += piece
    })
  return new Promise<{ code: number | null; output: string }>(done =>
    child.on('close', code => done({ code, output })),
  )
}
