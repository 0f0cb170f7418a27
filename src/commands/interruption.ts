/** That whoever started a command has asked it to end. */
export interface Interruption {
  readonly signal: AbortSignal
  /** Stops listening. */
  off(): void
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Hears the signals that ask a command to end. The first one lets it tell what it has; with the second it ends at once.
 * @param code the exit code in that case
 * @param atEach what is to be done at each signal
 */
export function onInterruption(code: 1 | 2, atEach = () => {}): Interruption {
  const interrupted = new AbortController()
  const interrupt = () => {
    atEach()
    if (interrupted.signal.aborted) process.exit(code)
    interrupted.abort()
  }
  for (const signal of signals) process.on(signal, interrupt)
  return {
    signal: interrupted.signal,
    off() {
      for (const signal of signals) process.off(signal, interrupt)
    },
  }
}
