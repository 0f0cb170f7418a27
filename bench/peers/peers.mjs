/**
 * Other people's programs, given the same work as far as they can do it. They are no dependencies of this project:
 * `npm ci --prefix bench/peers` installs them here, and what is not there is reported as not run.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { express } from './express.mjs'
import { jsonServer } from './json-server.mjs'
import { mockoon } from './mockoon.mjs'
import { mountebank } from './mountebank.mjs'
import { prism } from './prism.mjs'
import { wiremock } from './wiremock.mjs'

/**
 * @typedef {object} Peer
 * @property {string} title
 * @property {(place: { directory: string, port: number, mailings: number, freePort: () => Promise<number> })
 *   => Promise<{ command?: string, args: string[], notes?: object }>} prepare writes its configuration; without a command
 * it is run by node
 * @property {Record<string, string>} [cannot] why a row stays empty, by row
 * @property {Record<string, string>} [differs] what it does less or otherwise, by row
 * @property {Record<string, { path: string }>} [items] where a row is asked for elsewhere
 * @property {{ method: string, path: string, headers?: object }} [reset]
 * @property {number} [warmUp] seconds of work before the first round, over all rows
 */

const here = name => fileURLToPath(new URL(name, import.meta.url))
const installed = name => {
  const directory = here(`node_modules/${name}`)
  return existsSync(directory) ? undefined : 'it is not installed; npm ci --prefix bench/peers does that'
}

/** Where the jar of the package is. */
const jar = () => {
  const directory = here('node_modules/wiremock/build')
  return `${directory}/${readdirSync(directory).find(name => name.endsWith('.jar'))}`
}
const hasJava = () => spawnSync('java', ['-version']).status === 0

/** @type {Record<string, Peer & { whyNot: () => string | undefined }>} */
export const peers = {
  express: { ...express, whyNot: () => installed('express') },
  'json-server': { ...jsonServer, whyNot: () => installed('json-server') },
  mockoon: {
    ...mockoon(here('node_modules/@mockoon/cli/bin/run.js')),
    whyNot: () => installed('@mockoon/cli'),
  },
  mountebank: {
    ...mountebank(here('node_modules/mountebank/bin/mb')),
    whyNot: () => installed('mountebank'),
  },
  prism: {
    ...prism(here('node_modules/@stoplight/prism-cli/dist/index.js')),
    whyNot: () => installed('@stoplight/prism-cli'),
  },
  wiremock: {
    ...wiremock(jar),
    whyNot: () => installed('wiremock') ?? (hasJava() ? undefined : 'there is no java on this machine'),
  },
}
