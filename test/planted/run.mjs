/**
 * `npm run planted`: plants faults into copies of this tree, one at a time, and says by which test each is caught.
 *
 *   --only NAME       this fault alone; may be given several times
 *   --jobs N          copies that are worked on at the same time (2)
 *   --json FILE       writes the result to FILE
 *   --compare FILE    fails if a fault that is caught in FILE is not caught now
 *   --check           only finds the place of each fault
 *   --types           plants all of them at once and compiles that: a fault that the compiler finds is no test of tests
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFlags } from '../../scripts/read-flags.mjs'
import { faults } from './faults.mjs'

/** @typedef {import('./fault.ts').Fault} Fault */
/** @typedef {{ file: string, test: string }} Catch */
/** @typedef {{ fault: Fault, caught?: Catch, failure?: string, seconds: number }} Result */
/** @typedef {{ source: string, planted: number, caught: Record<string, Catch>, notCaught: Record<string, string> }} Report */

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Milliseconds that a run of a test file, or a build, may take. */
const timeLimit = 240_000

const { values: options } = readFlags('planted', {
  options: {
    only: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '2' },
    json: { type: 'string' },
    compare: { type: 'string' },
    check: { type: 'boolean', default: false },
    types: { type: 'boolean', default: false },
  },
})

function main() {
  const chosen = choose(options.only)
  const jobs = Number(options.jobs)
  if (!Number.isInteger(jobs) || jobs < 1) stop(`--jobs is "${options.jobs}": expected a whole number from 1`)
  /** @type {Report | undefined} */
  const before = options.compare === undefined ? undefined : JSON.parse(readFileSync(options.compare, 'utf8'))

  const places = locate(chosen)
  if (options.check) {
    for (const [{ name }, path] of places) console.log(`${name}: ${path}`)
    return Promise.resolve()
  }
  return run(places, jobs, before)
}

/** @param {string[] | undefined} names */
function choose(names) {
  for (const [at, { name }] of faults.entries())
    if (faults.findIndex(it => it.name === name) !== at) stop(`two faults have the name "${name}"`)
  if (!names) return faults
  for (const name of names)
    if (!faults.some(it => it.name === name))
      stop(`there is no fault "${name}"; there are:\n  ${faults.map(it => it.name).join('\n  ')}`)
  return faults.filter(({ name }) => names.includes(name))
}

/** Paths of the files that are under version control or could be. */
function filesOfTree() {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  // In a work tree that shares its packages with another one, node_modules is a link, and listed.
  return listed
    .split('\0')
    .filter(path => path !== '' && lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile())
}

/**
 * The file that each fault is planted into: the one place of `src` that has its snippet.
 * @param {readonly Fault[]} chosen
 */
function locate(chosen) {
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(path => ({ path: relative(root, path), text: readFileSync(path, 'utf8') }))
  /** @type {Map<Fault, string>} */
  const places = new Map()
  const wrong = []
  for (const fault of chosen) {
    const found = sources.flatMap(({ path, text }) => [...text.matchAll(formOf(fault))].map(() => path))
    const [path] = found
    if (path !== undefined && found.length === 1) places.set(fault, path)
    else wrong.push({ fault, found })
    for (const test of fault.tests)
      if (!existsSync(join(root, test))) stop(`fault "${fault.name}": there is no test file ${test}`)
  }
  if (wrong.length === 0) return places
  for (const { fault, found } of wrong) {
    console.error(`\n"${fault.name}" ${found.length === 0 ? 'HAS NO PLACE' : `HAS ${found.length} PLACES`}`)
    console.error(`  breaks:  ${fault.breaks}`)
    console.error(`  place:   ${fault.place}`)
    console.error(`  snippet: ${fault.find.replaceAll('\n', '\n           ')}`)
    for (const path of found) console.error(`  found in ${path}`)
  }
  return stop(
    `\n${wrong.length} of ${chosen.length} faults cannot be planted: the snippet of each must occur exactly once in src.\nFind the place again and change "find" and "plant" of the fault.`,
  )
}

/**
 * The snippet, however it is broken into lines.
 * @param {Fault} fault
 */
const formOf = ({ find }) =>
  new RegExp(
    find
      .split(/\s+/)
      .map(word => escaped(word))
      .join('\\s+'),
    'g',
  )

const escaped = (/** @type {string} */ text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/**
 * @param {Map<Fault, string>} places
 * @param {number} jobs
 * @param {Report | undefined} before
 */
async function run(places, jobs, before) {
  if (!existsSync(join(root, 'dist'))) stop('dist is missing, and some tests need it: npm run build')
  const temporary = mkdtempSync(join(tmpdir(), 'planted-faults-'))
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(signal, () => process.exit(130))
  const trees = Array.from({ length: Math.min(jobs, places.size) }, (_, at) =>
    copyTree(join(temporary, `${at}`)),
  )

  if (options.types) return compile(trees[0] ?? '', places)
  const failing = await failingTests(trees[0] ?? '', [...places.keys()], jobs)

  /** @type {Result[]} */
  const results = []
  const queue = [...places]
  await Promise.all(
    trees.map(async tree => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [fault, path] = next
        const file = join(tree, path)
        const start = performance.now()
        const sound = plant(fault, file)
        const outcome = await planted(tree, fault, failing)
        writeFileSync(file, sound)
        const result = { fault, ...outcome, seconds: (performance.now() - start) / 1000 }
        results.push(result)
        console.log(lineOf(result))
      }
    }),
  )
  conclude(places, results, before)
}

/**
 * @param {Fault} fault
 * @param {string} file
 * @returns {string} the file as it was
 */
function plant(fault, file) {
  const sound = readFileSync(file, 'utf8')
  const faulty = sound.replace(formOf(fault), () => fault.plant)
  if (faulty === sound) stop(`"${fault.name}" changes nothing`)
  writeFileSync(file, faulty)
  return sound
}

/** @param {string} tree */
function copyTree(tree) {
  for (const path of filesOfTree()) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    cpSync(join(root, path), join(tree, path))
  }
  for (const shared of ['node_modules', 'dist']) symlinkSync(join(root, shared), join(tree, shared))
  return tree
}

/**
 * Test files that fail without a fault, of which nothing follows when they fail with one.
 * @param {string} tree
 * @param {readonly Fault[]} chosen
 * @param {number} jobs
 */
async function failingTests(tree, chosen, jobs) {
  const tests = [...new Set(chosen.flatMap(({ tests }) => tests))]
  console.log(`${chosen.length} faults. First the ${tests.length} test files without a fault …`)
  const isSlow = (/** @type {string} */ file) => file.endsWith('.slow.test.ts')
  const failed = []
  for (const files of [tests.filter(file => !isSlow(file)), tests.filter(isSlow)]) {
    if (files.length === 0) continue
    const outcome = await test(tree, files, [`--maxWorkers=${jobs}`])
    if (outcome.failure) stop(`without a fault: ${outcome.failure}`)
    failed.push(...outcome.failed)
  }
  /** @type {Set<string>} */
  const failing = new Set()
  for (const file of new Set(failed.map(({ file }) => file))) {
    // A busy machine may have failed it; alone it gets a second chance.
    const again = await test(tree, [file], ['--maxWorkers=1'])
    if (again.failed.length === 0 && !again.failure) continue
    failing.add(file)
    console.error(`FAILS WITHOUT A FAULT  ${file} › ${again.failed[0]?.test ?? again.failure}`)
  }
  return failing
}

/**
 * @param {string} tree
 * @param {Fault} fault
 * @param {ReadonlySet<string>} failing test files that say nothing
 * @returns {Promise<Pick<Result, 'caught' | 'failure'>>}
 */
async function planted(tree, fault, failing) {
  if (!fault.isBuilt) return catchFault(tree, fault, failing)
  const dist = join(tree, 'dist')
  rmSync(dist)
  try {
    const { status, output } = await start(tree, 'npm', ['run', 'build', '--silent'])
    if (status !== 0) return { failure: `cannot be built: ${output}` }
    return await catchFault(tree, fault, failing)
  } finally {
    rmSync(dist, { recursive: true, force: true })
    symlinkSync(join(root, 'dist'), dist)
  }
}

/**
 * @param {string} tree
 * @param {Fault} fault
 * @param {ReadonlySet<string>} failing test files that say nothing
 * @returns {Promise<Pick<Result, 'caught' | 'failure'>>}
 */
async function catchFault(tree, fault, failing) {
  let failure = 'no test fails'
  for (const file of fault.tests) {
    if (failing.has(file)) {
      failure = `${file} fails without it`
      continue
    }
    let outcome = await test(tree, [file], ['--bail=1', '--maxWorkers=1'])
    // With tests that run at the same time, vitest ends at the first one that fails without saying which it was.
    if (outcome.failure) outcome = await test(tree, [file], ['--maxWorkers=1'])
    const [caught] = outcome.failed
    if (caught) return { caught }
    if (outcome.failure) failure = `${file}: ${outcome.failure}`
  }
  return { failure }
}

/**
 * @param {string} tree
 * @param {readonly string[]} files either slow ones or others: they have a configuration of their own
 * @param {readonly string[]} flags
 * @returns {Promise<{ failed: Catch[], failure?: string }>}
 */
async function test(tree, files, flags) {
  const out = join(tree, 'planted-result.json')
  rmSync(out, { force: true })
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    `--config=vitest${files[0]?.endsWith('.slow.test.ts') ? '.slow' : ''}.config.ts`,
    '--no-cache',
    '--reporter=json',
    // A busy machine is no fault.
    '--testTimeout=20000',
    '--hookTimeout=20000',
    `--outputFile=${out}`,
    ...flags,
    ...files.map(file => join(tree, file)),
  ]
  const { status, output } = await start(tree, process.execPath, args, timeLimit * files.length)
  if (status === undefined) return { failed: [], failure: 'the tests do not come to an end' }
  if (!existsSync(join(tree, 'node_modules/vitest'))) stop(`node_modules has gone from ${root}`)
  if (!existsSync(out)) return { failed: [], failure: `vitest does not run: ${output.slice(-500)}` }
  /** @type {{ testResults: { name: string, message: string, assertionResults: { status: string, fullName: string }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(out, 'utf8'))
  const failed = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(it => it.status === 'failed')
      .map(it => ({ file: name.slice(tree.length + 1), test: it.fullName })),
  )
  if (failed.length > 0 || status === 0) return { failed }
  const unloaded = testResults.find(({ assertionResults }) => assertionResults.length === 0)
  if (unloaded) return { failed, failure: `does not load: ${unloaded.message.split('\n')[0]}` }
  return { failed, failure: `fails outside of the tests: ${output.slice(-500)}` }
}

/**
 * @param {string} tree
 * @param {Map<Fault, string>} places
 */
async function compile(tree, places) {
  for (const [fault, path] of places) plant(fault, join(tree, path))
  const { status, output } = await start(tree, process.execPath, [
    'node_modules/typescript/bin/tsc',
    '-p',
    'tsconfig.json',
  ])
  if (status !== 0) stop(output)
  console.log(`The source compiles with all ${places.size} faults in it.`)
}

/**
 * @param {string} tree
 * @param {string} command
 * @param {readonly string[]} args
 * @param {number} limit milliseconds
 * @returns {Promise<{ status: number | null | undefined, output: string }>} no status where it had to be ended
 */
function start(tree, command, args, limit = timeLimit) {
  return new Promise(resolve => {
    // A group of its own, so that what it starts ends with it.
    const child = spawn(command, args, {
      cwd: tree,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let isLate = false
    const keep = (/** @type {Buffer} */ bytes) => {
      output = (output + bytes).slice(-20_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
    const late = setTimeout(() => {
      isLate = true
      end()
    }, limit)
    process.on('exit', end)
    child.on('close', status => {
      clearTimeout(late)
      process.off('exit', end)
      end()
      resolve({ status: isLate ? undefined : status, output })
    })
  })
}

/** @param {Result} result */
function lineOf({ fault, caught, failure, seconds }) {
  const time = `${seconds.toFixed(1)} s`
  if (failure) return `NOT CAUGHT  ${fault.name} (${time}): ${failure}`
  return `caught      ${fault.name} (${time}): ${caught?.file} › ${caught?.test}`
}

/**
 * @param {Map<Fault, string>} places
 * @param {readonly Result[]} results
 * @param {Report | undefined} before
 */
function conclude(places, results, before) {
  const failures = results.filter(({ failure }) => failure)
  const inOrder = [...places.keys()].flatMap(fault => results.find(it => it.fault === fault) ?? [])
  /** @type {Report} */
  const report = {
    source: sourceState(),
    planted: inOrder.length,
    caught: Object.fromEntries(
      inOrder.flatMap(({ fault, caught }) => (caught ? [[fault.name, caught]] : [])),
    ),
    notCaught: Object.fromEntries(
      inOrder.flatMap(({ fault, failure }) => (failure ? [[fault.name, failure]] : [])),
    ),
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
  console.log(
    `\n${inOrder.length - failures.length} of ${inOrder.length} faults are caught in ${report.source}.`,
  )
  if (before) compare(before, report)
  if (failures.length > 0) stop(`Not caught: ${failures.map(({ fault }) => fault.name).join(', ')}`)
}

/**
 * @param {Report} before
 * @param {Report} now
 */
function compare(before, now) {
  const isChosen = (/** @type {string} */ name) => options.only?.includes(name) ?? true
  const lost = Object.keys(before.caught).filter(name => isChosen(name) && !(name in now.caught))
  if (lost.length === 0) {
    console.log(`All that were caught in ${before.source} are caught now.`)
    return
  }
  for (const name of lost)
    console.error(
      `caught in ${before.source} by ${before.caught[name]?.file} and not now: ${name} (${now.notCaught[name] ?? 'it is no longer in the table'})`,
    )
  process.exitCode = 1
}

/** The commit that the source stands at, and whether it has changed since. */
function sourceState() {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--', 'src') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`
}

/**
 * @param {string} sentence
 * @returns {never}
 */
function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}

await main()
