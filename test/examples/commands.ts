import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createMock } from '../../src/index.ts'
import { jsonOf } from '../mock.ts'
import { titleOr } from '../not-run.ts'
import { eventually, temporaryDirectory } from '../process.ts'
import { quickJava, quickJavac } from './runtimes.ts'

const clients = fileURLToPath(new URL('../../examples/clients/', import.meta.url))

/** Programs of the examples, by what a report calls them. */
export const commands = {
  reference: [process.execPath, `${clients}reference/main.mjs`],
  python: ['python3', `${clients}python/send_mailing.py`],
  java: ['java', `${clients}java/Client.java`],
  php: ['php', `${clients}php/client.php`],
  mutant: (id: string) => [process.execPath, `${clients}mutants/main.mjs`, id],
  naive: (name: string) => [process.execPath, `${clients}${name}/main.mjs`],
} as const

/** A careful client in some language, and whether this machine speaks it. */
export interface Careful {
  readonly name: string
  readonly command: readonly string[]
  readonly isHere: boolean
  /** So many times as fast as real time it can run: what its first request takes to get going is no time limit. */
  readonly speed: number
}

const careful: readonly Careful[] = [
  { name: 'the reference client', command: commands.reference, isHere: true, speed: 120 },
  speaking('the Python client', commands.python, 'python3', 3, 120),
  speaking('the Java client', commands.java, 'javac', 17, 30),
  speaking('the PHP client', commands.php, 'php', 8, 120, ['-r', 'exit(extension_loaded("curl") ? 0 : 1);']),
]

/** Every careful client; of one that this machine has no language for the name says so. */
export const carefulClients = careful.map(it => ({
  ...it,
  name: titleOr(it.name, it.isHere ? undefined : 'its language is not installed here'),
}))

function speaking(
  name: string,
  command: readonly string[],
  program: string,
  least: number,
  speed: number,
  needs: readonly string[] = ['--version'],
): Careful {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  const [version = '0'] = /\d+/.exec(stdout ?? '') ?? []
  const isHere = status === 0 && Number(version) >= least && spawnSync(program, needs).status === 0
  return { name, command, isHere, speed }
}

/** The same command, made ready beforehand where that saves time each time that it is started. */
export function ready(command: readonly string[]): { command: readonly string[]; clean(): void } {
  if (command !== commands.java) return { command, clean() {} }
  const classes = mkdtempSync(join(tmpdir(), 'mailing-sync-java-'))
  const strict = ['-Xlint:all', '-Werror', '-d', classes]
  const { status, stderr } = spawnSync('javac', [...quickJavac, ...strict, command[1]!], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return {
    command: ['java', ...quickJava, '-cp', classes, 'Client'],
    clean: () => rmSync(classes, { recursive: true, force: true }),
  }
}

const deadline = 90_000

/** How a command ended. */
export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** One request as the control API shows it. */
export interface Shown {
  readonly transactionId: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly delivered: string
  readonly told: { readonly status: number; readonly state: string | null } | null
}

/** A space of a listening mock in which a client that is a command has something to send. */
export interface Place {
  /** Runs it to its end. */
  run(command: readonly string[], more?: Record<string, string>): Promise<Ended>
  /** Starts it, and kills it when its first request to create a sending has been answered, or never will be. */
  killAfterFirst(command: readonly string[]): Promise<void>
  /** Requests that create a sending, the oldest first. */
  creates(): Promise<Shown[]>
  /** How many sendings was sent. */
  sent(): Promise<number>
}

/**
 * @param speed so many times as fast as real time the space's clock runs, and a client that can takes it
 * @param beginning how the space begins, as for `PUT /_mock/spaces/{space}`
 */
export async function place(
  synchronizationId: string,
  { speed = 1, ...beginning }: { speed?: number; scenario?: unknown } = {},
): Promise<Place> {
  const mock = await createMock({ logLevel: 'silent' })
  onTestFinished(() => mock.close())
  const { url } = await mock.listen()
  const directory = temporaryDirectory()
  onTestFinished(() => directory[Symbol.dispose]())
  const space = `${url}/_mock/spaces/demo+client`
  const put = await fetch(space, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clock: { rate: speed }, ...beginning }),
  })
  if (!put.ok) throw new Error(await put.text())
  const environment = {
    MAILING_SYNC_URL: url,
    MAILING_SYNC_USER: 'demo+client',
    MAILING_SYNC_PASSWORD: 'demo',
    MAILING_SYNC_SYNCHRONIZATION_ID: synchronizationId,
    MAILING_SYNC_STATE: directory.path,
    MAILING_SYNC_SPEED: String(speed),
  }
  const creates = async (): Promise<Shown[]> => {
    const seen = await jsonOf(await fetch(`${space}/requests?operation=createSending`))
    return seen._embedded.requests
  }
  const sent = async () => {
    const { summary } = await jsonOf(await fetch(`${space}/platform`))
    return summary.sent + summary.scheduled
  }
  return {
    creates,
    run: (command, more) => ended(started(command, { ...environment, ...more })),
    async killAfterFirst(command) {
      const child = started(command, environment)
      const end = ended(child)
      // Not as soon as it arrives: of a request whose body has not come yet nothing would be left.
      await eventually('the first attempt to be sent', async () => ((await sent()) > 0 ? true : undefined))
      child.kill('SIGKILL')
      await end
    },
    sent,
  }
}

function started([file = '', ...args]: readonly string[], env: Record<string, string>): ChildProcess {
  const { PATH = '' } = process.env
  return spawn(file, args, { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
}

function ended(child: ChildProcess): Promise<Ended> {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`it had not ended after ${deadline} ms: ${output}`))
    }, deadline)
    child.once('error', reject)
    child.once('close', code => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })
}
