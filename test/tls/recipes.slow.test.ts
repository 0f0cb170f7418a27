import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCertificateAuthority } from '../../src/tls/certificates.ts'
import { pythonWith, ran } from '../examples/runtimes.ts'
import { titleOr } from '../not-run.ts'
import { type Running, start, temporaryDirectory } from '../process.ts'

const page = readFileSync('docs/https.md', 'utf8')

/** The recipe of docs/https.md in that language that has these words in it. */
function recipe(language: string, words: string): string {
  const blocks = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
  const found = blocks.filter(([, its, text]) => its === language && text!.includes(words))
  expect(found).toHaveLength(1)
  return found[0]![2]!
}

interface Recipe {
  readonly name: string
  readonly text: string
  readonly file: string
  readonly command: readonly string[]
  /** Environment that the page asks for. */
  readonly env?: Record<string, string>
  readonly isHere: boolean
}

const speaks = (command: string) => ran('.', command, ['--version']).status === 0
const python = pythonWith('ssl')

const recipes: readonly Recipe[] = [
  {
    name: 'curl',
    text: recipe('sh', 'curl --cacert ca.pem -u').replace('curl ', 'curl -sSi '),
    file: 'client.sh',
    command: ['bash', 'client.sh'],
    isHere: speaks('curl'),
  },
  {
    name: "Node's fetch",
    text: recipe('js', "mailings', { headers"),
    file: 'client.mjs',
    command: [process.execPath, 'client.mjs'],
    env: { NODE_EXTRA_CA_CERTS: 'ca.pem' },
    isHere: true,
  },
  {
    name: 'undici',
    text: recipe('js', "from 'undici'"),
    file: 'client.mjs',
    command: [process.execPath, 'client.mjs'],
    isHere: true,
  },
  {
    name: 'Python',
    text: recipe('python', 'cafile="ca.pem"'),
    file: 'client.py',
    command: [python ?? 'python3', 'client.py'],
    isHere: python !== undefined,
  },
  {
    name: 'Java',
    text: recipe('java', 'class TrustingClient'),
    file: 'TrustingClient.java',
    command: ['java', 'TrustingClient.java'],
    isHere: speaks('javac'),
  },
  {
    name: 'PHP',
    text: recipe('php', "'cafile' => 'ca.pem'"),
    file: 'client.php',
    command: ['php', 'client.php'],
    isHere: speaks('php'),
  },
]

const data = temporaryDirectory()
let mock: Running
let ca: string
let another: string
beforeAll(async () => {
  mock = await start(['--tls', '--data', data.path])
  ca = readFileSync(data.at('ca.pem'), 'utf8')
  another = (await createCertificateAuthority()).cert
})
afterAll(async () => {
  await mock.stop()
  data[Symbol.dispose]()
})

/** Runs a recipe beside a file `ca.pem`. */
function play({ text, file, command, env }: Recipe, trusted: string) {
  using folder = temporaryDirectory()
  writeFileSync(folder.at('ca.pem'), trusted)
  writeFileSync(folder.at(file), text.replaceAll('https://localhost:4025', mock.url))
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), folder.at('node_modules'))
  const [program, ...args] = command
  return ran(folder.path, program!, args, env)
}

it.each(
  recipes.map(it => [titleOr(it.name, it.isHere ? undefined : 'it is not installed here'), it] as const),
)('trusts the authority by the recipe of docs/https.md, and no other: %s', async (_, it) => {
  if (!it.isHere) return
  expect(play(it, ca).output).toContain('200')
  expect(play(it, another).output).not.toContain('200')
})
