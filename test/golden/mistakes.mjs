/** The usual mistakes: what is said, where, and how the program ends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Recording } from './entries.mjs'
import { endedText } from './help.mjs'
import { inLanes } from './lanes.mjs'
import { RunningMock, root, run } from './mock.mjs'
import { exchange, requestBytes, shown } from './wire.mjs'

/** Files that are given to the program. @type {Record<string, string>} */
const files = {
  'not-yaml.yaml': 'port: [4025\n',
  'unknown-setting.yaml': 'prot: 4025\n',
  'wrong-value.yaml': 'port: many\nseed: 1.5\nfrozen: perhaps\n',
  'list.yaml': '- port\n',
  'bad.json': '{"port": 4025\n',
  'not-a-fixture.json': '[]\n',
  'broken-fixture.json': '{"space": "demo", \n',
  'unknown-member.json': '{"$format": 1, "space": "demo", "colour": "red"}\n',
  'newer-format.json': '{"$format": 99, "space": "demo"}\n',
  'bad-references.json': JSON.stringify({
    $format: 1,
    space: 'demo',
    users: [{ name: 'demo', password: 'demo', rights: ['read', 'fly'] }],
    customers: [{ name: 'a' }],
    lists: [{ id: 1, customer: 'b', name: 'List', recipients: -1 }],
  }),
  'scenarios-misspelt/mine.yaml': 'rules:\n  - on: createSending\n    stesp:\n      - { state: PENDING }\n',
  'scenarios-state/mine.yaml': 'rules:\n  - on: createSending\n    steps:\n      - { state: PENDNG }\n',
  'scenarios-fault/mine.yaml': 'rules:\n  - on: createSending\n    steps:\n      - answer: { fault: rset }\n',
  'scenarios-operation/mine.yaml': 'rules:\n  - on: createSendings\n    steps:\n      - { state: FAILED }\n',
  'scenarios-duration/mine.yaml':
    'rules:\n  - on: createSending\n    steps:\n      - { state: PENDING, for: 5 }\n',
  'scenarios-yaml/mine.yaml': 'rules:\n  - on: createSending\n   steps: []\n',
  'scenarios-misplaced/mine.yaml':
    'rules:\n  - on: getSending\n    steps:\n      - { phase: partial, state: FAILED, answer: { fault: reset } }\n',
  'scenarios-name/Bad Name.yaml': 'rules:\n  - on: createSending\n    steps:\n      - { state: FAILED }\n',
  'a-file': '',
}

/** Commands that end by themselves. (port) is a port in use. */
const commands = [
  '--prot 4000',
  '--port',
  '--port many',
  '--port 70000',
  '--port 4000 surplus',
  '--port (port) --in-memory',
  '--in-memory --control-port (port) --port 0',
  '--host not.a.host.invalid --port 0 --in-memory',
  '--data a-file --port 0',
  '--durability safe --port 0',
  '--fixtures missing.json --port 0 --in-memory',
  '--fixtures broken-fixture.json --port 0 --in-memory',
  '--fixtures not-a-fixture.json --port 0 --in-memory',
  '--fixtures unknown-member.json --port 0 --in-memory',
  '--fixtures newer-format.json --port 0 --in-memory',
  '--fixtures bad-references.json --port 0 --in-memory',
  '--fixtures empty-folder --port 0 --in-memory',
  '--seed pi --port 0',
  '--generate mailngs=10 --port 0 --in-memory',
  '--generate mailings=many --port 0 --in-memory',
  '--relation-prefix a:b --port 0',
  '--platform-segment a/b --port 0',
  '--public-url localhost:4000 --port 0',
  '--scenario reset-aftr --port 0 --in-memory',
  '--scenarios missing --port 0 --in-memory',
  '--scenarios scenarios-misspelt --port 0 --in-memory',
  '--scenarios scenarios-state --port 0 --in-memory',
  '--scenarios scenarios-fault --port 0 --in-memory',
  '--scenarios scenarios-operation --port 0 --in-memory',
  '--scenarios scenarios-duration --port 0 --in-memory',
  '--scenarios scenarios-yaml --port 0 --in-memory',
  '--scenarios scenarios-misplaced --port 0 --in-memory',
  '--scenarios scenarios-name --port 0 --in-memory',
  '--dial eror-body=minimal --port 0 --in-memory',
  '--dial error-body=tiny --port 0 --in-memory',
  '--now yesterday --port 0 --in-memory',
  '--now 2026-11-01T10:00:00 --port 0 --in-memory',
  '--space-idle 5 --port 0 --in-memory',
  '--rate-limit -1 --port 0 --in-memory',
  '--log-level loud --port 0 --in-memory',
  '--config missing.yaml',
  '--config not-yaml.yaml',
  '--config unknown-setting.yaml',
  '--config wrong-value.yaml',
  '--config list.yaml',
  '--config bad.json',
  'strat',
  'health --port 1',
  'health --port many',
  'exam',
  'exam --only reset-aftr -- client',
  'exam -- node client.mjs',
  'exam --tag lost-answr --list',
  'exam -- no-such-program-anywhere',
  'exam --speed 0 -- node client.mjs',
  'exam --only reset-after --json a-file/exam.json -- node client.mjs',
  'exam --only reset-after --json empty-folder -- node client.mjs',
  'exam --olny reset-after -- node client.mjs',
  'verify',
  'verify --url http://localhost:1',
  'verify --url http://localhost:1 --user demo --password demo',
  'verify --url ftp://localhost --user demo --password demo',
  'verify --url http://localhost:(mock) --user demo --password wrong',
  'verify --url http://localhost:(mock) --user demo --password demo --filter 9.9',
  'verify --url http://localhost:(mock) --user demo --password demo --send-to nobody/1',
  'verify --url http://localhost:(mock) --user demo-viewer --password demo --allow-writes --filter 4.1',
  'pull',
  'pull --url http://localhost:1 --user demo --password demo --out pulled.json',
  'pull --url http://localhost:(mock) --user demo --password wrong --out pulled-wrong.json',
  'pull --url http://localhost:(mock) --user demo --password demo --out a-file',
  'pull --url http://localhost:(mock) --user demo --password demo --out pulled-rate.json --rate 0',
]

/** @type {Record<string, Record<string, string>>} */
const environments = {
  'MAILING_SYNC_MOCK_PORT=many': { MAILING_SYNC_MOCK_PORT: 'many' },
  'PORT=x': { PORT: 'x' },
  'MAILING_SYNC_MOCK_PROT=1': { MAILING_SYNC_MOCK_PROT: '1' },
  'MAILING_SYNC_MOCK_IN_MEMORY=perhaps': { MAILING_SYNC_MOCK_IN_MEMORY: 'perhaps' },
}

/** The first one is warned of. Kubernetes sets the others, and the kits read the last. */
const ignored = {
  MAILING_SYNC_MOCK_FOO: '1',
  MAILING_SYNC_MOCK_SERVICE_HOST: '10.0.0.1',
  MAILING_SYNC_MOCK_PORT_4025_TCP_ADDR: '10.0.0.1',
  MAILING_SYNC_MOCK_COMMAND: 'mailing-sync-mock',
}

/** Control calls. @type {[name: string, method: string, path: string, headers: Record<string, string>, body?: string][]} */
const calls = [
  ['unknown space', 'GET', '/spaces/demmo', {}],
  ['unknown scenario', 'PUT', '/spaces/demo/scenario', {}, '{"name":"reset-aftr"}'],
  ['misspelt member', 'PUT', '/spaces/demo/scenario', {}, '{"nmae":"reset-after"}'],
  ['not JSON', 'PUT', '/spaces/demo/scenario', {}, '{name: reset-after}'],
  ['no body', 'PUT', '/spaces/demo/scenario', {}],
  ['form', 'PUT', '/spaces/demo/scenario', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'name=x'],
  [
    'wrong state',
    'PUT',
    '/spaces/demo/scenario',
    {},
    '{"rules":[{"on":"createSending","steps":[{"state":"PENDNG"}]}]}',
  ],
  ['unknown fault', 'POST', '/spaces/demo/faults', {}, '{"on":"createSending","answer":{"fault":"rset"}}'],
  ['fault without effect', 'POST', '/spaces/demo/faults', {}, '{"on":"createSending"}'],
  [
    'unknown operation',
    'POST',
    '/spaces/demo/faults',
    {},
    '{"on":"createSendings","answer":{"fault":"reset"}}',
  ],
  ['clock without a unit', 'POST', '/spaces/demo/clock', {}, '{"advance":"5"}'],
  ['clock both ways', 'POST', '/spaces/demo/clock', {}, '{"advance":"5m","set":"2026-01-01T00:00:00Z"}'],
  ['unknown dial', 'PUT', '/spaces/demo/dials', {}, '{"eror-body":"minimal"}'],
  ['unknown call', 'GET', '/space/demo', {}],
  ['wrong method', 'PUT', '/spaces/demo/clock', {}, '{}'],
  ['wrong filter', 'GET', '/spaces/demo/requests?stauts=201', {}],
  ['unknown request', 'GET', '/spaces/demo/requests/r9-9', {}],
  ['foreign origin', 'POST', '/spaces/demo/reset', { Origin: 'https://evil.example' }, '{}'],
  ['simple content type', 'POST', '/spaces/demo/reset', { 'Content-Type': 'text/plain' }, 'x'],
  ['foreign host', 'GET', '/spaces', { Host: 'evil.example' }],
  ['wrong hold', 'POST', '/spaces/demo/holds/gate/release', {}, '{}'],
  ['bad space name', 'PUT', '/spaces/demo+a%2Fb', {}, '{}'],
]

export async function record() {
  const recording = new Recording()
  const folder = mkdtempSync(join(tmpdir(), 'mailing-sync-golden-'))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  mkdirSync(join(folder, 'empty-folder'))
  const taken = createServer()
  const inUse = await new Promise(resolve =>
    taken.listen(0, '127.0.0.1', () => resolve(String(/** @type {any} */ (taken.address()).port))),
  )
  const mock = await RunningMock.start()
  // What commands ask above comes in any order.
  const fresh = await RunningMock.start()
  const steady = (/** @type {string} */ text) =>
    text
      .replaceAll(folder, '(folder)')
      .replaceAll(root, '(root)/')
      .replaceAll(inUse, '(port)')
      .replaceAll(String(mock.port), '(mock)')
  try {
    const ended = await inLanes(4, commands, command => {
      const given = command.replaceAll('(port)', inUse).replaceAll('(mock)', String(mock.port))
      return run(given.split(' '), { cwd: folder })
    })
    commands.forEach((command, nth) => {
      const end = /** @type {import('./mock.mjs').Ended} */ (ended[nth])
      if (end.code === null) throw new Error(`"${command}" does not end: ${end.output}`)
      recording.add(command, steady(endedText(end)))
    })
    for (const [name, env] of Object.entries(environments)) {
      const end = await run([], { cwd: folder, env })
      if (end.code === null) throw new Error(`with ${name} the mock starts: ${end.output}`)
      recording.add(name, steady(endedText(end)))
    }
    const ignoring = await RunningMock.start(['--quiet'], { env: ignored })
    await ignoring.stop()
    recording.add('variables that do nothing', ignoring.errors)
    for (const [name, method, path, headers, body] of calls) {
      const bytes = requestBytes(method, `/_mock${path}`, {
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body }),
      })
      recording.add(`control call, ${name}`, shown(await exchange(fresh.port, bytes)))
    }
  } finally {
    await fresh.stop()
    taken.close()
    await mock.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  await withToken(recording)
  return { mistakes: recording.entries }
}

/** @param {Recording} recording */
async function withToken(recording) {
  const mock = await RunningMock.start(['--token', 'secret-word'])
  try {
    const ask = async (
      /** @type {string} */ name,
      /** @type {Record<string, string>} */ headers,
      path = '/spaces',
    ) =>
      recording.add(
        `token, ${name}`,
        shown(await exchange(mock.port, requestBytes('GET', `/_mock${path}`, { headers }))),
      )
    await ask('missing', {})
    await ask('wrong', { 'X-Mock-Token': 'other' })
    await ask('right', { 'X-Mock-Token': 'secret-word' })
    await ask('as a bearer', { Authorization: 'Bearer secret-word' })
    await ask('health', {}, '/health')
  } finally {
    await mock.stop()
  }
}
