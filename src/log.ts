import type { Logger } from 'pino'

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

type Fields = Record<string, unknown>

/** What the program says while it runs: JSON lines on standard error. Answered requests are told at `info`. */
export interface Log {
  readonly tellsRequests: boolean
  error(message: string, error?: unknown): void
  warn(message: string): void
  info(message: string, fields?: Fields): void
}

/** The library behind it is loaded with the first line: most runs have nothing to say. */
export function createLog(level: LogLevel): Log {
  const enabled = logLevels.indexOf(level)
  let logger: Promise<Logger> | undefined
  const say = (at: 'error' | 'warn' | 'info', message: string, fields: object = {}) => {
    if (logLevels.indexOf(at) > enabled) return
    logger ??= import('pino').then(({ pino }) => {
      const destination = pino.destination({ fd: 2, sync: true })
      // The disk with the log is full, say: a line is lost then, and the mock goes on.
      destination.on('error', () => {})
      return pino({ level }, destination)
    })
    logger.then(
      pino => pino[at](fields, message),
      // It cannot be loaded, out of file descriptors say: the line must neither be lost nor end the process.
      () => process.stderr.write(`${JSON.stringify({ level: at, msg: message })}\n`),
    )
  }
  return {
    tellsRequests: enabled >= logLevels.indexOf('info'),
    error: (message, error) => say('error', message, error === undefined ? {} : { err: error }),
    warn: message => say('warn', message),
    info: (message, fields) => say('info', message, fields),
  }
}
