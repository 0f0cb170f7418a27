/**
 * What `work` comes to, if it does before the deadline. Node may collect a signal of `AbortSignal.timeout` that only a
 * combined signal refers to, and then it never fires: hence a timer of our own.
 * @throws DOMException TimeoutError after so many milliseconds; the reason with which the signal aborts
 */
export async function withDeadline<Value>(
  milliseconds: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted()
  const own = new AbortController()
  const leave = () => own.abort(signal.reason)
  signal.addEventListener('abort', leave)
  const timer = setTimeout(
    () => own.abort(new DOMException('no whole answer in time', 'TimeoutError')),
    milliseconds,
  )
  try {
    return await work(own.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
  }
}
