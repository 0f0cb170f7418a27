import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Json } from './mock.ts'
import { temporaryDirectory } from './process.ts'

/** Nobody runs the workflow here: GitHub's own parser reads it, and what it promises is looked up in it. */
const path = '.github/workflows/release.yml'
const workflow: Json = parse(readFileSync(path, 'utf8'))
const { check, npm, image } = workflow.jobs

let parser: typeof import('@actions/workflow-parser')
beforeAll(async () => {
  // It imports JSON as bundlers take it and Node does not.
  using directory = temporaryDirectory()
  const file = directory.at('parser.mjs')
  const bundle = await rolldown({ input: '@actions/workflow-parser', platform: 'node', logLevel: 'silent' })
  await bundle.write({ file })
  await bundle.close()
  parser = await import(file)
})

/** What GitHub says is wrong with a workflow: names, types, expressions. */
const problemsIn = (name: string, content: string): string[] =>
  parser
    .parseWorkflow({ name, content }, new parser.NoOperationTraceWriter())
    .context.errors.getErrors()
    .map(({ message }) => message)

const using = (job: Json, action: string): Json =>
  job.steps.find((step: Json) => String(step.uses).startsWith(`${action}@`)).with

it.each([path, 'examples/container/github-actions.yml', 'examples/container/github-actions-built.yml'])(
  '%s is a workflow of GitHub Actions',
  file => {
    const content = readFileSync(file, 'utf8')
    expect(problemsIn(file, content)).toEqual([])
    // The parser does look.
    expect(problemsIn(file, content.replace('runs-on:', 'run-on:'))).not.toEqual([])
  },
)

it('the release publishes nothing before .ci/run has passed on the commit of the tag', () => {
  expect(workflow.on).toEqual({ push: { tags: ['v*'] } })
  expect(check.steps.at(-1).run).toMatch(/ \.ci\/run$/)
  expect([npm.needs, image.needs]).toEqual(['check', 'check'])
})

it('the release gives a job no right that it does not need', () => {
  expect(workflow.permissions).toEqual({})
  expect(check.permissions).toEqual({ contents: 'read' })
  const publishing = { contents: 'read', 'id-token': 'write', attestations: 'write' }
  expect(npm.permissions).toEqual(publishing)
  expect(image.permissions).toEqual({ ...publishing, packages: 'write' })
})

it('the release publishes the package with provenance and a bill of materials', () => {
  const commands = npm.steps.map((step: Json) => step.run).join('\n')
  expect(commands).toContain('npm publish --provenance')
  expect(using(npm, 'actions/attest-sbom')['sbom-path']).toBe('sbom.cdx.json')
})

it('the release builds the image for two architectures, with provenance and a bill of materials', () => {
  expect(using(image, 'docker/build-push-action')).toMatchObject({
    platforms: 'linux/amd64,linux/arm64',
    provenance: 'mode=max',
    sbom: true,
  })
})

it('the release ends where the tag is not the version of the package', () => {
  const [{ run }] = check.steps.filter((step: Json) => step.run?.includes('GITHUB_REF_NAME'))
  const statusFor = (tag: string) =>
    spawnSync('bash', ['-e', '-c', run], { env: { ...process.env, GITHUB_REF_NAME: tag } }).status
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect([statusFor(`v${version}`), statusFor(version), statusFor('v99.0.0')]).toEqual([0, 1, 1])
})
