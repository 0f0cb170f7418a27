import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isProvedError } from '../../src/judge/exam/exam-result.ts'
import { type ExamOptions, runExam } from '../../src/lib/run-exam.ts'
import { unfitTls } from '../../src/rig/side-ports.ts'
import { pythonWith, quickJava, quickJavac, ran } from '../examples/runtimes.ts'
import { titleOr } from '../not-run.ts'
import { temporaryDirectory } from '../process.ts'

const unfit = Object.keys(unfitTls)
const at = (name: string) => fileURLToPath(new URL(`clients/${name}`, import.meta.url))
const speaks = (command: string) => ran('.', command, ['--version']).status === 0
const python = pythonWith('ssl')
const classes = temporaryDirectory()
const hasJava = speaks('javac')
beforeAll(() => {
  if (hasJava)
    expect(ran('.', 'javac', [...quickJavac, '-d', classes.path, at('TlsClient.java')]).output).toBe('')
})
afterAll(() => classes[Symbol.dispose]())

const clients = [
  { name: 'Node', command: [process.execPath, at('node.mjs')], isHere: true },
  { name: 'Python', command: [python ?? 'python3', at('client.py')], isHere: python !== undefined },
  { name: 'Java', command: ['java', ...quickJava, '-cp', classes.path, 'TlsClient'], isHere: hasJava },
  { name: 'curl', command: ['bash', at('client.sh')], isHere: speaks('curl') },
]

/** The cases of an exam over HTTPS, with what is certainly wrong in each. */
async function play(client: readonly string[], options: Partial<ExamOptions> = {}) {
  const { cases } = await runExam({ client, tls: true, speed: 10, only: [...unfit], ...options })
  return cases.map(it => ({
    name: it.name,
    status: it.status,
    errors: it.findings.filter(isProvedError).map(({ rule }) => rule),
    reason: it.reason,
  }))
}

const passed = (names: readonly string[]) =>
  names.map(name => ({ name, status: 'passed', errors: [], reason: null }))

const handshakeFaults = ['tls-handshake-cut', 'tls-cut-after-handshake']

describe.each(
  clients.map(it => ({ ...it, name: titleOr(it.name, it.isHere ? undefined : 'it is not installed here') })),
)('a client over HTTPS in $name', ({ command, isHere }) => {
  it.runIf(isHere)('is convicted by each certificate and protocol that it should refuse', async () => {
    expect(await play([...command, 'careless'])).toEqual(
      unfit.map(name => ({ name, status: 'failed', errors: ['R31'], reason: null })),
    )
  })

  it.runIf(isHere)('that looks at certificates passes every case of TLS', async () => {
    expect(await play([...command, 'careful'], { only: ['tls-*'] })).toEqual(
      passed([...unfit, 'tls-handshake-cut', 'tls-handshake-silent', 'tls-cut-after-handshake']),
    )
  })

  it.runIf(isHere)('that gives up at the first broken handshake is convicted', async () => {
    expect(await play([...command, 'ends'], { only: handshakeFaults })).toEqual(
      handshakeFaults.map(name => ({ name, status: 'failed', errors: ['given-up'], reason: null })),
    )
  })

  it.runIf(isHere)('without a deadline is convicted by a handshake that never ends', async () => {
    const only = ['tls-handshake-silent']
    const [result] = await play([...command, 'patient'], { only, timeout: 8_000 })
    expect(result).toMatchObject({ status: 'failed', errors: ['never-ended'] })
  })
})

it('a client that ends at a certificate that does not fit is not convicted', async () => {
  expect(await play([process.execPath, at('node.mjs'), 'ends'])).toEqual(passed(unfit))
})

const mute = ['sh', '-c', 'exit 3']
const throwing = [process.execPath, '-e', "require('http').get(process.env.MAILING_SYNC_URL)"]
const plain = ['sh', '-c', 'curl -s "http$(echo "$MAILING_SYNC_URL" | cut -c6-)" && exit 3']
const distrusting = ['sh', '-c', 'curl -s --cacert /dev/null "$MAILING_SYNC_URL" || exit 3']

it.each([
  ['ends', 'happy-path', mute],
  ['ends', 'tls-self-signed', mute],
  ['throws', 'happy-path', throwing],
  ['throws', 'tls-self-signed', throwing],
  ['sends HTTP', 'happy-path', plain],
  ['sends HTTP', 'tls-self-signed', plain],
  ['does not know the authority', 'happy-path', distrusting],
])('a client that cannot use HTTPS is not convicted but told so: it %s in %s', async (_, name, client) => {
  const reason =
    'no request came over HTTPS: does the client speak it, and does it trust the authority in MAILING_SYNC_CA_FILE?'
  expect(await play(client, { only: [name] })).toEqual([{ name, status: 'inconclusive', errors: [], reason }])
})

it('without --tls an exam has no case of TLS, and says what they need', async () => {
  await expect(runExam({ client: ['true'], only: ['tls-expired'] })).rejects.toThrow(
    'cases of TLS need --tls',
  )
})
