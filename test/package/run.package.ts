import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { titleOr } from '../not-run.ts'

const { nodes, projects } = inject('installed')
const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
/** Tests that show what Node itself does: connections, errors of `fetch`, texts of its parsers, memory of buffers. */
const aboutNode = [
  'test/client',
  'test/hostile',
  'test/library.test.ts',
  'test/rig/faults',
  'test/rig/journal.test.ts',
  'test/server.test.ts',
  'test/store/unknown-keys.test.ts',
  'test/verify/cannot-verify.test.ts',
]
/** What is told of a file with tests. */
interface TestFile {
  readonly name: string
  readonly status: string
  readonly message: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...env } = process.env

const noNode = nodes.length === 0 ? 'none came from the registry' : undefined
/** In place of those that did not come. */
const nowhere = { major: 0, path: '' }

describe.skipIf(noNode).each(noNode ? [nowhere] : nodes)(
  titleOr('on Node $major', noNode),
  ({ major, path: node }) => {
    const [{ path: cwd }] = projects as [(typeof projects)[number]]

    it.each([['use.mjs'], ['use.cjs']])('every entry point does what it says: %s', async file => {
      const { stdout } = await run(node, [file], { cwd, env })
      expect(stdout).toMatch(new RegExp(`^fine on v${major}\\.`))
    })

    // The Node that runs this has run all tests.
    if (!process.version.startsWith(`v${major}.`))
      it('our tests of what Node itself does pass', async () => {
        const vitest = join(root, 'node_modules/vitest/vitest.mjs')
        const args = [vitest, 'run', '--reporter=json', ...aboutNode]
        const { stdout } = await run(node, args, { cwd: root, env, maxBuffer: 1 << 26 }).catch(error => error)
        const { testResults: files } = JSON.parse(stdout) as { testResults: TestFile[] }
        const failed = files.filter(({ status }) => status !== 'passed')
        const sentences = failed.flatMap(({ name, message, assertionResults: tests }) => [
          `${name}: ${message}`,
          ...tests.filter(({ status }) => status === 'failed').map(it => it.fullName),
        ])
        expect(sentences).toEqual([])
        // Vitest says nothing of a place that has no tests.
        expect(aboutNode.filter(place => !files.some(({ name }) => name.includes(`/${place}`)))).toEqual([])
      })

    it('the command starts, answers and stops', async () => {
      const program = join(cwd, 'node_modules/mailing-sync-mock/dist/main.js')
      const args = [program, '--in-memory', '--port', '0']
      const child = spawn(node, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = new Promise<number | null>(resolve => child.once('close', resolve))
      try {
        const url = await new Promise<string>((resolve, reject) => {
          let said = ''
          void ended.then(code => reject(new Error(`it ended with ${code}: ${said}`)))
          child.stdout.on('data', text => {
            said += text
            const ready = /ready on (\S+)/.exec(said)?.[1]
            if (ready) resolve(ready)
          })
        })
        expect(await (await fetch(`${url}/_mock/health`)).json()).toEqual({ status: 'ready' })
        const page = await fetch(`${url}/_mock`, { headers: { Accept: 'text/html' } })
        expect(await page.text()).toMatch(/^<!doctype html>/i)
        child.kill('SIGTERM')
        expect(await ended).toBe(0)
      } finally {
        child.kill('SIGKILL')
      }
    })

    // What differs between the majors of vitest hardly differs between those of Node.
    const tried = projects.filter(({ vitest }) => vitest === 4 || major === nodes[0]?.major)
    it.each(tried)('the fixture works in vitest $vitest', async ({ path }) => {
      const vitest = join(path, 'node_modules/vitest/vitest.mjs')
      const told = await run(node, [vitest, 'run', '--reporter=json'], { cwd: path, env }).catch(
        error => error,
      )
      expect(told.stdout).toContain('"numTotalTests":3,"numPassedTests":3,')
      expect(told.stderr).not.toContain('deprecated')
    })
  },
)
