import { once } from 'node:events'
import { createServer } from 'node:net'
import { explainListenError } from '../lib/settings.ts'
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
