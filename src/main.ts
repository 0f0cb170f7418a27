#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import type { ExamFlags } from './commands/exam-flags.ts'
import type { PullFlags } from './commands/pull-flags.ts'
import type { VerifyFlags } from './commands/verify-flags.ts'
import { readConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { greeting, openToOthers } from './greeting.ts'
import type { ScenarioError } from './rig/scenarios/scenario-error.ts'
import type { Config } from './settings.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

/** Says what went wrong: a line for each sentence, even where it quotes a piece of a file. */
function complain(sentences: readonly string[]): void {
  const lines = sentences.map(it => `mailing-sync-mock: ${it.replaceAll(/\s*[\r\n]\s*/g, ' ')}\n`)
  process.stderr.write(lines.join(''))
}

/** Ends with the sentences that say why. */
function end(code: 1 | 2, sentences: readonly string[]): never {
  complain(sentences)
  process.exit(code)
}

try {
  const task = await readConfig(process.argv.slice(2), process.env, version)
  if (task.run === 'health') process.exitCode = await health(task.config)
  if (task.run === 'exam') process.exitCode = await examine(task.flags)
  if (task.run === 'verify') process.exitCode = await verify(task.flags)
  if (task.run === 'pull') process.exitCode = await pull(task.flags)
  if (task.run === 'serve') await serve(task.config)
} catch (error) {
  const known = await refusal(error)
  if (known === undefined) throw error
  end(2, known)
}

async function health(config: Config): Promise<0 | 1> {
  const { notReady } = await import('./commands/health.ts')
  const sentence = await notReady(config)
  if (sentence !== undefined) complain([sentence])
  return sentence === undefined ? 0 : 1
}

async function examine(flags: ExamFlags): Promise<number> {
  const { examCommand } = await import('./commands/exam.ts')
  return examCommand(flags)
}

async function verify(flags: VerifyFlags): Promise<number> {
  const { verifyCommand } = await import('./commands/verify.ts')
  return verifyCommand(flags)
}

async function pull(flags: PullFlags): Promise<number> {
  const { pullCommand } = await import('./commands/pull.ts')
  return pullCommand(flags)
}

async function serve(config: Config): Promise<void> {
  const { create } = await import('./create.ts')
  const mock = await create(
    {
      fixtures: config.fixtures,
      ...(!config.inMemory && { data: config.data }),
      durability: config.durability,
      seed: config.seed,
      generate: await counts(config.generate),
      relationPrefix: config.relationPrefix,
      platformSegment: config.platformSegment,
      ...(config.publicUrl && { publicUrl: config.publicUrl }),
      allowedHosts: config.allowHost,
      trustProxy: config.trustProxy,
      rateLimit: config.rateLimit,
      ...(config.scenario && { scenario: config.scenario }),
      ...(config.scenarios && { scenarios: config.scenarios }),
      dials: config.dial,
      ...(config.now && { now: config.now }),
      frozen: config.frozen,
      hints: !config.noHints,
      journal: config.journal,
      spaceLimit: config.spaceLimit,
      spaceIdle: config.spaceIdle,
      bodyLimit: config.bodyLimit,
      headerLimit: config.headerLimit,
      headerTimeout: config.headerTimeout,
      requestTimeout: config.requestTimeout,
      connectionLimit: config.connectionLimit,
      holdLimit: config.holdLimit,
      ...(config.token && { token: config.token }),
      hasControlPort: config.controlPort !== undefined,
      logLevel: config.logLevel,
    },
    true,
  )
  const { host, port, controlPort } = config
  const listening = async () => ({
    service: await mock.listen({ port, host }),
    control: controlPort === undefined ? undefined : await mock.listenForControl({ port: controlPort, host }),
  })
  const { service, control } = await listening().catch(async error => {
    await mock.close()
    throw error
  })
  const { url } = service

  let isStopping = false
  const stop = async () => {
    if (isStopping) process.exit(1)
    isStopping = true
    try {
      await mock.close()
    } catch (error) {
      end(1, (await refusal(error)) ?? [`could not stop in order: ${(error as Error).message}`])
    }
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Whoever read the first lines and left (`| head -1`) does not end the mock, nor does a full disk under its log.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})

  const warning = openToOthers(config)
  if (warning) process.stderr.write(`mailing-sync-mock: ${warning}\n`)
  if (!config.quiet) process.stdout.write(greeting(version, config, url, control?.url ?? url, mock.contents))
  process.stdout.write(`mailing-sync-mock ready on ${url}\n`)
  // Those of the package do not change; to look after them would keep the first client waiting.
  if (config.scenarios) await mock.watchScenarios()
}

async function counts(text: string): Promise<Record<string, number>> {
  if (text === '') return {}
  const { parseCounts } = await import('./store/generate/generate.ts')
  try {
    return parseCounts(text)
  } catch (error) {
    throw new ConfigError(`--generate is "${text}": ${(error as Error).message}`)
  }
}

/** The sentences for what a user can do something about; undefined for what is our own fault. */
async function refusal(error: unknown): Promise<readonly string[] | undefined> {
  // By name: whoever only mistyped a flag does not wait for all the rest to be read.
  if ((error as Error).name === 'ScenarioError') return (error as ScenarioError).problems
  const sentence = await onlySentence(error)
  return sentence === undefined ? undefined : [sentence]
}

async function onlySentence(error: unknown): Promise<string | undefined> {
  if (error instanceof ConfigError) return error.message
  const { DialError, FixtureError, StorageError, UnknownScenario } = await import('./index.ts')
  const ours = [FixtureError, StorageError, UnknownScenario, DialError]
  if (ours.some(it => error instanceof it)) return (error as Error).message
  // By name: whoever only serves does not read their files.
  const known = [
    'ChoiceError',
    'CommandError',
    'NobodyMaySend',
    'NothingToSend',
    'ReportError',
    'CannotVerify',
    'CannotPull',
    'ConfigFileError',
  ]
  if (known.includes((error as Error).name)) return (error as Error).message
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & {
    address?: string
    port?: number
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined
  const place = `${address ?? 'the address'}${port === undefined ? '' : `:${port}`}`
  switch (code) {
    case 'EADDRINUSE':
      return `${place} is in use; give another --port or --control-port, or 0 to have one chosen`
    case 'EACCES':
      return `listening on ${place} is not allowed; give a --port above 1023`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `--host names no address of this machine; 127.0.0.1 is this machine only, 0.0.0.0 every interface`
    default:
      return undefined
  }
}
