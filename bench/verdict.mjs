/** How long the judge takes over a long record, and how long it is from asking over HTTP to the last byte of the answer. */
import { get } from 'node:http'
import { sendMany } from './clients.mjs'
import { median } from './report.mjs'
import { otherRows } from './rows.mjs'
import { start } from './subjects.mjs'

const requests = 10_000

const warmUp = 10
const laterVerdicts = 20

/**
 * A mock of its own, to which clients of every kind have sent.
 * @returns figures in milliseconds, and whether there was as much to judge as there should be
 */
async function measureVerdict() {
  const subject = await start('ours', { mailings: 0, more: ['--journal', '20000'] })
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

/** The first one, while the code is still cold and nothing has been read of any request, and later ones. */
export async function measureVerdicts(measurements) {
  const { first, later, judged, isWhole } = await measureVerdict()
  const wrong = isWhole ? undefined : 'there was less to judge than there should be'
  measurements.add('verdict-first', otherRows['verdict-first'], 'ours', first, wrong)
  measurements.add('verdict-later', otherRows['verdict-later'], 'ours', later, wrong)
  measurements.add('verdict-judged', otherRows['verdict-judged'], 'ours', judged, wrong)
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
