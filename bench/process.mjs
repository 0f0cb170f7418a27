/** Processes that are measured: how they are started, when they are ready, what they use. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Longer than any subject needs under valgrind on a busy machine. */
const patience = 600_000

/** Those that run, so that none outlives the bench, however that ends. */
const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

export const emptyDirectory = () => mkdtemp(join(tmpdir(), 'bench-'))

/**
 * Starts a process and waits until it is ready.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ port?: number, isReady?: () => Promise<boolean>, cwd?: string }} how a port that it was told, and how to find
 * out that it answers there; without them it says `ready on` its address
 */
export async function launch(command, args, { port, isReady, cwd } = {}) {
  const startedAt = performance.now()
  // Whoever runs the bench may have settings of ours in the environment.
  const { PATH, HOME } = process.env
  const child = spawn(command, args, {
    cwd,
    env: { PATH, HOME },
    stdio: ['ignore', isReady ? 'ignore' : 'pipe', 'pipe'],
  })
  running.add(child)
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    complaints = (complaints + text).slice(-2_000)
  })
  let isOver = false
  const ended = new Promise(resolve => {
    child.once('error', error => {
      complaints += error.message
      resolve()
    })
    child.once('exit', resolve)
  }).finally(() => {
    running.delete(child)
    isOver = true
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const kill = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await ended
    clearTimeout(kill)
  }
  const failed = ended.then(() => {
    throw new Error(
      `it ended before it was ready: ${complaints.trim().split('\n').at(-1) || 'without a word'}`,
    )
  })
  failed.catch(() => {})
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not ready within ${patience / 1000} s`)), patience)
  })
  try {
    const ready = isReady ? answers(isReady, () => isOver) : said(child)
    const found = await Promise.race([ready, failed, late])
    return {
      port: port ?? found,
      startedAt,
      pid: child.pid,
      /** Processor time used so far, in microseconds. */
      cpu: () => processorTime(child.pid),
      /** Resident memory in MB. */
      memory: () => residentMemory(child.pid),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The port of the line that says so. */
const said = child =>
  new Promise(resolve => {
    let text = ''
    child.stdout.on('data', chunk => {
      text += chunk
      const [, found] = /ready on http:\/\/[^:]+:(\d+)\n/.exec(text) ?? []
      if (found) resolve(Number(found))
    })
  })

async function answers(isReady, isOver) {
  while (!isOver() && !(await isReady().catch(() => false)))
    await new Promise(resolve => setTimeout(resolve, 5))
}

/** A port that nobody listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

export const removed = directory => rm(directory, { recursive: true, force: true })

/** Linux tells of other processes; elsewhere these columns stay empty. */
function fromProc(pid, file, read) {
  try {
    return read(readFileSync(`/proc/${pid}/${file}`, 'utf8'))
  } catch {
    return undefined
  }
}

/** In ticks of 10 ms, which is fine over a burst of seconds. */
const processorTime = pid =>
  fromProc(pid, 'stat', text => {
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10_000
  })

const residentMemory = pid =>
  fromProc(pid, 'status', text => Number(/VmRSS:\s+(\d+) kB/.exec(text)[1]) / 1024)
