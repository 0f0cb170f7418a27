/** The tables of a run in docs/internals/performance.md, between two marks. */
import { readFile, writeFile } from 'node:fs/promises'
import { shown } from './report.mjs'
import { isPeer, subjects } from './subjects.mjs'
import { targets } from './targets.mjs'

const file = new URL('../docs/internals/performance.md', import.meta.url)
const begin = '<!-- figures: written by npm run bench -- --docs -->'
const end = '<!-- end of the figures -->'

/** @throws Error when the marks are not there */
export async function writeDocs(result) {
  const text = await readFile(file, 'utf8')
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from)
    throw new Error(`docs/internals/performance.md has no "${begin}" before "${end}"`)
  const before = text.slice(0, from + begin.length)
  await writeFile(file, `${before}\n${figures(result)}\n${text.slice(to)}`)
}

/** @returns {string} Markdown */
export function figures(result) {
  const { rows, growth, notRun, rounds, seconds, node, cores, date, commit } = result
  const parts = [
    `Measured on ${date.slice(0, 10)} at commit ${commit}: ${cores} cores, Node ${node.slice(1)}, 64 connections, ${rounds} rounds, bursts of ${seconds} s.`,
    ownTable(rows),
    peerTable(rows),
    growthTables(growth),
  ]
  const absent = Object.entries(notRun).map(([name, why]) => `${subjects[name].title} (${why})`)
  if (absent.length > 0) parts.push(`Not run: ${absent.join('; ')}.`)
  const invalid = rows.flatMap(({ row, wrong }) => wrong.map(what => `${row}, ${what}`))
  if (invalid.length > 0) parts.push(`Not valid: ${invalid.join('; ')}.`)
  return `\n${parts.filter(Boolean).join('\n\n')}\n`
}

const cells = some => `| ${some.join(' | ')} |`
const figureOf = ({ figures }, subject) => figures.find(it => it.subject === subject)
const times = ratio => (ratio === undefined ? '' : `${ratio.toFixed(2)} ×`)

/** Ours by the floor, with what was aimed at. */
function ownTable(rows) {
  const lines = [
    cells(['Work', 'Subject', 'Median', 'By the floor', 'over the rounds', 'by CPU time', 'Target', '']),
    '|---|---|---:|---:|---|---:|---|---|',
  ]
  for (const row of rows) {
    let isFirst = true
    for (const it of row.figures) {
      if (isPeer(it.subject)) continue
      const range =
        it.subject === 'floor' || it.lowest === undefined
          ? ''
          : `${it.lowest.toFixed(2)}–${it.highest.toFixed(2)}`
      lines.push(
        cells([
          isFirst ? row.row : '',
          subjects[it.subject]?.title ?? 'MSW intercepting',
          shown(it.median, row.unit),
          it.subject === 'floor' ? '' : times(it.ratio),
          range,
          it.subject === 'floor' ? '' : times(it.cpuRatio),
          it.target ?? '',
          outcome(row, it),
        ]),
      )
      isFirst = false
    }
  }
  return lines.join('\n')
}

/** Where the load generator, the disk or a neighbour was the limit in every round, a ratio tells less than it could. */
function outcome(row, { outcome: told = '', starved, rounds, target }) {
  if (!row.valid) return 'not valid'
  return target && starved === rounds && told !== 'met' ? `${told}; it never had a core to itself` : told
}

const compared = ['read', 'collection', 'filtered', 'create', 'repeat', 'fault', 'start', 'memory', 'reset']

/** Everybody by raw node:http, and whether we are ahead. */
function peerTable(rows) {
  const chosen = compared.flatMap(key => rows.find(row => row.key === key) ?? [])
  const names = Object.keys(subjects).filter(name => isPeer(name) && chosen.some(row => figureOf(row, name)))
  if (names.length === 0) return ''
  const notes = []
  const noted = text => {
    const at = notes.indexOf(text)
    return `<sup>${at < 0 ? notes.push(text) : at + 1}</sup>`
  }
  const lines = [
    cells(['Work', 'Ours', ...names.map(name => subjects[name].title), 'Ahead of them']),
    `|---|${'---:|'.repeat(names.length + 1)}---|`,
  ]
  for (const row of chosen) {
    const own = figureOf(row, oursFor(row.key))
    const shownFor = name => {
      const it = figureOf(row, name)
      const { cannot, differs } = subjects[name]
      if (!it) return cannot?.[row.key] ? noted(cannot[row.key]) : '–'
      return cell(it, row) + (differs?.[row.key] ? noted(differs[row.key]) : '')
    }
    const ahead = names.filter(name => figureOf(row, name) && isBehind(figureOf(row, name), own, row))
    lines.push(cells([row.row, own ? cell(own, row) : '', ...names.map(shownFor), verdict(own, ahead)]))
  }
  const said = notes.map((text, at) => `<sup>${at + 1}</sup> ${text}`).join(' · ')
  return `${lines.join('\n')}\n\n${said}`
}

/** The fault is that of the scenario, which is what a fault is here. */
const oursFor = key => Object.keys(targets[key] ?? {}).find(name => name === 'ours-scenario') ?? 'ours'
const cell = (it, { unit, lessIsBetter }) =>
  lessIsBetter ? shown(it.median, unit) : times(it.ratios.raw ?? it.ratios.floor)
const isBehind = (other, own, { lessIsBetter }) =>
  own !== undefined && (lessIsBetter ? other.median < own.median : other.median > own.median)
const verdict = (own, ahead) => {
  if (!own) return ''
  return ahead.length === 0 ? 'yes' : `no: ${ahead.map(name => subjects[name].title).join(', ')}`
}

function growthTables(growth) {
  return growth
    .map(({ title, lines, kinds }) => {
      const sizes = lines.map(({ size }) => size.toLocaleString('en'))
      const rows = kinds.map(({ kind, factor, grows }) =>
        cells([
          kind,
          ...lines.map(({ micros }) => micros[kind].toFixed(0)),
          `${factor.toFixed(1)} ×${grows ? ', grows' : ''}`,
        ]),
      )
      const head = [cells([`CPU µs by ${title}`, ...sizes, 'last by first'])]
      return [...head, `|---|${'---:|'.repeat(sizes.length + 1)}`, ...rows].join('\n')
    })
    .join('\n\n')
}
