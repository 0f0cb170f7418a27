import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'

/**
 * What an application sees of an answer, in one line: status and length of the body, or `error` and what its HTTP stack
 * calls it; both where the status was seen before the error. Asked with POST, as for a sending; after `patience`
 * milliseconds it gives up.
 */
export type Ask = (url: string, patience: number) => Promise<string>

const body = '{}'

export const nodeHttp: Ask = (url, patience) =>
  new Promise(resolve => {
    const agent = new Agent()
    let status = ''
    const over = (what: string) => {
      agent.destroy()
      resolve(`${status}${what}`)
    }
    const signal = AbortSignal.timeout(patience)
    const asked = request(url, { method: 'POST', agent, signal }, answer => {
      status = `${answer.statusCode} `
      let length = 0
      answer.on('data', (bytes: Buffer) => {
        length += bytes.length
      })
      answer.on('end', () => over(`${length}`))
      answer.on('error', (error: NodeJS.ErrnoException) => over(`error ${error.code}`))
    })
    asked.on('error', (error: NodeJS.ErrnoException) => over(`error ${error.code}`))
    asked.end(body)
  })

export const globalFetch: Ask = async (url, patience) => {
  const told = (error: unknown) => {
    const { name, cause } = error as Error & { cause?: NodeJS.ErrnoException }
    return `error ${cause?.code ?? name}`
  }
  try {
    const init = { method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(patience) } as const
    const answer = await fetch(url, init)
    const length = await answer.arrayBuffer().then(({ byteLength }) => `${byteLength}`, told)
    return `${answer.status} ${length}`
  } catch (error) {
    return told(error)
  }
}

/** Reads URLs and milliseconds of patience, one pair a line; writes one line for each. */
const python = `
import http.client, sys
from urllib.parse import urlsplit

for line in sys.stdin:
    asked, patience = line.split()
    url = urlsplit(asked)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=int(patience) / 1000)
    status = ''
    try:
        connection.request('POST', url.path + ('?' + url.query if url.query else ''), '${body}')
        answer = connection.getresponse()
        status = '%d ' % answer.status
        print(status + str(len(answer.read())), flush=True)
    except Exception as error:
        print(status + 'error ' + type(error).__name__, flush=True)
    finally:
        connection.close()
`

/** As the Python one. */
const java = `
import java.io.*;
import java.net.*;

public class Asks {
  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null;) {
      var pair = line.split(" ");
      String status = "";
      try {
        var connection = (HttpURLConnection) URI.create(pair[0]).toURL().openConnection();
        connection.setRequestMethod("POST");
        connection.setReadTimeout(Integer.parseInt(pair[1]));
        connection.setDoOutput(true);
        connection.getOutputStream().write("${body}".getBytes());
        int code = connection.getResponseCode();
        if (code > 0) status = code + " ";
        System.out.println(status + connection.getInputStream().readAllBytes().length);
      } catch (Exception error) {
        System.out.println(status + "error " + error.getClass().getSimpleName());
      }
    }
  }
}
`

/** Where a program is missing, its tests are reported as not run. */
export const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0

/** A program that answers all questions: starting it takes longer than asking. */
export interface Asker {
  readonly ask: Ask
  stop(): void
}

/** Python's http.client, which urllib stands on. */
export const pythonHttp = (): Asker => asker('python3', ['-c', python])

/** The HttpURLConnection of the JDK. @param directory where its source is put */
export function javaHttp(directory: string): Asker {
  const source = join(directory, 'Asks.java')
  writeFileSync(source, java)
  return asker('java', ['-Xshare:auto', source])
}

function asker(program: string, args: readonly string[]): Asker {
  const { say, stop } = talker(program, args)
  return { ask: (url, patience) => say(`${url} ${patience}`), stop }
}

/** A program that answers each line with one. */
export interface Talker {
  say(line: string): Promise<string>
  stop(): void
}

export function talker(program: string, args: readonly string[]): Talker {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting: ((line: string) => void)[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) waiting.shift()!(line)
  })
  return {
    say: line =>
      new Promise(resolve => {
        waiting.push(resolve)
        child.stdin.write(`${line}\n`)
      }),
    stop: () => void child.kill(),
  }
}

export const curl: Ask = (url, patience) =>
  new Promise((resolve, reject) => {
    const options = ['-o', '/dev/null', '-w', '%{http_code} %{size_download}', '-m', String(patience / 1_000)]
    const child = spawn('curl', ['-sg', ...options, '-d', body, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let seen = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      seen += text
    })
    child.on('error', reject)
    child.on('close', code =>
      resolve(code === 0 ? seen : `${seen.replace(/^000 0$/, '')} error ${code}`.trim()),
    )
  })
