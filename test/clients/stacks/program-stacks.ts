import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { has, talker } from '../../rig/faults/stacks.ts'
import { type Call, headersOf, type Outcome, type Stack } from './stack.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** A program that reads a call from a line and tells in a line what came of it. */
function asking(program: string, args: readonly string[]) {
  const { say, stop } = talker(program, args)
  return {
    async ask({ method, url, authorization, patience, body = '' }: Call): Promise<Outcome> {
      const line = await say([method, url, authorization, patience, body].join('\t'))
      const at = line.indexOf(' ')
      const [first, rest] = [line.slice(0, at), line.slice(at + 1)]
      return first === 'error' ? { error: rest } : { status: Number(first), text: rest }
    },
    stop,
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
    name: 'curl',
    isHere: has('curl'),
    // "Failure in receiving network data", and "Operation timeout".
    reset: 'exit 56',
    hang: 'exit 28',
    start: () => ({ ask: curl }),
  },
]
