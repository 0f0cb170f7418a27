import type { Config } from './settings.ts'
import type { Content } from './store/content.ts'

/** What a person reads at the start: where it is, who may speak to it, and a line to paste. */
export function greeting(
  version: string,
  config: Config,
  url: string,
  controlUrl: string,
  contents: readonly Content[],
): string {
  const place = config.inMemory ? 'in memory: gone when it stops' : `in ${config.data}: kept over restarts`
  const users = contents.flatMap(content => content.users)
  const [first] = users
  const credentials = users.map(
    ({ name, password, rights }) => `${name} / ${password} (${rights.join(', ')})`,
  )
  const facts = [
    ['Address', url],
    ['Control', `${controlUrl}/_mock (open it in a browser)`],
    ['Data', place],
    ...(config.scenario ? [['Scenario', `${config.scenario}, in every space`]] : []),
    ...credentials.map((text, at) => [at === 0 ? 'Credentials' : '', text]),
    ['', `${first!.name}+anything / ${first!.password} (a private copy of the same space)`],
  ]
  return [
    `mailing-sync-mock ${version}`,
    '',
    ...facts.map(([name, value]) => `  ${name!.padEnd(12)} ${value}`),
    '',
    ...firstTry(config, url, contents),
    '',
    '',
  ].join('\n')
}

/** Whoever can reach the port can turn everything: a sentence of warning, where that is so. */
export function openToOthers({ host, token }: Config): string | undefined {
  if (token !== undefined || ['127.0.0.1', '::1', 'localhost'].includes(host)) return undefined
  return `anyone who can reach ${host} may make control calls; --token asks for a token`
}

/** A curl line that creates a sending; where nothing is ready to be sent, one that lists the mailings. */
function firstTry({ platformSegment }: Config, url: string, contents: readonly Content[]): string[] {
  for (const { fixture, users } of contents) {
    const user = users.find(({ rights }) => rights.includes('write'))
    const approved = new Set(fixture.mailings.filter(mailing => mailing.approved).map(({ id }) => id))
    const ready = fixture.synchronizations.find(({ mailingId }) => approved.has(mailingId))
    if (!user || !ready) continue
    const address = `${url}/integrations/${platformSegment}/mailing-synchronizations/${ready.id}/sendings`
    const body = `-H 'Content-Type: application/hal+json' -d '{"transactionId":"first-try"}'`
    return [
      '  Create a sending:',
      '',
      `  curl -u ${quoted(`${user.name}:${user.password}`)} ${body} ${address}`,
    ]
  }
  const [user] = contents[0]!.users
  return [
    '  List the mailings:',
    '',
    `  curl -u ${quoted(`${user!.name}:${user!.password}`)} ${url}/mailings`,
  ]
}

/** As one word of a shell. */
const quoted = (text: string) => (/^[\w:.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
