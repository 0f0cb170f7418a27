import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'

const { nodes, projects } = inject('installed')
const run = promisify(execFile)
const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...env } = process.env

if (nodes.length === 0) it.todo('runs on each Node of the registry (not run: none came from it)')

describe.each(nodes)('on Node $major', ({ major, path: node }) => {
  const [{ path: cwd }] = projects as [(typeof projects)[number]]

  it.each([['use.mjs'], ['use.cjs']])('every entry point does what it says: %s', async file => {
    const { stdout } = await run(node, [file], { cwd, env })
    expect(stdout).toMatch(new RegExp(`^fine on v${major}\\.`))
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
    const told = await run(node, [vitest, 'run', '--reporter=json'], { cwd: path, env }).catch(error => error)
    expect(told.stdout).toContain('"numTotalTests":3,"numPassedTests":3,')
    expect(told.stderr).not.toContain('deprecated')
  })
})
