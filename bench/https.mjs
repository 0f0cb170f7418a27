/** What TLS costs: on a connection that is kept, in a handshake, and in memory. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { ask } from './ask.mjs'
import { hang, scenario, until } from './hanging.mjs'
import { emptyDirectory, freePort, launch, removed } from './process.mjs'
import { otherRows } from './rows.mjs'
import { start } from './subjects.mjs'
import { burst, work } from './work.mjs'
import { fewMailings } from './world.mjs'

const raw = fileURLToPath(new URL('raw.mjs', import.meta.url))
/** Each request on a connection of its own. */
const single = { ...work.read, headers: { Connection: 'close' } }
/** Each of them takes a handshake first. */
const mostHanging = 2_000

/**
 * The mock, over TLS and without it in one process, beside bare `node:https`.
 * @param {readonly string[]} keys of the rows that are wanted
 */
export async function measureHttps(keys, { measurements, seconds, warmUp, amount, hanging }) {
  const directory = await emptyDirectory()
  const { createCertificateAuthority } = await import('../dist/tls/certificates.js')
  const authority = await createCertificateAuthority()
  const { cert, key } = await authority.issue({ names: ['localhost'] })
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  await writeFile(files.cert, cert)
  await writeFile(files.key, key)
  const ca = authority.cert
  const tlsPort = await freePort()
  const flags = ['--tls-port', String(tlsPort), '--tls-cert', files.cert, '--tls-key', files.key]
  const mock = await start('ours', { mailings: fewMailings, more: flags })
  const floor = await launch(process.execPath, [raw, String(fewMailings), files.cert, files.key])
  const plainFloor = await launch(process.execPath, [raw, String(fewMailings)])
  const plain = { port: mock.port, cpu: mock.cpu }
  const secure = { ...mock, port: tlsPort }
  const howLong = amount ? { amount } : { duration: seconds }

  async function measure(key, subjects, item) {
    for (const [name, subject, more] of subjects) {
      if (!amount) await burst(subject, item, { ...more, duration: warmUp })
      const { perSecond, cpuPerRequest, busy, wrong } = await burst(subject, item, { ...more, ...howLong })
      const figure = { value: perSecond, cpu: cpuPerRequest, busy }
      measurements.add(key, otherRows[key], name, figure, wrong > 0 ? `${wrong} wrong answers` : undefined)
    }
  }
  const overTls = [
    ['raw', floor, { ca }],
    ['ours', secure, { ca }],
  ]
  try {
    if (keys.includes('tls'))
      await measure('tls', [['raw-plain', plainFloor, {}], ['plain', plain, {}], ...overTls], work.read)
    if (keys.includes('handshake')) await measure('handshake', overTls, single)
    if (keys.includes('hanging-tls')) await measureMemory(mock, tlsPort, ca)
  } finally {
    await mock.stop()
    await floor.stop()
    await plainFloor.stop()
    await removed(directory)
  }

  async function measureMemory(subject, port, ca) {
    const count = Math.min(mostHanging, hanging)
    await ask(subject.port, 'PUT', '/_mock/spaces/demo/scenario', scenario)
    const spaceOf = () => ask(subject.port, 'GET', '/_mock/spaces/demo')
    const seen = (await spaceOf()).requests
    const before = subject.memory()
    const open = (port, host, then) => connect({ port, host, ca, servername: 'localhost' }, then)
    const sockets = await hang(port, work.read.path, count, open)
    const areThere = await until(async () => (await spaceOf()).requests >= seen + count)
    const after = subject.memory()
    for (const socket of sockets) socket.destroy()
    if (after === undefined) return
    const wrong = areThere ? undefined : 'not every request arrived'
    const value = ((after - before) * 1024) / count
    measurements.add('hanging-tls', otherRows['hanging-tls'], 'ours', { value }, wrong)
  }
}
