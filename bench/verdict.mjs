/** How long the judge takes over a long record, and how long it is from asking over HTTP to the last byte of the answer. */
import { get } from 'node:http'
import { sendMany } from './clients.mjs'
import { median } from './report.mjs'
import { start } from './subjects.mjs'

const requests = 10_000

export const verdictRows = {
  /** The code is still cold, and nothing has been read of any request. */
  first: 'first verdict over 10,000 requests, with its 4 MB over HTTP',
  later: 'verdict over 10,000 requests, with its 4 MB over HTTP',
  judged: 'verdict over 10,000 requests',
}

const warmUp = 10
const laterVerdicts = 20

/**
 * A mock of its own, to which clients of every kind have sent.
 * @returns figures in milliseconds, and whether there was as much to judge as there should be
 */
export async function measureVerdict() {
  const subject = await start('ours-memory', ['--journal', '20000'])
  try {
    const sent = await sendMany(subject.port, requests)
    const first = await ask(subject.port)
    for (let again = 0; again < warmUp; again++) await ask(subject.port)
    const later = []
    const judged = []
    const cpuBefore = subject.cpu()
    for (let again = 0; again < laterVerdicts; again++) {
      const { took, judging } = await ask(subject.port)
      later.push(took)
      judged.push(judging)
    }
    const cpu = cpuBefore === undefined ? undefined : (subject.cpu() - cpuBefore) / laterVerdicts
    const busy = cpu === undefined ? undefined : cpu / 1000 / mean(later)
    const { complete, sendings, findings } = JSON.parse(first.text)
    const isWhole = complete && sent >= requests && sendings.length > requests / 4 && findings.length > 50
    return {
      first: { value: first.took },
      later: { value: median(later), cpu, busy },
      judged: { value: median(judged) },
      isWhole,
    }
  } finally {
    await subject.stop()
  }
}

const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length

function ask(port) {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/_mock/spaces/demo/verdict' }, incoming => {
      const chunks = []
      incoming.on('data', chunk => chunks.push(chunk))
      incoming.once('error', reject)
      incoming.once('end', () => {
        const took = performance.now() - startedAt
        const judging = Number(/judge;dur=([\d.]+)/.exec(incoming.headers['server-timing'])?.[1])
        resolve({ took, judging, text: Buffer.concat(chunks).toString() })
      })
    }).once('error', reject)
  })
}
