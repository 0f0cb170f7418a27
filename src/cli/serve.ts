import { quoteForShell } from '../judge/exam/report-text.ts'
import { type AssembledMock, assembleMock } from '../lib/assemble-mock.ts'
import { type Config, explainListenError } from '../lib/settings.ts'
import type { Content } from '../store/content.ts'
import { documentedPassword } from '../store/tenant-directory.ts'
import type { Https } from '../tls/https.ts'
import { checkVariables } from './command-line.ts'
import { orUserError } from './report-files.ts'
import { exitWith, explainError, printProblems } from './terminal.ts'

/** Starts the mock; it runs until the process is told to stop. @throws UserError */
export async function serve(config: Config, version: string): Promise<undefined> {
  const { port, host, controlPort, tlsPort, inMemory, data, generate, quiet, stopWithInput, ...options } =
    config
  const tls = options.tls && tlsPort === undefined
  const mock = await assembleMock(
    {
      ...options,
      ...(!inMemory && { data }),
      generate: await parseGenerate(generate),
      hasControlPort: controlPort !== undefined,
      hasTlsPort: tlsPort !== undefined,
    },
    true,
  )
  const listening = async () => ({
    // Before the other one, whose address the pages show.
    beside: tlsPort === undefined ? undefined : await mock.listen({ port: tlsPort, host, tls: true }),
    service: await mock.listen({ port, host, tls }),
    control:
      controlPort === undefined ? undefined : await mock.listenForControl({ port: controlPort, host, tls }),
  })
  const { beside, service, control } = await listening().catch(async error => {
    await mock.close()
    throw explainListenError(error)
  })
  const { url } = service

  let isStopping = false
  const stop = async () => {
    if (isStopping) return
    isStopping = true
    try {
      await mock.close()
    } catch (error) {
      exitWith(1, explainError(error) ?? [`could not stop cleanly: ${(error as Error).message}`])
    }
    if (!quiet) process.stdout.write('mailing-sync-mock stopped\n')
    process.exit(0)
  }
  let signals = 0
  /** A person who does not want to wait for the end sends a second one. The end of the input is none. */
  const stopAtSignal = () => {
    if (++signals > 1) process.exit(1)
    void stop()
  }
  process.on('SIGTERM', stopAtSignal)
  process.on('SIGINT', stopAtSignal)
  if (stopWithInput) process.stdin.resume().once('end', stop).once('error', stop)

  const ignored = checkVariables(process.env).map(
    name => `${name} is no setting and does nothing; --help and docs/settings.md list all`,
  )
  printProblems([describeExposure(config), ...ignored].filter(it => it !== undefined))
  const addresses = { url, controlUrl: control?.url ?? url, tlsUrl: beside?.url }
  if (!quiet) process.stdout.write(formatGreeting(version, config, addresses, mock))
  process.stdout.write(`mailing-sync-mock ready on ${url}\n`)
  // Packaged scenarios do not change; watching them would delay the first request.
  if (config.scenarios) await mock.watchScenarios()
}

async function parseGenerate(text: string): Promise<Record<string, number>> {
  if (text === '') return {}
  const { parseCounts } = await import('../lib/generate.ts')
  return orUserError(`--generate is "${text}"`, () => parseCounts(text))
}

function formatGreeting(
  version: string,
  config: Config,
  { url, controlUrl, tlsUrl }: { url: string; controlUrl: string; tlsUrl: string | undefined },
  { contents, https }: AssembledMock,
): string {
  const secureUrl = tlsUrl ?? (config.tls ? url : undefined)
  const trust = https?.ca && (https.authority.path ?? `${secureUrl}/_mock/ca.pem`)
  const place = config.inMemory
    ? 'in memory: gone when it stops'
    : `in ${config.data}: kept over restarts; requests and verdicts are not`
  const users = contents.flatMap(content => content.users)
  const [first] = users
  const credentials = users.map(
    ({ name, password, rights }) => `${name} / ${showPassword(password)} (${rights.join(', ')})`,
  )
  const facts = [
    ['Address', url],
    ...(tlsUrl ? [['HTTPS', tlsUrl]] : []),
    ...(trust ? [['Trust', `${trust} (the certificate authority; docs/https.md)`]] : []),
    ['Control', `${controlUrl}/_mock (open it in a browser)`],
    ['Data', place],
    ...(config.scenario ? [['Scenario', `${config.scenario}, in every space`]] : []),
    ...credentials.map((text, at) => [at === 0 ? 'Credentials' : '', text]),
    ['', `${first!.name}+anything / ${showPassword(first!.password)} (a private space)`],
  ]
  return [
    `mailing-sync-mock ${version}`,
    '',
    ...facts.map(([name, value]) => `  ${name!.padEnd(12)} ${value}`),
    '',
    ...formatFirstCommand(config, url, contents, url === secureUrl ? https : undefined),
    '',
    '',
  ].join('\n')
}

const showPassword = (password: string) => documentedPassword(password) ?? '(the password in your fixture)'

/** A warning when other machines can make control calls without a token. */
function describeExposure({ host, token }: Config): string | undefined {
  if (token !== undefined || /^(?:127\.[\d.]+|::1|localhost)$/.test(host)) return undefined
  return `anyone who can reach this port (${host}) may make control calls; --token (MAILING_SYNC_MOCK_TOKEN) asks for a token`
}

/** A curl command that creates a sending, or lists the mailings when nothing is ready to be sent. */
function formatFirstCommand(
  { platformSegment }: Config,
  url: string,
  contents: readonly Content[],
  https: Https | undefined,
): string[] {
  const path = https?.authority.path
  // In memory there is no file: -k trusts anybody, so the line is no example of what to do.
  const trusting =
    https?.ca === undefined ? '' : path === undefined ? '-k ' : `--cacert ${quoteForShell(path)} `
  const format = (title: string, { name, password }: Content['users'][number], rest: string) => {
    // curl asks for a password that is not documented.
    const credentials = documentedPassword(password) === undefined ? name : `${name}:${password}`
    return [`  ${title}:`, '', `  curl ${trusting}-u ${quoteForShell(credentials)} ${rest}`]
  }
  for (const { fixture, users } of contents) {
    const user = users.find(({ rights }) => rights.includes('write'))
    const approved = new Set(fixture.mailings.filter(mailing => mailing.approved).map(({ id }) => id))
    const ready = fixture.synchronizations.find(({ mailingId }) => approved.has(mailingId))
    if (!user || !ready) continue
    const address = `${url}/integrations/${platformSegment}/mailing-synchronizations/${ready.id}/sendings`
    const body = `-H 'Content-Type: application/hal+json' -d '{"transactionId":"first-try"}'`
    return format('Create a sending', user, `${body} ${address}`)
  }
  return format('List the mailings', contents[0]!.users[0]!, `${url}/mailings`)
}
