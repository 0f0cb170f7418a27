/** The built mock in a process of its own, and what can be read of that process. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const probe = new URL('probe.mjs', import.meta.url).href
/** Longer than anything here takes on a busy machine. */
const patience = 60_000

/**
 * @param {string[]} flags
 * @throws Error with what it said, when it does not get ready
 */
export async function startMock(flags) {
  if (!existsSync(program)) throw new Error('dist/main.js is missing: run "npm run build" first')
  // Settings of whoever runs the soak must not reach the mock; what is said to Node itself may.
  const { PATH, NODE_OPTIONS } = process.env
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--import', probe, program, '--port', '0', ...flags],
    {
      env: { PATH, ...(NODE_OPTIONS && { NODE_OPTIONS }) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  )
  let output = ''
  let errors = ''
  let end
  child.stderr.setEncoding('utf8').on('data', text => {
    errors = (errors + text).slice(-4_000)
  })
  const ended = new Promise(resolve => {
    child.once('close', (code, signal) => {
      end = signal ?? code
      resolve(end)
    })
  })
  const within = (promise, what) =>
    Promise.race([
      promise,
      ended.then(how => {
        throw new Error(`the mock ended (${how}) instead of ${what}: ${errors.trim()}`)
      }),
      pause(patience, undefined, { ref: false }).then(() => {
        throw new Error(`the mock was not done with ${what} after ${patience / 1000} s`)
      }),
    ])
  const ready = new Promise(resolve => {
    child.stdout.setEncoding('utf8').on('data', text => {
      if (output.includes('ready on')) return
      output += text
      const [, port] = /ready on http:\/\/[^:]+:(\d+)\n/.exec(output) ?? []
      if (port) resolve(Number(port))
    })
  })
  const port = await within(ready, 'getting ready').catch(error => {
    child.kill('SIGKILL')
    throw error
  })
  return {
    port,
    /** What it said on standard error: nothing, when all is well. */
    errors: () => errors.trim(),
    /** How it ended, while it should live; undefined as long as it lives. */
    end: () => end,
    /** After a collection of garbage: bytes of heap, and how many timers, sockets and the like are active. */
    inside() {
      const told = new Promise(resolve => child.once('message', resolve))
      child.send('?')
      return within(told, 'telling of itself')
    },
    /** Of the process as the system sees it; undefined where it does not tell. */
    outside: () => ofProcess(child.pid),
    /** Ends it as an operator would; gives the exit code or signal. */
    async stop() {
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), patience)
      const how = await ended
      clearTimeout(kill)
      return how
    },
    kill: () => child.kill('SIGKILL'),
  }
}

function ofProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      /** Resident memory in bytes. */
      rss: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024,
      /** Open files and sockets. */
      handles: readdirSync(`/proc/${pid}/fd`).length,
      /** Processor time used so far, in microseconds; the system counts in steps of 10 ms. */
      cpu: (Number(fields[11]) + Number(fields[12])) * 10_000,
    }
  } catch {
    return undefined
  }
}

/** Bytes of all files below a directory. */
export function sizeOf(directory) {
  let bytes = 0
  for (const name of readdirSync(directory, { recursive: true })) {
    try {
      const file = statSync(join(directory, name))
      if (file.isFile()) bytes += file.size
    } catch {
      // It went while we looked.
    }
  }
  return bytes
}
