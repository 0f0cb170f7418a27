import { once } from 'node:events'
import { createServer } from 'node:net'
import { UserError } from '../store/user-error.ts'
import { readConfig } from './command-line.ts'
import { exitWith, explainError } from './terminal.ts'

/**
 * `npm start` calls it before it builds: reads the command line and tries the ports, since a build takes many seconds.
 * It ends the process after `--help` and `--version`, and with a message when the mock could not start.
 */
export async function checkStart(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  version: string,
): Promise<void> {
  try {
    const task = await readConfig(argv, environment, version)
    if (task.run === 'nothing') process.exit()
    if (task.run !== 'serve') return
    const { host, port, controlPort, tlsPort } = task.config
    for (const each of [port, controlPort, tlsPort]) {
      if (each === undefined) continue
      const server = createServer().listen({ port: each, host })
      await once(server, 'listening')
      server.close()
    }
  } catch (error) {
    const problems = explainError(explainListenError(error))
    if (problems === undefined) throw error
    exitWith(2, problems)
  }
}

/** A UserError that says what to do when the mock cannot listen; any other error as it is. */
export function explainListenError(error: unknown): unknown {
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & {
    address?: string
    port?: number
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error
  const place = `${address ?? 'the address'}${port === undefined ? '' : `:${port}`}`
  switch (code) {
    case 'EADDRINUSE':
      return new UserError(
        `${place} is in use; give another --port, --control-port or --tls-port, or 0 to have one chosen`,
      )
    case 'EACCES':
      return new UserError(`listening on ${place} is not allowed; give a --port above 1023`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new UserError(
        `--host names no address of this machine; 127.0.0.1 is this machine only, 0.0.0.0 every interface`,
      )
    default:
      return error
  }
}
