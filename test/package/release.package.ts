import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryDirectory } from '../process.ts'

it('the bill of materials of a release has every package that runs, and no other', () => {
  const { jobs } = parse(readFileSync('.github/workflows/release.yml', 'utf8'))
  const { run } = jobs.npm.steps.find((step: { run?: string }) => step.run?.includes('npm sbom'))
  using work = temporaryDirectory()
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) copyFileSync(file, work.at(file))
  const { status, stderr } = spawnSync('bash', ['-e', '-c', run], { cwd: work.path, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  const { components } = JSON.parse(readFileSync(work.at('sbom.cdx.json'), 'utf8'))
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const running = Object.entries<Record<string, unknown>>(packages)
    .filter(([at, { dev, peer, optional, devOptional }]) => at && !dev && !peer && !optional && !devOptional)
    .map(([at, { version }]) => `${at.replace(/^.*node_modules\//, '')}@${version}`)
  expect(
    components.map((it: { name: string; version: string }) => `${it.name}@${it.version}`).sort(),
  ).toEqual(running.sort())
})
