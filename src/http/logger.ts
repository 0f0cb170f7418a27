import type { Logger } from 'pino'

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

type Fields = Record<string, unknown>

/** The program's log: JSON lines on standard error. Answered requests are logged at `info`. */
export interface Log {
  readonly logsRequests: boolean
  error(message: string, error?: unknown): void
  warn(message: string): void
  info(message: string, fields?: Fields): void
}

/** The logging library is loaded with the first line, since most runs log nothing. */
export function createLog(level: LogLevel): Log {
  const enabled = logLevels.indexOf(level)
  let logger: Promise<Logger> | undefined
  const say = (at: 'error' | 'warn' | 'info', message: string, fields: object = {}) => {
    if (logLevels.indexOf(at) > enabled) return
    logger ??= import('pino').then(({ pino }) => {
      const destination = pino.destination({ fd: 2, sync: true })
      // For example a full disk: the line is lost, and the mock goes on.
      destination.on('error', () => {})
      return pino({ level }, destination)
    })
    logger.then(
      pino => pino[at](fields, message),
      // The library cannot be loaded, for example without free file descriptors. Neither lose the line nor end the process.
      () => process.stderr.write(`${JSON.stringify({ level: at, msg: message })}\n`),
    )
  }
  return {
    logsRequests: enabled >= logLevels.indexOf('info'),
    error: (message, error) => say('error', message, error === undefined ? {} : { err: error }),
    warn: message => say('warn', message),
    info: (message, fields) => say('info', message, fields),
  }
}
