import { execFile, spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Call, headersOf, type Outcome, type Stack } from './stack.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const has = (program: string) => spawnSync(program, ['--version']).status === 0

/** A program that reads calls, one a line, and writes a line for each: starting it takes longer than a call. */
function asking(program: string, args: readonly string[]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: ((line: string) => void)[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) waiting.shift()!(line)
  })
  return {
    async ask({ method, url, authorization, patience, body = '' }: Call): Promise<Outcome> {
      const line = await new Promise<string>(resolve => {
        waiting.push(resolve)
        child.stdin.write(`${[method, url, authorization, patience, body].join('\t')}\n`)
      })
      const at = line.indexOf(' ')
      const [first, text] = [line.slice(0, at), line.slice(at + 1)]
      return first === 'error' ? { error: text } : { status: Number(first), text }
    },
    stop: () => void child.kill(),
  }
}

const curl = (call: Call): Promise<Outcome> => {
  const headers = Object.entries(headersOf(call)).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const data = call.body === undefined ? [] : ['--data', call.body]
  const args = ['-sS', '-g', '-X', call.method, '-m', String(call.patience / 1_000), '-w', '\n%{http_code}']
  return new Promise(resolve =>
    execFile('curl', [...args, ...headers, ...data, call.url], (error, out) => {
      if (error) return resolve({ error: `exit ${error.code}` })
      const at = out.lastIndexOf('\n')
      resolve({ status: Number(out.slice(at + 1)), text: out.slice(0, at) })
    }),
  )
}

export const programStacks: readonly Stack[] = [
  {
    name: 'Python urllib',
    isHere: has('python3'),
    reset: 'ConnectionResetError',
    hang: 'TimeoutError',
    takes: { 'status-cut': '201 0', 'headers-cut': '201 0', 'early-hints': '103 0' },
    start: () => asking('python3', [here('urllib_stack.py')]),
  },
  {
    name: 'Java HttpClient',
    isHere: has('java'),
    reset: 'java.io.IOException',
    hang: 'java.net.http.HttpTimeoutException',
    start: () => asking('java', [here('HttpClientStack.java')]),
  },
  {
    name: 'Java HttpURLConnection',
    isHere: has('java'),
    reset: undefined,
    hang: 'java.net.SocketTimeoutException',
    takes: {
      'status-cut': '201 0',
      'headers-cut': '201 0',
      truncate: /^201 \d+$/,
      'length-short': /^201 \d+$/,
      'early-hints': /^103 /,
    },
    start: () => asking('java', [here('UrlConnectionStack.java')]),
  },
  {
    name: 'curl',
    isHere: has('curl'),
    // "Failure in receiving network data", and "Operation timeout".
    reset: 'exit 56',
    hang: 'exit 28',
    takes: { 'headers-cut': '201 0' },
    start: () => ({ ask: curl }),
  },
]
