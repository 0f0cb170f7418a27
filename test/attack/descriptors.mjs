/** 5,000 private spaces with changes on disk, where the process may open 1,024 files: more logs than descriptors. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ids } from '../../dist/contract/examples/fixture-ids.js'
import { attackProgram, send } from './program.mjs'

const spaces = 5_000
const descriptors = 1_024
/** Requests that are under way at the same time. */
const width = 50
const sendings = `/integrations/mailing-platform/mailing-synchronizations/${ids.ready}/sendings`

/** Sends with this transaction ID in every space; returns the numbers of the spaces by status. */
async function sendEverywhere(url, transactionId) {
  const byStatus = new Map()
  let next = 0
  const work = async () => {
    while (next < spaces) {
      const space = next++
      const authorization = `Basic ${Buffer.from(`demo+d${space}:demo`).toString('base64')}`
      const { status } = await send(url + sendings, 'POST', JSON.stringify({ transactionId }), {
        authorization,
      })
      byStatus.set(status, [...(byStatus.get(status) ?? []), space])
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  return byStatus
}

const count = (byStatus, status) => byStatus.get(status)?.length ?? 0

export default async function run() {
  const data = mkdtempSync(join(tmpdir(), 'attack-data-'))
  const options = {
    flags: ['--data', data, '--space-limit', '6000'],
    heapMebibytes: 1_024,
    prefix: ['sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh'],
  }
  const figures = { spaces, descriptors, 'most open at a time': 0 }
  try {
    const first = await attackProgram(options, async (url, child) => {
      const look = setInterval(() => {
        const open = readdirSync(`/proc/${child.pid}/fd`).length
        figures['most open at a time'] = Math.max(figures['most open at a time'], open)
      }, 50)
      try {
        figures['first changes'] = count(await sendEverywhere(url, 'one'), 201)
        // By now the logs of most spaces have been closed.
        figures['second changes'] = count(await sendEverywhere(url, 'two'), 201)
      } finally {
        clearInterval(look)
      }
      // Nothing is written at the end: what was acknowledged has to be in the logs.
      child.kill('SIGKILL')
      return ''
    })
    const second = await attackProgram(options, async url => {
      figures['there after kill -9'] = Math.min(
        count(await sendEverywhere(url, 'one'), 200),
        count(await sendEverywhere(url, 'two'), 200),
      )
      return ''
    })
    const done = [figures['first changes'], figures['second changes'], figures['there after kill -9']]
    const ok = second.ok && done.every(it => it === spaces)
    const result = ok
      ? 'every change was done, and is there after kill -9'
      : first.result || second.result || 'a change was refused or lost'
    return { attack: `${spaces} changed spaces with ${descriptors} descriptors`, result, ok, figures }
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}
