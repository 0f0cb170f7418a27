/** What is measured: each a process of its own on loopback. Peers stand in peers/. */
import { spawnSync } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask } from './ask.mjs'
import { peers } from './peers/peers.mjs'
import { emptyDirectory, freePort, launch, removed } from './process.mjs'
import { scenario } from './scenario.mjs'
import { fixture, manyMailings } from './world.mjs'

const here = name => fileURLToPath(new URL(name, import.meta.url))
export const main = here('../dist/main.js')

/**
 * @typedef {object} Subject
 * @property {string} title as the tables name it
 * @property {(directory: string, mailings: number) => string[]} [args] for node
 * @property {readonly string[]} [rows] the only rows that it is for, where that is so
 * @property {number} [stored] so many sendings are there before
 * @property {boolean} [isArmed] whether a scenario is in force
 * @property {boolean} [isOurs]
 * @property {string} [main] what node starts, where that is another build of ours
 */

/** @param {readonly string[]} more flags */
const ours = (title, more, rest = {}) => ({ title, isOurs: true, more, ...rest })
const onDisk = ['--data', 'DIRECTORY']

/** @type {Record<string, Subject>} */
const own = {
  floor: { title: 'floor', args: mailings => [here('floor.mjs'), String(mailings)] },
  raw: { title: 'raw', args: mailings => [here('raw.mjs'), String(mailings)] },
  'raw-plain': {
    title: 'raw, without TLS',
    args: mailings => [here('raw.mjs'), String(mailings)],
    rows: ['tls'],
  },
  /** In the rows of TLS: the same process over its port without it. */
  plain: ours('in memory, without TLS', ['--in-memory'], { rows: ['tls'] }),
  ours: ours('in memory', ['--in-memory']),
  'ours-no-journal': ours('without journal and hints', ['--in-memory', '--journal', '0', '--no-hints']),
  'ours-scenario': ours('with a scenario in force', ['--in-memory'], { isArmed: true }),
  'ours-disk': ours('on disk', onDisk),
  'ours-disk-100': ours('on disk, 100 sendings there', onDisk, { rows: ['create'], stored: 100 }),
  'ours-disk-100000': ours('on disk, 100,000 sendings there', onDisk, { rows: ['create'], stored: 100_000 }),
  'ours-synced': ours('on disk, synced', [...onDisk, '--durability', 'fsync'], { rows: ['create'] }),
}

export const subjects = { ...own, ...peers }

/** Which of our subjects is measured beside which of the other build. */
export const pairs = {}

/** Adds the subjects of another build, `directory` being a checkout of it, to be compared with ours in the same rounds. */
export function addBuild(directory) {
  for (const [name, subject] of Object.entries(own).filter(([, { isOurs }]) => isOurs)) {
    const before = name.replace('ours', 'before')
    const title = `before: ${subject.title}`
    subjects[before] = { ...subject, title, main: join(resolve(directory), 'dist', 'main.js') }
    pairs[name] = before
  }
}

export const isPeer = name => name in peers

let help
const flags = () => {
  help ??= spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8' }).stdout
  return help
}

/** @returns why it cannot be measured here, in words; undefined where it can */
export function whyNot(name) {
  if (isPeer(name)) return peers[name].whyNot()
  const { more = [] } = subjects[name]
  const lacking = more.filter(it => it.startsWith('--')).find(flag => !flags().includes(flag))
  return lacking && `there is no setting ${lacking} yet`
}

/** What is made once in a run: fixtures and filled data directories. */
const made = new Map()

/** Removes what was made for the run. */
export async function cleanUp() {
  for (const directory of made.values()) await removed(await directory)
  made.clear()
}

function once(key, make) {
  const making = async () => {
    const directory = await emptyDirectory()
    await make(directory)
    return directory
  }
  if (!made.has(key)) made.set(key, making())
  return made.get(key)
}

/** A fixture with so many mailings, as a file. */
export async function fixtureFile(mailings) {
  const directory = await once(`fixture ${mailings}`, it =>
    writeFile(join(it, 'fixture.json'), JSON.stringify(fixture(mailings))),
  )
  return join(directory, 'fixture.json')
}

/** A data directory with so many sendings in it, made by the mock itself. */
const filled = (key, sendings, args) =>
  once(`data ${key}`, async directory => {
    const { fill } = await import('./work.mjs')
    const running = await launch(process.execPath, args(directory))
    try {
      await fill(running.port, sendings)
    } finally {
      await running.stop()
    }
  })

/**
 * Starts a subject and waits until it is ready.
 * @param {string} name
 * @param {{ mailings?: number, more?: readonly string[] }} how `mailings` 0 is what it comes with
 */
export async function start(name, { mailings = manyMailings, more = [] } = {}) {
  const subject = subjects[name]
  const directory = await emptyDirectory()
  const running = isPeer(name)
    ? await startPeer(subject, directory, mailings)
    : await launch(process.execPath, await argumentsOf(subject, directory, mailings, more))
  if (subject.isArmed) await ask(running.port, 'PUT', '/_mock/spaces/demo/scenario', scenario)
  return {
    ...running,
    name,
    ...subject,
    async stop() {
      await running.stop()
      await removed(directory)
    },
  }
}

async function argumentsOf({ args, main: program = main, more = [], stored }, directory, mailings, others) {
  if (args) return args(mailings)
  const file = mailings > 0 ? ['--fixtures', await fixtureFile(mailings)] : []
  const inside = data => [
    program,
    '--quiet',
    '--port',
    '0',
    ...file,
    ...more.map(it => (it === 'DIRECTORY' ? data : it)),
    ...others,
  ]
  if (stored) await cp(await filled(`${stored} ${program}`, stored, inside), directory, { recursive: true })
  return inside(directory)
}

async function startPeer(peer, directory, mailings) {
  const port = await freePort()
  const { command = process.execPath, args } = await peer.prepare({ directory, port, mailings, freePort })
  const { work, once: request } = await import('./work.mjs')
  const isReady = async () => (await request(port, work.read)).status === work.read.status
  return launch(command, args, { port, isReady, cwd: directory })
}
