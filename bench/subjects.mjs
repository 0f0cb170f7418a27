/** What is measured: each a process of its own on loopback, on a free port. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = name => fileURLToPath(new URL(name, import.meta.url))
const ours = [here('../dist/main.js'), '--quiet', '--port', '0']

/** @type {Record<string, (directory: string) => string[]>} arguments for node; `directory` is empty and its own */
export const subjects = {
  floor: () => [here('floor.mjs')],
  'ours-memory': () => [...ours, '--in-memory'],
  'ours-without-journal': () => [...ours, '--in-memory', '--journal', '0', '--no-hints'],
  'ours-disk': directory => [...ours, '--data', directory],
  raw: () => [here('raw.mjs')],
}

/**
 * Starts one and waits until it says that it is ready.
 * @param {string} name
 * @param {readonly string[]} more arguments besides its own
 */
export async function start(name, more = []) {
  const directory = await mkdtemp(join(tmpdir(), 'bench-'))
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...subjects[name](directory), ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise(resolve => child.once('exit', resolve))
  const port = await new Promise((resolve, reject) => {
    let said = ''
    child.stdout.on('data', chunk => {
      said += chunk
      const [, found] = /ready on http:\/\/[^:]+:(\d+)\n/.exec(said) ?? []
      if (found) resolve(Number(found))
    })
    child.once('exit', code => reject(new Error(`${name} ended with code ${code} before it was ready`)))
  })
  return {
    name,
    port,
    startedAt,
    /** Processor time used so far, in microseconds. */
    cpu: () => processorTime(child.pid),
    /** Resident memory in MB. */
    memory: () => residentMemory(child.pid),
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true, force: true })
    },
  }
}

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
