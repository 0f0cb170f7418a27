/** How long it takes to begin anew, and to begin in a space that was not there. */
import { Agent, request } from 'node:http'
import { median } from './report.mjs'
import { otherRows } from './rows.mjs'
import { isPeer, start } from './subjects.mjs'
import { work } from './work.mjs'
import { authorization } from './world.mjs'

const sizes = { '': 1_000, '-large': 20_000 }
const json = { 'Content-Type': 'application/json' }
const ourReset = { method: 'POST', path: '/_mock/spaces/demo/reset', headers: json }
const floorReset = { method: 'POST', path: '/reset' }

/** @param {number} again how often in a round */
export async function measureResets(names, isWanted, { measurements, again }) {
  for (const [suffix, mailings] of Object.entries(sizes))
    for (const name of names) {
      const rows = ['reset', 'space'].map(key => key + suffix).filter(key => isWanted(otherRows[key].name))
      if (rows.length === 0) continue
      const subject = await start(name, { mailings })
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const ask = (item, user) => timed({ port: subject.port, agent, ...item }, user)
      const reset = subject.isOurs ? ourReset : (subject.reset ?? floorReset)
      try {
        if (rows.includes(`reset${suffix}`)) {
          const took = []
          let wrong
          for (let time = 0; time < again; time++) {
            // Something must be there to be undone.
            await ask({ ...work.create, body: JSON.stringify({ transactionId: `reset-${time}` }) })
            const { status, milliseconds } = await ask(reset)
            if (status >= 300) wrong = `it answered ${status}`
            took.push(milliseconds)
          }
          add(`reset${suffix}`, took, wrong)
        }
        if (subject.isOurs && rows.includes(`space${suffix}`)) {
          const took = []
          let wrong
          for (let time = 0; time < again; time++) {
            const { status, milliseconds } = await ask(work.read, `demo+${time}`)
            if (status !== work.read.status) wrong = `it answered ${status}`
            took.push(milliseconds)
          }
          add(`space${suffix}`, took, wrong)
        }
      } finally {
        agent.destroy()
        await subject.stop()
      }
      function add(key, took, wrong) {
        // While the code is cold it is slower; whoever resets often has it warm.
        const later = took.slice(took.length >> 2)
        if (wrong && isPeer(name))
          process.stderr.write(`${otherRows[key].name}  ${name}  left out: ${wrong}\n`)
        else measurements.add(key, otherRows[key], name, { value: median(later) }, wrong)
      }
    }
}

/** @returns {Promise<{ status: number, milliseconds: number }>} to the last byte of the answer */
function timed({ port, agent, method = 'GET', path, headers, body }, user) {
  const who = user ? `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` : authorization
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, agent, method, path, headers: { Authorization: who, ...headers } },
      incoming => {
        incoming.resume()
        incoming.once('error', reject)
        incoming.once('end', () =>
          resolve({ status: incoming.statusCode, milliseconds: performance.now() - startedAt }),
        )
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
