/**
 * Runs the recipes of examples/container with a Docker engine, against an image that is built: `recipes.mjs IMAGE BASE`,
 * where BASE is the base image's name. A line for each recipe says that it ran, or why it was not run; exits 1 where one
 * does not do what it says.
 */
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'

const [image, base] = process.argv.slice(2)
const published = 'registry.example.com/mailing-sync-mock:0.1.0'
const work = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-recipes-'))
const own = `mailing-sync-mock-recipes-${process.pid}`
const run = async (command, args, options = {}) =>
  (await promisify(execFile)(command, args, { timeout: 120_000, ...options })).stdout.trim()
const docker = (...args) => run('docker', args)
const recipe = name => readFileSync(`examples/container/${name}`, 'utf8')
const has = (command, ...args) => spawnSync(command, args).status === 0
/** What undoes the things that were made, the newest first. */
const undo = []

/** Why a recipe cannot be run here. */
class NotRun extends Error {}

const variables = environment =>
  Object.entries(environment).flatMap(([name, value]) => ['-e', `${name}=${value}`])

async function network(name) {
  await docker('network', 'create', name)
  undo.push(() => docker('network', 'rm', name))
}

/** Starts a container and waits until the engine calls it healthy. */
async function healthy(name, ...args) {
  await docker('run', '-d', '--name', name, ...args)
  undo.push(() => docker('rm', '-f', '-v', name))
  for (let tries = 0, state = 'running'; tries < 120 && state.startsWith('running'); tries++) {
    state = await docker('inspect', '--format', '{{.State.Status}} {{.State.Health.Status}}', name)
    if (state === 'running healthy') return
    await delay(500)
  }
  throw new Error(`${name} does not become healthy: ${await run('sh', ['-c', `docker logs ${name} 2>&1`])}`)
}

const addressOf = name =>
  docker('inspect', '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}', name)

/** Recipes that publish a port need the very one that they name. */
const freePort = port =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', () => reject(new NotRun(`port ${port} is taken`)))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)))
  })

async function compose() {
  const command = has('docker', 'compose', 'version') ? ['docker', 'compose'] : ['docker-compose']
  if (!has(command[0], ...command.slice(1), 'version')) throw new NotRun('there is no docker compose')
  await freePort(4025)
  // The image is there already, and the base may bear a name of its own.
  const services = { 'mailing-sync-mock': { image }, planner: { image: base } }
  const { version } = parse(
    await run(command[0], [...command.slice(1), '-f', 'docker-compose.yml', 'config']),
  )
  writeFileSync(join(work, 'images.yaml'), JSON.stringify({ ...(version && { version }), services }))
  const files = ['docker-compose.yml', 'examples/container/compose.yaml', join(work, 'images.yaml')]
  const asked = (...args) =>
    run(command[0], [...command.slice(1), '-p', own, ...files.flatMap(file => ['-f', file]), ...args])
  undo.push(() => asked('down', '-v'))
  const said = await asked('up', '--exit-code-from', 'planner')
  assert.match(said, /planner.*\b200$/m)
}

/** As the runner does it: the container of the service, its health, the steps on the machine beside it. */
async function gitHubActions() {
  await freePort(4025)
  const { services, steps } = parse(recipe('github-actions.yml')).jobs.test
  const [[name, { image: named, ports, env, options }]] = Object.entries(services)
  await network(`${own}-github`)
  const given = options.match(/"[^"]*"|\S+/g).map(it => it.replaceAll('"', ''))
  const place = ['--network', `${own}-github`, '--network-alias', name, ...ports.flatMap(it => ['-p', it])]
  await healthy(`${own}-github`, ...place, ...given, ...variables(env), named)
  await send('demo+github', 'http://127.0.0.1:4025')
  const [report] = steps.filter(it => it.run?.includes('main.js report'))
  const lines = report.run.replaceAll(/\$\{\{ job\.services\.[\w-]+\.id \}\}/g, `${own}-github`)
  const summary = join(work, 'summary.md')
  await run('bash', ['-e', '-c', lines], { env: { ...process.env, GITHUB_STEP_SUMMARY: summary } })
  assert.match(readFileSync(summary, 'utf8'), /demo\+github/)
}

/** One mailing. */
const send = (user, url) =>
  fetch(
    `${url}/integrations/mailing-platform/mailing-synchronizations/22222222-0000-4000-8000-000000000001/sendings`,
    {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${user}:demo`)}`, 'Content-Type': 'application/hal+json' },
      body: '{"transactionId": "one"}',
    },
  )

/** The two commands of the page, for a capsule that a container has made. */
async function capsule() {
  await freePort(4030)
  await healthy(`${own}-capsule`, '-e', 'MAILING_SYNC_MOCK_IN_MEMORY=true', image)
  const url = `http://${await addressOf(`${own}-capsule`)}:4025`
  await send('demo+my-test', url)
  const text = await (await fetch(`${url}/_mock/spaces/demo+my-test/capsule`)).text()
  const folder = join(work, 'capsules')
  mkdirSync(folder)
  writeFileSync(join(folder, 'my-test.capsule.json'), text)
  chmodSync(work, 0o755)
  const page = readFileSync('docs/container.md', 'utf8')
  const [open, judge] = page
    .match(/^docker run .*\/capsules\/.*$/gm)
    .map(line =>
      line
        .replace('$PWD', folder)
        .replace(' mailing-sync-mock ', ` ${image} `)
        .replace('docker run', `docker run --name ${own}-open`),
    )
  undo.push(() => docker('rm', '-f', '-v', `${own}-open`))
  assert.match(await run('bash', ['-c', judge]), /Verdict on space demo\+my-test/)
  await run('bash', ['-c', open.replace('--rm', '-d')])
  for (let tries = 0; ; tries++) {
    const page = await fetch('http://localhost:4030/_mock/spaces/demo+my-test/verdict').catch(() => undefined)
    if (page?.status === 200) return
    if (tries === 60) throw new Error('the pages of the capsule do not come')
    await delay(500)
  }
}

/** As its runner does it: a network for the job, the service by its alias in it, the job's variables in both. */
async function gitLab() {
  const { services, variables: env } = parse(recipe('gitlab-ci.yml')).test
  const [{ name, alias }] = services
  await network(`${own}-gitlab`)
  await healthy(
    `${own}-gitlab`,
    '--network',
    `${own}-gitlab`,
    '--network-alias',
    alias,
    ...variables(env),
    name,
  )
  const asks = `fetch(process.env.MAILING_SYNC_URL + '/_mock/spaces/demo/scenario').then(async it => console.log(await it.text()))`
  const job = [
    'run',
    '--rm',
    '--network',
    `${own}-gitlab`,
    ...variables(env),
    '--entrypoint',
    'node',
    base,
    '-e',
    asks,
  ]
  assert.match(await docker(...job), /pending-then-created/)
}

/** Without a cluster: the settings of its container, and its probes as the kubelet asks them. */
async function kubernetes() {
  const [deployment] = parseAllDocuments(recipe('kubernetes.yaml')).map(it => it.toJS())
  const [{ image: named, env, securityContext: as, startupProbe, readinessProbe, livenessProbe }] =
    deployment.spec.template.spec.containers
  const { fsGroup } = deployment.spec.template.spec.securityContext
  const settings = Object.fromEntries(env.map(it => [it.name, it.value ?? 'a-token-of-a-secret']))
  const hard = [
    ...(as.readOnlyRootFilesystem ? ['--read-only'] : []),
    ...(as.allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
    ...as.capabilities.drop.map(it => `--cap-drop=${it}`),
  ]
  // An empty directory belongs to that group, and everybody may write to it.
  const directory = ['--opt', 'type=tmpfs', '--opt', 'device=tmpfs', '--opt', `o=gid=${fsGroup},mode=2777`]
  await docker('volume', 'create', ...directory, `${own}-kubernetes`)
  undo.push(() => docker('volume', 'rm', `${own}-kubernetes`))
  const user = ['--user', String(as.runAsUser), '--group-add', String(fsGroup)]
  await healthy(
    `${own}-kubernetes`,
    ...user,
    ...hard,
    '-v',
    `${own}-kubernetes:/data`,
    ...variables(settings),
    named,
  )
  const address = await addressOf(`${own}-kubernetes`)
  for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe])
    assert.equal((await fetch(`http://${address}:4025${httpGet.path}`)).status, 200)
}

/** Its own library, on a Node that is new enough for it. */
async function testcontainers() {
  writeFileSync(join(work, 'package.json'), '{ "private": true }')
  copyFileSync('examples/container/testcontainers.mjs', join(work, 'testcontainers.mjs'))
  const node = `node-${process.platform}-${process.arch}`
  const packages = ['testcontainers@12', `node@npm:${node}@24`]
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', ...flags, ...packages], { cwd: work }).catch(error => {
    throw new NotRun(`it cannot be installed: ${error.message.split('\n').at(-1)}`)
  })
  // The image that cleans up after a process that died is not needed, and may not be at hand.
  const env = { ...process.env, TESTCONTAINERS_RYUK_DISABLED: 'true' }
  assert.equal(
    await run(join(work, 'node_modules/node/bin/node'), ['testcontainers.mjs'], { cwd: work, env }),
    'CREATED',
  )
}

async function testcontainersForPython() {
  if (!has('python3', '-c', 'import testcontainers')) throw new NotRun('its library is not here')
  const env = { ...process.env, TESTCONTAINERS_RYUK_DISABLED: 'true', PYTHONPATH: 'examples/kits/python' }
  const said = await run('python3', ['-B', 'examples/container/mock_in_container.py'], { env })
  assert.match(said, /0 requests, 0 sent$/)
}

const recipes = {
  'the capsule of a test': capsule,
  'Docker Compose': compose,
  'GitHub Actions': gitHubActions,
  'GitLab CI': gitLab,
  'Kubernetes, without a cluster': kubernetes,
  'Testcontainers for Node': testcontainers,
  'Testcontainers for Python': testcontainersForPython,
}

try {
  await docker('tag', image, published)
  undo.push(() => docker('rmi', published))
  for (const [name, tried] of Object.entries(recipes)) {
    const result = await tried().then(
      () => 'ran',
      error => {
        if (error instanceof NotRun) return `not run (${error.message})`
        process.exitCode = 1
        return `FAILED: ${error.stack} ${error.stdout ?? ''} ${error.stderr ?? ''}`
      },
    )
    console.log(`${name}: ${result}`)
  }
} finally {
  for (const undone of undo.reverse()) await undone().catch(() => {})
  rmSync(work, { recursive: true, force: true })
}
