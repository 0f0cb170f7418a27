import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readCommandLine } from '../src/cli/command-line.ts'
import { configText } from '../src/contract/verify/verify-result.ts'
import { temporaryDirectory } from './process.ts'
import { mockTarget, verified } from './verify/mock-target.ts'

/** How a mock stands that is started with this file alone. */
async function startedWith(name: string, text: string) {
  using folder = temporaryDirectory()
  const file = folder.at(name)
  writeFileSync(file, text)
  const task = await readCommandLine(['--config', file], {}, '1.0.0')
  if (task.run !== 'serve') throw new Error(`it would ${task.run}`)
  return task.config
}

test.each([
  ['like.yaml', 'dial: {}\n'],
  ['like.yaml', 'port: 4711\ndial: {}\n'],
  ['like.json', '{"dial":{}}'],
])('%s with no dial in its mapping turns none: %j', async (name, text) => {
  expect((await startedWith(name, text)).dials).toEqual({})
})

test.each(['port', 'seed', 'data'])('an empty mapping is no value of %s', async name => {
  await expect(startedWith('like.yaml', `${name}: {}\n`)).rejects.toThrow(new RegExp(`like.yaml:1:.*${name}`))
})

test.each(['port: [0]', 'data: {a: b}', 'fixtures: [a.json, b.json]'])(
  'only settings with several values may be a list or a mapping: %s',
  async text => {
    await expect(startedWith('like.yaml', text)).rejects.toThrow(/like.yaml:1:\d+: \w+ cannot be [[{]/)
    const { generate, allowedHosts } = await startedWith(
      'like.yaml',
      'generate: {mailings: 5}\nallow-host: [a]',
    )
    expect({ generate, allowedHosts }).toEqual({ generate: 'mailings=5', allowedHosts: ['a'] })
  },
)

test.each(['like.yaml', 'like.json'])(
  '%s of a target that turned nothing starts a mock that turns nothing',
  async name => {
    const { fetch } = await mockTarget()
    const result = await verified(fetch, { filter: ['2.1'] })
    const config = await startedWith(name, configText(result, name.endsWith('.json')))
    expect(config.dials).toEqual({})
  },
)

test('numbers, Booleans and null of YAML are values of dials', async () => {
  const text = 'dial:\n  rate-limit: 60\n  bare-flags: true\n  approved-name-of-draft: null\n'
  expect((await startedWith('like.yaml', text)).dials).toEqual({
    'rate-limit': '60',
    'bare-flags': 'true',
    'approved-name-of-draft': 'null',
  })
})

test.each([
  ['like.yaml', 'token: 0123456789\n', '0123456789'],
  ['like.yaml', 'token: 12345678901234567890 # a comment\n', '12345678901234567890'],
  ['like.json', '{"token": 12345678901234567890}', '12345678901234567890'],
])('%s with a token of digits has it as it is written: %j', async (name, text, token) => {
  expect(await startedWith(name, text)).toMatchObject({ token })
  expect(await startedWith('like.yaml', 'seed: 1e3\nport: 0x1F90\n')).toMatchObject({
    seed: 1000,
    port: 8080,
  })
})

test.each([
  ['token: 12345e678', 'token', '12345e678'],
  ['token: 0x1234567890abcdef', 'token', '0x1234567890abcdef'],
  ['token: 1234567.10', 'token', '1234567.10'],
  ['platform-segment: 1e3', 'platformSegment', '1e3'],
  ['platform-segment: True', 'platformSegment', 'True'],
  ['data: 1.10', 'data', '1.10'],
  ['allow-host: [1.10, a]', 'allowedHosts', ['1.10', 'a']],
  ['generate: { mailings: 007 }', 'generate', 'mailings=007'],
  ['in-memory: TRUE', 'inMemory', true],
])('a text of a file of settings keeps its letters: %s', async (text, option, expected) => {
  expect(await startedWith('like.yaml', text)).toMatchObject({ [option]: expected })
})

test.each([
  ['seed: 9007199254740993', /seed is "9007199254740993": expected a whole number/],
  ['port: 20261128093000001', /port is "20261128093000001"/],
  ['dial: { rate-limit: 060 }', /Dial rate-limit cannot be "060"; possible: /],
  ['data: [20261128093000001]', /data cannot be \["20261128093000001"\]/],
])('a number of a file of settings is refused as it is written: %s', async (text, sentence) => {
  await expect(startedWith('like.yaml', text)).rejects.toThrow(sentence)
})

test('a fixture is told from a file of settings', async () => {
  const fixture = '{ "$schema": "x", "$format": 1, "space": "demo" }'
  await expect(startedWith('staging.json', fixture)).rejects.toThrow(
    /^--config \S+staging\.json: it is a fixture; give it with --fixtures$/,
  )
})

test('what is possible in place of unknown names is listed once', async () => {
  const failure = startedWith('like.yaml', 'prot: 1\nfixture: a\nother: 2\n')
  await expect(failure).rejects.toThrow(
    /:1:1: unknown key "prot"; did you mean "port"\?; .*:2:1: .*"fixture"; did you mean "fixtures"\?; .*:3:1: unknown key "other"; possible: /s,
  )
  await expect(failure).rejects.not.toThrow(/possible: .*possible: /s)
})
