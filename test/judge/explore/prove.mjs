/**
 * Shows from both sides that an exploration finds mistakes and accuses no right client: `node test/judge/explore/prove.mjs`
 * after `npm run build`. It prints what docs/internals/exploration.md quotes. Parts: reference (complete to depth 2, 20,100
 * random plans of depth 3 to 5) and mutants; both by default. `commands` plays the clients in
 * Python, PHP and Java, warm, over sockets, complete to depth 2, which takes a quarter of an hour on a machine that does nothing else.
 * `portraits` compares the portraits of the mutants with that of the reference client (docs/portraits.md), and `portraits-of-commands` those
 * of the clients in other languages: each learns at DEPTH (2) and then predicts PLANS (2,000) unseen plans of depth 3. `ONLY=java,M7` chooses.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runExam } from 'mailing-sync-mock'
import { clientOfPair, pairs } from '../../../examples/clients/mutants/pairs.mjs'
import { clientOf, mutants } from '../../../examples/clients/mutants/registry.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { explored } from './explored.mjs'

/** @import { Send } from '../../../examples/clients/client.d.ts' */

const real = performance.now.bind(performance)
const number = (/** @type {number} */ count) => count.toLocaleString('en')

/** @param {string} name @param {Send} send @param {object} options */
async function played(name, send, options) {
  const began = real()
  const result = await runExam({ client: explored(send), only: ['happy-path'], ...options })
  const seconds = (real() - began) / 1000
  console.log(
    `${name}: ${number(result.exploration?.runs ?? 0)} runs in ${seconds.toFixed(0)} s; ${(
      result.exploration?.levels ?? []
    )
      .map(
        it =>
          `depth ${it.depth} ${number(it.played)} of ${number(it.plans)}${it.isComplete ? ' (all, the others covered)' : ' (sample)'}`,
      )
      .join(
        ', ',
      )}; ${result.causes.length === 0 ? 'nothing found' : result.causes.map(it => `${it.severity} ${it.rule} in ${it.case.name}`).join(', ')}`,
  )
  return result
}

const wanted = process.argv.slice(2)
const parts = ['commands', 'mutants', 'portraits', 'portraits-of-commands', 'reference']
const unknown = wanted.find(it => !parts.includes(it))
if (unknown !== undefined) {
  console.error(`there is no part ${unknown}; there are ${parts.join(', ')}`)
  process.exit(2)
}
const isWanted = (/** @type {string} */ part) => wanted.length === 0 || wanted.includes(part)
const chosen = process.env.ONLY?.split(',')
/** @param {string} name of a mutant or a runtime */
const isChosen = name => chosen?.includes(name) ?? true
let isProved = true
const claim = (/** @type {boolean} */ holds, /** @type {string} */ what) => {
  isProved &&= holds
  if (!holds) console.log(`NOT SHOWN: ${what}`)
}

if (isWanted('reference')) {
  const sample = Number(process.env.PLANS ?? 6_700)
  const result = await played('reference client', reference, { depth: 5, sample })
  claim(
    result.causes.length === 0 && result.exploration?.divergence === null,
    'the reference client survives',
  )
}
if (isWanted('mutants'))
  for (const mutant of mutants) {
    const { causes } = await played(mutant.id, clientOf(mutant), { depth: 1 })
    const isFound = causes.some(({ rule }) => mutant.rules.length === 0 || mutant.rules.includes(rule))
    claim(isFound, `${mutant.id} is found`)
  }
/** @param {(command: string[]) => void} play */
function withCommands(play) {
  const classes = mkdtempSync(join(tmpdir(), 'client-'))
  spawnSync('javac', ['-d', classes, 'examples/clients/java/Client.java'], { cwd: root, stdio: 'inherit' })
  for (const command of [
    ['python3', 'examples/clients/python/send_mailing.py'],
    ['php', 'examples/clients/php/client.php'],
    ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', classes, 'Client'],
  ])
    if (isChosen(command[0] ?? '')) play(command)
  rmSync(classes, { recursive: true })
}
const root = fileURLToPath(new URL('../../..', import.meta.url))
const exam = (/** @type {string[]} */ ...args) =>
  spawnSync(process.execPath, ['dist/main.js', 'exam', '--warm', ...args], { cwd: root, stdio: 'inherit' })
if (wanted.includes('commands'))
  withCommands(command => {
    const { status } = exam('--depth', '2', '--', ...command)
    claim(status === 0, `${command[0]} survives`)
  })

const depth = Number(process.env.DEPTH ?? 2)
/** Plans of depth 3, the same in each run. */
async function deepPlans() {
  const plans = await import(new URL('../../../dist/judge/explore/plans.js', import.meta.url).href)
  /** @type {string[]} */
  const names = plans.troubles.map((/** @type {{ name: string }} */ { name }) => name)
  const wish = Number(process.env.PLANS ?? 2_000)
  let state = 1
  const pick = () => {
    state = (state * 48_271) % 2_147_483_647
    return names[state % names.length]
  }
  /** @type {Set<string>} */
  const chosen = new Set()
  while (chosen.size < wish) chosen.add([pick(), pick(), pick()].join('+'))
  return [...chosen]
}
/** @param {string} who @param {NonNullable<import('mailing-sync-mock').ExamResult['portrait']>['predicted']} predicted */
function claimPrediction(who, predicted) {
  const { right = 0, decisions = 0, inRange = 0 } = predicted ?? {}
  console.log(
    `${who}: predicts ${(right * 100).toFixed(2)} % of ${number(decisions)} decisions, ${(inRange * 100).toFixed(2)} % of the pauses in range`,
  )
  claim(right >= 0.99, `the portrait of ${who} predicts 99 %`)
}
if (wanted.includes('portraits')) {
  const open = ['no response', '5xx', '429', 'redirect', 'damaged']
  const starts = ['first attempt', 'next mailing', 'started again']
  const repeating = [...open, 'PENDING', 'started again']
  /**
   * Where a mutant reacts otherwise than the reference client, by its `fault` and its code.
   * @type {Record<string, readonly string[]>}
   */
  const places = {
    ...{ M1: open, M2: [...open, ...starts], M3: [...open, ...starts], M4: ['PENDING'] },
    ...{ M5: ['INDETERMINATE_FAILURE'], M6: ['INDETERMINATE_FAILURE'], M7: ['FAILED'], M8: ['FAILED'] },
    ...{ M9: [...open, 'PENDING'], M10: [...open, 'PENDING'], M11: repeating, M12: repeating },
    ...{ M13: [...repeating, 'FAILED'], M14: open, M15: ['still waiting'] },
    ...{ M16: ['PENDING', 'FAILED', 'INDETERMINATE_FAILURE', 'damaged'], M17: ['CREATED'] },
    ...{
      M18: ['next mailing', 'FAILED'],
      M19: ['next mailing', 'FAILED'],
      M20: ['redirect', 'after a read'],
      M21: [...open, 'after a read'],
    },
    ...{ M22: ['started again'], M23: ['another 4xx'], M24: ['5xx', '429'], M25: ['damaged'] },
    ...{ M26: ['no response'], M27: ['no response', '5xx'] },
  }
  /** @type {Record<string, string>} */
  const situationOf = { silence: 'no response', 500: '5xx', 400: 'another 4xx' }
  const common = [
    'told-pending',
    'told-failed',
    'told-unsure-sent',
    '500-nothing',
    '503-nothing',
    'reset-nothing',
  ]
  const two = [
    ...common,
    ...['reset-sent', 'json-pending', 'maintenance-nothing', 'redirect-301-nothing'],
    ...['limited-nothing', 'refused-nothing'],
  ].flatMap((first, _, all) => all.map(second => `${first}+${second}`))
  const { portrait } = await played('reference client', reference, { depth, first: two })
  claim(portrait !== null, 'there is a portrait')
  const unseen = { depth: 0, plans: await deepPlans(), seed: 2, portraitOf: portrait ?? undefined }
  const later = await played('unseen plans', reference, unseen)
  claimPrediction('reference client', later.portrait?.predicted ?? null)
  const clients = [
    ...mutants.map(it => ({ id: it.id, send: clientOf(it), expected: places[it.id] ?? [] })),
    ...pairs.map(it => ({
      ...{ id: it.id, send: clientOfPair(it) },
      expected: [situationOf[it.second] ?? it.second],
    })),
  ].filter(({ id }) => isChosen(id))
  let named = 0
  let exact = 0
  for (const { id, send, expected } of clients) {
    const wish = { depth: 1, first: two, portraitOf: portrait ?? undefined }
    const { portrait: own, causes } = await played(id, send, wish)
    const changed = [...new Set(own?.changes?.flatMap(({ situations }) => situations) ?? [])]
    const others = changed.filter(it => !expected.includes(it))
    const [best] = own?.advice ?? []
    if (best && expected.includes(best.situation)) named++
    if (changed.length > 0 && others.length === 0) exact++
    console.log(
      `  ${id}: differs in ${changed.join(', ') || 'nothing'}${others.length > 0 ? ` (not meant: ${others.join(', ')})` : ''}; ` +
        (best
          ? `advice: ${best.situation}, row ${best.row + 1}, mends ${best.mends} of ${best.replayed}${expected.includes(best.situation) ? '' : ' (NOT THE ROW)'}`
          : causes.length === 0
            ? 'nothing found'
            : 'NO ADVICE'),
    )
  }
  console.log(
    `${exact} of ${clients.length} differ in the rows that are meant; advice names the row of ${named}`,
  )
  claim(named >= Math.min(36, clients.length), 'advice names the row of 36')
}
if (wanted.includes('portraits-of-commands')) {
  const plans = (await deepPlans()).join(',')
  const folder = mkdtempSync(join(tmpdir(), 'portraits-'))
  withCommands(command => {
    const [learned, later] = [join(folder, 'learned.json'), join(folder, 'later.json')]
    exam('--depth', `${depth}`, '--portrait', learned, '--', ...command)
    exam('--plan', plans, '--portrait-of', learned, '--portrait', later, '--', ...command)
    claimPrediction(command[0] ?? '', JSON.parse(readFileSync(later, 'utf8')).predicted)
  })
  rmSync(folder, { recursive: true })
}
console.log(isProved ? 'All of it is shown.' : 'Not all of it is shown.')
process.exitCode = isProved ? 0 : 1
