import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createMock } from '../../src/index.ts'
import { firstPrograms } from '../../src/pages/connect-page.tsx'
import { ids } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { temporaryDirectory } from '../process.ts'

const runtimes = {
  'Node.js': [process.execPath, 'first.mjs'],
  Python: ['python3', 'first.py'],
  Java: ['java', 'First.java'],
  PHP: ['php', 'first.php'],
} as const

const programs = firstPrograms('mailing-platform').map(([name, text]) => {
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
