import type { ChartConfiguration, Chart as ChartOf } from 'chart.js'
import { timeOfDay } from '../time-text.ts'
import { refresh } from './live.ts'

declare const Chart: typeof ChartOf

/** Different dashes, so that the lines differ by more than colour. */
const lineStyles = [
  { name: 'opened', dash: [] },
  { name: 'clicked', dash: [8, 4] },
  { name: 'clicks', dash: [2, 4] },
]

const day = 86_400_000

/** Width of a label on the axis with some space: `10:00`, and with the day. CSS pixels. */
const labelWidths = { short: 48, long: 96 }

interface Data {
  readonly starts: number
  readonly ends: number
  /** The points of each line. */
  readonly points: readonly { x: number; y: number }[][]
}

/** The table has the data of the chart. */
function readTable(): Data {
  const table = document.querySelector<HTMLTableElement>('#series table')
  const rows = [...(table?.tBodies[0]?.rows ?? [])]
  const { starts, ends } = table?.dataset ?? {}
  return {
    starts: Number(starts ?? Number.NaN),
    ends: Number(ends ?? Number.NaN),
    points: lineStyles.map((_, line) =>
      rows.map(row => ({ x: Number(row.dataset.at), y: Number(row.cells[line + 1]!.dataset.value) })),
    ),
  }
}

/** Colours come from the style sheet, which knows light and dark mode. */
function colours() {
  const of = (selector: string, property: 'color' | 'borderTopColor') =>
    getComputedStyle(document.querySelector(selector)!)[property]
  return {
    lines: lineStyles.map(({ name }) => of(`.line-${name}`, 'color')),
    text: of('.chart', 'color'),
    grid: of('.chart', 'borderTopColor'),
  }
}

/** Number of equal parts that labels divide the axis into: as many as fit, each a round part of its length. */
const partsOf = (width: number, isLong: boolean) =>
  [6, 4, 3, 2].find(parts => width / parts >= (isLong ? labelWidths.long : labelWidths.short)) ?? 1

/** `10:00`; with the day when the axis spans several. */
const tickText = (at: number, isLong: boolean) =>
  isLong
    ? `${new Date(at).toISOString().slice(5, 10)} ${timeOfDay(at).slice(0, 5)}`
    : timeOfDay(at).slice(0, 5)

function chartSettings(): ChartConfiguration<'line'> {
  const { starts, ends, points } = readTable()
  const { lines: strokes, text, grid } = colours()
  const length = ends - starts
  const axis = { grid: { color: grid }, border: { color: grid }, ticks: { color: text, maxRotation: 0 } }
  return {
    type: 'line',
    data: {
      datasets: lineStyles.map(({ dash }, line) => ({
        data: points[line]!,
        borderColor: strokes[line]!,
        backgroundColor: strokes[line]!,
        borderDash: dash,
        borderWidth: 2,
        pointRadius: 0,
        pointHitRadius: 12,
        tension: 0.2,
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      parsing: false,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          ...axis,
          type: 'linear',
          ...(Number.isFinite(length) && { min: starts, max: ends }),
          // The chart builds ticks again whenever its width changes.
          afterBuildTicks: scale => {
            if (!Number.isFinite(length)) return
            const parts = partsOf(scale.width, length > day)
            scale.ticks = Array.from({ length: parts + 1 }, (_, at) => ({
              value: starts + (length / parts) * at,
            }))
          },
          ticks: {
            ...axis.ticks,
            autoSkip: false,
            callback: value => (Number.isFinite(length) ? tickText(Number(value), length > day) : ''),
          },
        },
        y: { ...axis, beginAtZero: true, suggestedMax: 10, ticks: { ...axis.ticks, precision: 0 } },
      },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: ([item]) => (item ? tickText(item.parsed.x!, true) : ''),
            label: item => `${names[item.datasetIndex]}: ${item.parsed.y!.toLocaleString('en')}`,
          },
        },
      },
    },
  }
}

const names = [...document.querySelectorAll('.legend li')].map(it => it.textContent.trim())

let chart: ChartOf<'line'> | undefined

function draw(): void {
  const { data, options } = chartSettings()
  if (chart) {
    chart.data = data
    chart.options = options!
    chart.update('none')
  } else
    chart = new Chart(document.querySelector<HTMLCanvasElement>('#chart')!, {
      type: 'line',
      data,
      options: options!,
    })
}

/** While the clock runs, figures grow without an event. Milliseconds. */
const refreshInterval = 5_000

setInterval(() => {
  const isRunning = document.getElementById('space-clock')?.dataset.rate !== '0'
  if (isRunning && !document.hidden) refresh('clock')
}, refreshInterval)

document.addEventListener('mock:refreshed', draw)
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw)
draw()
