import { spawn } from 'node:child_process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { titleOr } from '../../not-run.ts'
import { eventually } from '../../process.ts'
import { faultServer } from './fault-server.ts'

const crowd = 10_000
/** Bytes of heap for each: its socket, parser, request and response are in it, all Node's own. */
const allowed = 16_384

/** Connects many times over, asks for what hangs, and leaves all at once when it is told to. */
const client = `
  const { connect } = require('node:net')
  const [port, crowd] = process.argv.slice(1).map(Number)
  const sockets = []
  const more = () => {
    if (sockets.length === crowd) return
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST /hang HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 2\\r\\n\\r\\n{}')
      more()
    })
    socket.on('error', error => { console.error(error.message); process.exit(1) })
    sockets.push(socket)
  }
  for (let at = 0; at < 200; at += 1) more()
  process.stdin.resume().on('end', () => process.exit(0))
`

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

const { userLimits } = process.report!.getReport() as unknown as {
  userLimits: { open_files: { soft: number | 'unlimited' } }
}
const files = userLimits.open_files.soft
const isAllowed = files === 'unlimited' || files > crowd + 500

it.skipIf(!isAllowed)(
  titleOr(
    `${crowd} requests hang at once and all leave: they cost little and nothing of them stays`,
    isAllowed ? undefined : `this process may open only ${files} files`,
  ),
  async () => {
    await using server = await faultServer()
    const before = heapUsed()
    const timersBefore = timers()
    const child = spawn(process.execPath, ['-e', client, String(server.port), String(crowd)], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    try {
      await eventually('all to hang', () => server.wires.length === crowd || undefined)
      expect((heapUsed() - before) / crowd).toBeLessThan(allowed)
      expect(timers() - timersBefore).toBeLessThan(10)
      child.stdin.end()
      await Promise.all(server.wires.map(({ gone }) => gone))
      expect(new Set(server.wires.map(({ outcome }) => outcome))).toEqual(new Set(['aborted']))
      await eventually(
        'the connections to be forgotten',
        async () => (await server.connections()) === 0 || undefined,
      )
    } finally {
      child.kill()
    }
  },
)

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
