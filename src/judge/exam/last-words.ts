/** What a program prints at its end, read for why it ended. */

/**
 * The exception that ended a program because nobody caught it; undefined where its last words are no stack trace. A trace
 * in the middle of other output was only logged.
 * @param errors what it printed on standard error
 */
export function uncaughtIn(errors: string): string | undefined {
  const text = errors.replaceAll('\r\n', '\n').trimEnd()
  for (const read of readers) {
    const found = read(text)
    if (found !== undefined) return cut(found.trim())
  }
  return undefined
}

/** Why a program ended, as far as its output tells: the last line that speaks of an error, or its last lines. */
export function lastWords(output: string): string | undefined {
  const lines = output.split(/\r?\n/).filter(line => line.trim() !== '')
  const telling = lines.findLast(line => speaksOfError.test(line) && !/^\s*at\s/.test(line))
  if (telling !== undefined) return cut(telling.trim())
  return lines.length === 0 ? undefined : cut(lines.slice(-most).join('\n'))
}

/** So many lines are quoted of an output that speaks of no error. */
const most = 5
const longest = 300
const cut = (text: string) => (text.length > longest ? `${text.slice(0, longest - 3)}...` : text)

const speaksOfError = /\b(?:\w*(?:Error|Exception)|error|panic|fatal|Uncaught|Caused by)\b/

type Reader = (text: string) => string | undefined

/** Languages whose traces begin with the exception: what follows it are frames. */
const named = (head: RegExp, frame: RegExp): Reader => {
  return text => {
    const lines = text.split('\n')
    const at = lines.findLastIndex(line => head.test(line))
    if (at < 0 || !lines.slice(at + 1).every(line => line.trim() === '' || frame.test(line))) return undefined
    return lines[at]
  }
}

/** Node and Bun say their version after a crash, and only then; npm may add a line. */
const byVersion: Reader = text => {
  const crash = /^([\s\S]*)\n(?:Node\.js|Bun) v\d[^\n]*(?:\nnpm [^\n]*)*$/.exec(text)
  if (!crash) return undefined
  // Behind what is not an Error stands how to find out more.
  const lines = crash[1]!.split('\n').filter(line => line.trim() !== '' && !line.startsWith('(Use `node'))
  return lines.findLast(line => speaksOfError.test(line) && !/^\s*(?:at|throw)\s/.test(line)) ?? lines.at(-1)
}

/** Python names the exception behind its frames. */
const python: Reader = text => {
  const trace =
    /^Traceback \(most recent call last\):\n(?:[ \t][^\n]*\n)+([A-Za-z_][\w.]*(?:: [^\n]*)?)$/m.exec(
      text.slice(text.lastIndexOf('\nTraceback (most recent call last):\n') + 1),
    )
  return trace && text.endsWith(trace[0]) ? trace[1] : undefined
}

const go: Reader = text =>
  /^goroutine \d+ \[/m.test(text) ? /^(?:panic|fatal error): [^\n]*/m.exec(text)?.[0] : undefined

const readers: readonly Reader[] = [
  byVersion,
  python,
  // The virtual machine of Java, .NET, PHP, Ruby, Deno, Rust.
  named(/^Exception in thread "/, /^(?:\s|Caused by: )/),
  named(/^Unhandled exception\. /, /^\s/),
  named(/^(?:PHP )?Fatal error: +Uncaught /, /^(?:\s|#|Stack trace:)/),
  named(/^\S+:\d+:in .*\([\w:]+\)$/, /^\s/),
  named(/^error: Uncaught /, /^\s/),
  named(/^thread '.*' (?:\(\d+\) )?panicked at /, /./),
  go,
]
