import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const consumer = 'newsletter-planner'
export const provider = 'mailing-synchronization-service'

/** What a consumer expects in one situation. */
export interface Interaction {
  /** States that it begins from, in their order. */
  readonly given: readonly { readonly state: string; readonly params?: object }[]
  readonly method?: 'GET' | 'POST' | 'PUT'
  /** Parts such as `${sendingId}` are taken from what the states give. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** With matchers. */
  readonly answer?: object
}

/** Any value of this type. */
export const like = (value: unknown) => ({ 'pact:matcher:type': 'type', value })
/** A text of this form. */
export const matching = (regex: string, value: string) => ({ 'pact:matcher:type': 'regex', regex, value })
/** At least one of these, all alike. */
export const some = (value: object) => ({ 'pact:matcher:type': 'type', min: 1, value: [value] })
const exampleOf = (path: string) => path.replaceAll(/\$\{\w+\}/g, '00000000-0000-4000-8000-000000000001')

/** Unlike that of any other interaction: a pact keeps them apart by it. */
export const nameOf = ({ given: states, method = 'GET', path }: Interaction) => {
  const when = states.map(({ state, params }) => state + (params ? ` ${JSON.stringify(params)}` : ''))
  return `${method} ${path} when ${when.join(' and ') || 'nothing is given'}`
}

/** The pact of these interactions. @returns its file */
export const makePact = (interactions: readonly Interaction[], directory: string) =>
  asked<string>('make', {
    consumer,
    provider,
    directory,
    interactions: interactions.map(it => ({
      method: 'GET',
      query: {},
      headers: {},
      ...it,
      name: nameOf(it),
      example: exampleOf(it.path),
    })),
  })

/** Has Pact do something in a process of its own. @throws Error with what Pact says */
export async function asked<Result>(task: 'make' | 'verify' | 'probe', wanted: object): Promise<Result> {
  const child = fork(fileURLToPath(new URL('pact.mjs', import.meta.url)), {
    silent: true,
    // Tests tell nobody that they run.
    env: { PATH: process.env.PATH, PACT_DO_NOT_TRACK: 'true' },
    timeout: 60_000,
  })
  let said = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  const told = new Promise<{ result: Result; error?: string }>((resolve, reject) => {
    child.once('message', message => resolve(message as { result: Result }))
    child.once('close', code => reject(new Error(`Pact ended with ${code}: ${said}`)))
  })
  child.send({ task, given: wanted })
  const { result, error } = await told
  if (error !== undefined) throw new Error(error)
  return result
}

/** Its core is a native library, which not every machine has: why it cannot be run here, or false. */
export const isMissing = await asked('probe', {}).then(
  () => false as const,
  (error: Error) =>
    `Pact's native library is not here: ${/^\w*Error.*$/m.exec(error.message)?.[0] ?? error.message}`,
)
