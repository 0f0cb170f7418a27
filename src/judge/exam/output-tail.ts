import { shorten } from '../../store/validation-messages.ts'

/**
 * The uncaught exception that ended a program; undefined if its output does not end with a stack trace. A trace in the
 * middle of other output was only logged.
 * @param errors its output on standard error
 */
export function findUncaughtException(errors: string): string | undefined {
  const text = errors.replaceAll('\r\n', '\n').trimEnd()
  for (const read of traceReaders) {
    const exception = read(text)
    if (exception !== undefined) return shorten(exception.trim(), maxTailLength)
  }
  return undefined
}

/** Why a program ended, as far as its output shows: the last line that mentions an error, or its last lines. */
export function outputTail(output: string): string | undefined {
  const lines = output.split(/\r?\n/).filter(line => line.trim() !== '')
  const telling = lines.findLast(line => errorPattern.test(line) && !/^\s*at\s/.test(line))
  if (telling !== undefined) return shorten(telling.trim(), maxTailLength)
  return lines.length === 0 ? undefined : shorten(lines.slice(-maxTailLines).join('\n'), maxTailLength)
}

/** Maximum number of lines quoted from output without an error. */
const maxTailLines = 5
const maxTailLength = 300

const errorPattern = /\b(?:\w*(?:Error|Exception)|error|panic|fatal|Uncaught|Caused by)\b/

type Reader = (text: string) => string | undefined

/** For languages whose traces begin with the exception, followed by frames. */
const traceReader =
  (head: RegExp, frame: RegExp): Reader =>
  text => {
    const lines = text.split('\n')
    const at = lines.findLastIndex(line => head.test(line))
    if (at < 0 || !lines.slice(at + 1).every(line => line.trim() === '' || frame.test(line))) return undefined
    return lines[at]
  }

/** Node and Bun print their version after a crash, and only then; npm may add a line. */
const nodeTrace: Reader = text => {
  const crash = /^([\s\S]*)\n(?:Node\.js|Bun) v\d[^\n]*(?:\nnpm [^\n]*)*$/.exec(text)
  if (!crash) return undefined
  // After a value that is not an Error, Node prints how to find out more.
  const lines = crash[1]!.split('\n').filter(line => line.trim() !== '' && !line.startsWith('(Use `node'))
  return lines.findLast(line => errorPattern.test(line) && !/^\s*(?:at|throw)\s/.test(line)) ?? lines.at(-1)
}

/** Python prints the exception after its frames. */
const pythonTrace: Reader = text => {
  const trace =
    /^Traceback \(most recent call last\):\n(?:[ \t][^\n]*\n)+([A-Za-z_][\w.]*(?:: [^\n]*)?)$/m.exec(
      text.slice(text.lastIndexOf('\nTraceback (most recent call last):\n') + 1),
    )
  return trace && text.endsWith(trace[0]) ? trace[1] : undefined
}

const goTrace: Reader = text =>
  /^goroutine \d+ \[/m.test(text) ? /^(?:panic|fatal error): [^\n]*/m.exec(text)?.[0] : undefined

const traceReaders: readonly Reader[] = [
  nodeTrace,
  pythonTrace,
  // JVM, .NET, PHP, Ruby, Deno, Rust.
  traceReader(/^Exception in thread "/, /^(?:\s|Caused by: )/),
  traceReader(/^Unhandled exception\. /, /^\s/),
  traceReader(/^(?:PHP )?Fatal error: +Uncaught /, /^(?:\s|#|Stack trace:)/),
  traceReader(/^\S+:\d+:in .*\([\w:]+\)$/, /^\s/),
  traceReader(/^error: Uncaught /, /^\s/),
  traceReader(/^thread '.*' (?:\(\d+\) )?panicked at /, /./),
  goTrace,
]

/** Keeps the beginning and the end of a client's output up to a limit, as bytes. */
export class TruncatedOutput {
  readonly #maxPerEnd: number
  #start = Buffer.alloc(0)
  #end = Buffer.alloc(0)
  #length = 0

  /** @param most bytes kept at each end */
  constructor(maxPerEnd: number) {
    this.#maxPerEnd = maxPerEnd
  }

  add(bytes: Buffer): void {
    this.#length += bytes.length
    const room = this.#maxPerEnd - this.#start.length
    if (room > 0) this.#start = Buffer.concat([this.#start, bytes.subarray(0, room)])
    if (bytes.length > room)
      this.#end = Buffer.concat([this.#end, bytes.subarray(room)]).subarray(-this.#maxPerEnd)
  }

  get missing(): number {
    return this.#length - this.#start.length - this.#end.length
  }

  get bytes(): Buffer {
    const gap = this.missing === 0 ? '' : `\n[${this.missing} bytes left out]\n`
    return Buffer.concat([this.#start, Buffer.from(gap), this.#end])
  }

  get text(): string {
    return this.bytes.toString()
  }
}
