import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../process.ts'
import { findChromium } from './chromium.mjs'

const run = (env: Record<string, string>) =>
  spawnSync(process.execPath, [fileURLToPath(new URL('run.mjs', import.meta.url))], { env, encoding: 'utf8' })

test('the browser is the one that CHROMIUM names, else the first on the PATH that can be run', () => {
  using folder = temporaryDirectory()
  for (const name of ['one', 'two', 'three']) mkdirSync(folder.at(name))
  // A folder, and a file that cannot be run, of that name are no browsers.
  mkdirSync(folder.at('one', 'chromium'))
  writeFileSync(folder.at('two', 'chromium'), '')
  const found = folder.at('three', 'google-chrome')
  writeFileSync(found, '#!/bin/sh\n')
  chmodSync(found, 0o755)
  const PATH = ['one', 'two', 'three'].map(name => folder.at(name)).join(delimiter)
  expect(findChromium({ PATH })).toBe(found)
  expect(findChromium({ PATH, CHROMIUM: process.execPath })).toBe(process.execPath)
  expect(findChromium({ PATH: folder.at('one') })).toBe(undefined)
  expect(findChromium({})).toBe(undefined)
})

test('without a browser its tests are told as not run, which is no failure', () => {
  expect(run({ PATH: '' })).toMatchObject({
    status: 0,
    stdout: 'browser tests: not run, no Chromium found\n',
    stderr: '',
  })
})

test('a CHROMIUM that cannot be run is a mistake', () => {
  expect(run({ PATH: '', CHROMIUM: '/no/such/browser' })).toMatchObject({
    status: 2,
    stdout: 'browser tests: CHROMIUM is "/no/such/browser", which is no program that can be run\n',
  })
})

test('what CI looks for in the output of the tests is what they print', () => {
  const ci = readFileSync(new URL('../../.ci/run', import.meta.url), 'utf8')
  const [, looked] = /grep -qE '(\^\(browser tests[^']+)'/.exec(ci) ?? []
  expect(looked && run({ PATH: '' }).stdout).toMatch(new RegExp(looked!))
})
