/** One exploration of the reference client, in virtual time or as warm commands, in a process of its own. */
import { fileURLToPath } from 'node:url'
import { RunningProcesses } from '../dist/judge/exam/client-processes.js'
import { commandClient } from '../dist/judge/exam/command-client.js'
import { warmClient } from '../dist/judge/exam/warm-client.js'
import { planName, singlePlans, troubles } from '../dist/judge/explore/plans.js'
import { examine } from '../dist/lib/run-exam.js'
import client from './explore-module.mjs'

const [key] = process.argv.slice(2)
/** Plans, or for commands milliseconds. */
const amount = Number(process.argv[3])
const reference = fileURLToPath(new URL('../examples/clients/reference/main.mjs', import.meta.url))
const module = new URL('explore-module.mjs', import.meta.url)
const command = [process.execPath, reference]
// Bound before time is virtual.
const now = performance.now.bind(performance)

/** A function is played in virtual time if a depth is given. */
const inVirtualTime = (played, these) => examine({ client: played, depth: 0, plans: these })

/** Names of different plans of this depth, all kinds of trouble alike. */
const plans = (count, depth) =>
  Array.from({ length: count }, (_, nth) => {
    const number = nth * stride
    const kind = at => troubles[Math.floor(number / troubles.length ** at) % troubles.length].name
    return Array.from({ length: depth }, (_, at) => kind(at)).join('+')
  })
// Shares no factor with the number of plans.
const stride = 2671

async function rate(play, isAlone = true) {
  const cpuBefore = process.cpuUsage()
  const began = now()
  const { exploration, causes } = await play()
  const played = exploration.runs
  const seconds = (now() - began) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  // Of commands this process is a part only.
  const cpu = isAlone ? (user + system) / played : undefined
  return { value: played / seconds, cpu, wrong: wrongIn(causes) }
}

const wrongIn = causes => causes.filter(({ severity }) => severity === 'error').length

/** Kilobytes that a run leaves behind. What is kept on purpose, of plans of one and two troubles, is not among them. */
async function growth(count) {
  const looks = []
  let begun = 0
  const counting = call => {
    if (begun++ % count === count - 1) {
      for (let time = 0; time < 3; time++) globalThis.gc()
      looks.push(process.memoryUsage().heapUsed)
    }
    return client(call)
  }
  const { causes } = await inVirtualTime(counting, plans(3 * count, 3))
  return { value: (looks[2] - looks[0]) / (2 * count) / 1024, wrong: wrongIn(causes) }
}

const running = new RunningProcesses()
const asCommand = makeClient => {
  const made = makeClient(command, process.env, running)
  // All plans of one trouble take longer than the budget.
  const single = singlePlans().map(planName)
  return rate(() => examine({ client: made, speed: 200, plans: single, budget: amount }), false)
}
const rows = {
  async explore() {
    await inVirtualTime(client, plans(amount / 4, 2))
    return rate(() => inVirtualTime(client, plans(amount, 2)))
  },
  // Two workers have a thread each, and one plan is played at a time.
  async orders() {
    const these = ['killed', 'told-failed', '500-sent', 'reset-nothing', 'told-pending', 'hang-sent']
    const play = count =>
      rate(async () => {
        const names = these.slice(0, count).map(it => `two-workers:${it}`)
        const { orders, causes } = await examine({ client: module, workers: 2, plans: names, jobs: 1 })
        return { exploration: orders, causes }
      })
    await play(1)
    return play(Math.max(1, Math.min(amount, these.length)))
  },
  'explore-command': () => asCommand(commandClient),
  'explore-warm': () => asCommand(warmClient),
  'explore-memory': () => growth(amount),
}

process.stdout.write(JSON.stringify(await rows[key]()))
running.killAll()
process.exit(0)
