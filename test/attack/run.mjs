/**
 * `npm run attack`: what somebody could do to stop the mock, or a command of it, against the built program with little memory.
 * `npm run attack -- bodies memory` runs those only; `--soak MINUTES` and `--plays N` set how long the longest two take.
 * Prints one table, which SECURITY.md shows. Exits 0 when everything held, 1 when something did not, 2 for unknown names.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { readFlags } from '../../scripts/read-flags.mjs'

const helpers = ['run.mjs', 'program.mjs', 'delay-meter.mjs']
const folder = fileURLToPath(new URL('.', import.meta.url))
const names = readdirSync(folder)
  .filter(name => name.endsWith('.mjs') && !helpers.includes(name))
  .map(name => name.replace('.mjs', ''))
  .sort()

/** Mixed traffic for a long time, half of it with data on disk, and whether anything grows. */
function soak(minutes) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL('../../soak/run.mjs', import.meta.url)), '--minutes', String(minutes)],
    { encoding: 'utf8', maxBuffer: 1 << 26 },
  )
  const last = stdout.trim().split('\n').at(-1)
  return { attack: `mixed traffic for ${minutes} minutes`, result: last, ok: status === 0, figures: {} }
}

const { values, positionals } = readFlags('attack', {
  allowPositionals: true,
  options: { soak: { type: 'string', default: '30' }, plays: { type: 'string', default: '5000' } },
})
const known = [...names, 'soak']
const unknown = positionals.filter(name => !known.includes(name))
if (unknown.length > 0) {
  console.error(`no attack is called ${unknown.join(', ')}; there are ${known.join(', ')}`)
  process.exit(2)
}

const rows = []
for (const name of positionals.length > 0 ? positionals : known) {
  const started = Date.now()
  const { default: run } =
    name === 'soak' ? { default: () => soak(Number(values.soak)) } : await import(`./${name}.mjs`)
  const { attack, result, ok, figures } = await run({ plays: Number(values.plays) })
  const told = Object.entries(figures ?? {}).map(([what, value]) => `${what} ${value}`)
  rows.push([
    name,
    attack,
    ok ? 'held' : 'FAILED',
    result,
    told.join(', '),
    `${Math.round((Date.now() - started) / 1000)} s`,
  ])
  console.error(`${name}: ${ok ? 'held' : 'FAILED'}, ${result}`)
}
const header = ['', 'Attack', '', 'What came of it', 'Figures', 'Took']
for (const row of [header, header.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
console.log(`\nNode ${process.version}, ${cpus().length} cores, ${new Date().toISOString().slice(0, 10)}`)
process.exitCode = rows.every(([, , held]) => held === 'held') ? 0 : 1
