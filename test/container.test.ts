import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readCommandLine } from '../src/cli/command-line.ts'
import { createMock } from '../src/index.ts'
import { junitClassPath, quickJavac } from './examples/runtimes.ts'
import { flagsOfHelp } from './help.ts'
import { ids, type Json, synchronizationPath } from './mock.ts'
import { titleOr } from './not-run.ts'
import { temporaryDirectory } from './process.ts'
import { startTester, type Tester } from './rig/control/tester.ts'

/**
 * The image itself is tried by `npm run test:image`, and so are its recipes where a Docker engine answers; here they are
 * held against what the mock takes.
 */

const page = readFileSync('docs/container.md', 'utf8')
const dockerfile = readFileSync('Dockerfile', 'utf8')
const compose = readFileSync('docker-compose.yml', 'utf8')

const recipes = 'examples/container'
const recipe = (name: string) => readFileSync(`${recipes}/${name}`, 'utf8')

const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0

const parsed = (text: string): Json[] =>
  parseAllDocuments(text).map(document => {
    expect(document.errors, text.slice(0, 60)).toEqual([])
    return document.toJS()
  })
const [actions] = parsed(recipe('github-actions.yml'))
const [gitlab] = parsed(recipe('gitlab-ci.yml'))
const [actionsBuilt] = parsed(recipe('github-actions-built.yml'))
const [gitlabBuilt] = parsed(recipe('gitlab-ci-built.yml'))
const [deployment, service] = parsed(recipe('kubernetes.yaml'))
const [planner] = parsed(recipe('compose.yaml'))
const [overHttps] = parsed(recipe('compose-https.yaml'))
const [ownCompose] = parsed(compose)

/** Of the recipe with HTTPS. */
const tlsPort = Number(overHttps.services['mailing-sync-mock'].environment.MAILING_SYNC_MOCK_TLS_PORT)
const port = Number(/^EXPOSE (\d+)$/m.exec(dockerfile)![1])
const health: readonly string[] = JSON.parse(/^HEALTHCHECK[^[]*?CMD (\[[^\n]*\])$/m.exec(dockerfile)![1]!)

describe('every variable of the image and its recipes', () => {
  const files = { Dockerfile: dockerfile, 'docker-compose.yml': compose, 'docs/container.md': page }
  it.each(Object.entries(files))(
    'every variable of the image and its recipes is one of the mock in %s',
    async (_, text) => {
      // The last one is read by the kits.
      const known = [...[...(await flagsOfHelp()).values()].flat(), 'MAILING_SYNC_MOCK_COMMAND']
      const named = [...text.matchAll(/MAILING_SYNC_MOCK_[A-Z_]*[A-Z]/g)].map(([name]) => name)
      expect(named.length).toBeGreaterThan(0)
      expect(named.filter(name => !known.includes(name))).toEqual([])
    },
  )

  const container = deployment.spec.template.spec.containers[0]
  it.each([
    ['Compose', ownCompose.services['mailing-sync-mock'].environment],
    ['Compose with HTTPS', overHttps.services['mailing-sync-mock'].environment],
    ['GitHub Actions', actions.jobs.test.services['mailing-sync-mock'].env],
    ['GitLab', gitlab.test.variables],
    [
      'Kubernetes',
      Object.fromEntries(container.env.map((it: Json) => [it.name, it.value ?? 'a-token-of-a-secret'])),
    ],
  ])('every variable of the image and its recipes has a value that can be: %s', async (_, environment) => {
    const texts = Object.entries<unknown>(environment).map(([name, value]) => [name, value])
    // A value that is no text in YAML may come out as another one.
    for (const [name, value] of texts) expect(typeof value, String(name)).toBe('string')
    await expect(readCommandLine([], Object.fromEntries(texts), '1.0.0')).resolves.toMatchObject({
      run: 'serve',
    })
  })
})

describe('the recipes', () => {
  it('the recipes are shown by the page as they are, or linked', () => {
    const shown = [...page.matchAll(/<!-- is (\S+) -->\n```\w+\n([\s\S]*?)```/g)]
    const isLinked = (file: string) => page.includes(`](../${file})`)
    expect(
      readdirSync(recipes)
        .map(name => `${recipes}/${name}`)
        .filter(file => !isLinked(file) && !shown.some(it => it[1] === file)),
    ).toEqual([])
    for (const [, file, text] of shown) expect(text, file).toBe(readFileSync(file!, 'utf8'))
  })

  it('of Compose waits for the service of docker-compose.yml', () => {
    const [name] = Object.keys(ownCompose.services)
    expect(planner.services.planner.depends_on).toEqual({ [name!]: { condition: 'service_healthy' } })
    expect(planner.services.planner.environment.MAILING_SYNC_URL).toBe(`http://${name}:${port}`)
  })

  it('of Compose with HTTPS gives a client the authority that it has to trust', async () => {
    const { environment, command } = overHttps.services.planner
    expect(environment.MAILING_SYNC_URL).toBe(`https://mailing-sync-mock:${tlsPort}`)
    expect(overHttps.services['mailing-sync-mock'].ports).toEqual([`127.0.0.1:${tlsPort}:${tlsPort}`])
    await using mock = await createMock({ tls: true, logLevel: 'silent' })
    const [plain, secure] = [await mock.listen({ tls: false }), await mock.listen()]
    using folder = temporaryDirectory()
    const script = command[0]
      .replace(`http://mailing-sync-mock:${port}`, plain.url)
      .replaceAll('/tmp/ca.pem', folder.at('ca.pem'))
    const env = { ...process.env, MAILING_SYNC_URL: secure.url }
    expect((await promisify(execFile)('sh', ['-c', script], { env })).stdout).toBe('200\n')
  })

  it('the recipes have the port that the mock listens on', async () => {
    const task = await readCommandLine([], {}, '1.0.0')
    expect(task.run === 'serve' && task.config.port).toBe(port)
    expect(ownCompose.services['mailing-sync-mock'].ports).toEqual([`127.0.0.1:${port}:${port}`])
    expect(actions.jobs.test.services['mailing-sync-mock'].ports).toEqual([`127.0.0.1:${port}:${port}`])
    const [container] = deployment.spec.template.spec.containers
    expect(container.ports).toEqual([{ name: 'http', containerPort: port }])
    expect(service.spec.ports).toEqual([{ name: 'http', port, targetPort: 'http' }])
    for (const [, given] of page.matchAll(/(?:localhost|mailing-sync-mock):(\d+)(?!\.)/g))
      expect([port, tlsPort]).toContain(Number(given))
  })

  it('without a registry use the action and the template, which test/action.slow.test.ts runs', async () => {
    const [action] = parsed(readFileSync('action.yml', 'utf8'))
    const steps: Json[] = actionsBuilt.jobs.test.steps.filter(({ uses }: Json) =>
      /mailing-sync-mock@/.test(uses),
    )
    expect(steps.map(it => [it.with.step, it.if])).toEqual([
      ['start', undefined],
      ['report', 'always()'],
    ])
    for (const it of steps)
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(it.with)))
    const flags = steps[0].with.arguments.split(' ')
    await expect(readCommandLine(flags, {}, '1.0.0')).resolves.toMatchObject({ run: 'serve' })
    const [include, { file }] = [gitlabBuilt.include, gitlabBuilt.include[0]]
    expect(include).toHaveLength(1)
    const [template] = parsed(readFileSync(file, 'utf8'))
    expect(Object.keys(template)).toEqual([gitlabBuilt.test.extends])
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
    // npm runs it after an installation.
    expect(scripts.prepare).toContain('scripts/build.mjs')
  })

  it('check health as the image does', () => {
    expect(ownCompose.services['mailing-sync-mock'].healthcheck.test).toEqual(['CMD', ...health])
    expect(actions.jobs.test.services['mailing-sync-mock'].options).toContain(
      `--health-cmd "${health.join(' ')}"`,
    )
  })

  it('the recipes give the service of Kubernetes the pods of its deployment', () => {
    expect(service.spec.selector).toEqual(deployment.spec.template.metadata.labels)
    expect(deployment.spec.selector.matchLabels).toEqual(deployment.spec.template.metadata.labels)
  })

  it('the recipes run as the user of the image, whose ID Kubernetes cannot tell from its name', () => {
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(deployment.spec.template.spec.containers[0].securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      readOnlyRootFilesystem: true,
    })
  })

  it('the recipes ask GitLab for the service by the name that its job uses', () => {
    expect(gitlab.test.services[0].alias).toBe(new URL(gitlab.test.variables.MAILING_SYNC_URL).hostname)
  })

  it('name one image', () => {
    const images = [...page.matchAll(/registry\.example\.com\/[^\s"'`)]+/g)].map(([image]) => image)
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    expect(new Set(images)).toEqual(new Set([`registry.example.com/mailing-sync-mock:${version}`]))
  })
})

describe('what the recipes ask of a mock', () => {
  let tester: Tester
  beforeAll(async () => {
    tester = await startTester()
  })
  afterAll(() => tester.close())

  const [container] = deployment.spec.template.spec.containers
  it.each(['startupProbe', 'readinessProbe', 'livenessProbe'])('%s is answered', async probe => {
    const { path, port: named } = container[probe].httpGet
    expect(named).toBe('http')
    // As the kubelet asks: by the address of the pod.
    const response = await tester.fetch(path, { headers: { host: '10.1.2.3:4025' } })
    expect(response.status).toBe(200)
  })

  const calls = [
    ...page.replaceAll(/\\\n */g, '').matchAll(/-d '(\{[^']*\})'\s+http:\/\/[\w-]+:4025\/_mock(\/\S+)/g),
  ]
  it('what the recipes ask of a mock has a control call', () => expect(calls.length).toBe(1))
  it.each(calls.map(([, body, path]) => [path!, body!]))('PUT %s %s', async (path, body) => {
    expect((await tester.put(path, body)).status).toBe(200)
  })

  it('the last step of GitHub Actions asks the mock of the image for its report', async () => {
    const { run } = actions.jobs.test.steps.find((it: Json) => it.if === 'always()')
    const [, program] = /node (\S+) report"/.exec(run)!
    expect(program).toBe(health[1])
    for (const [, flags = ''] of run.matchAll(/^\$report(?: ([^>\n]+))?(?: >> .*)?$/gm))
      await expect(
        readCommandLine(['report', ...flags.split(' ').filter(Boolean)], {}, '1.0.0'),
      ).resolves.toMatchObject({
        run: 'report',
        flags: { url: `http://localhost:${port}` },
      })
  })

  it('the scenario of GitLab is in force in the private spaces that tests open', async () => {
    const task = await readCommandLine([], gitlab.test.variables, '1.0.0')
    const { scenario } = task.run === 'serve' ? task.config : {}
    const other = await startTester({ scenario: scenario! })
    try {
      const sending = await other.as('demo+my-test').post(synchronizationPath(ids.ready, '/sendings'), {
        transactionId: 'one',
      })
      expect(sending.json.state).toBe('PENDING')
    } finally {
      await other.close()
    }
  })
})

describe('the recipes for Testcontainers', () => {
  const tried = (name: string, text: string, command: string, ...args: string[]) => {
    using directory = temporaryDirectory()
    writeFileSync(directory.at(name), text)
    execFileSync(command, [...args, name], { cwd: directory.path, stdio: 'pipe' })
  }
  const [node, java, python] = ['testcontainers.mjs', 'MockInContainer.java', 'mock_in_container.py'].map(
    recipe,
  )

  it('for Node is a program', () => tried('recipe.mjs', node!, process.execPath, '--check'))

  const hasPython = has('python3', '--version')
  const noPython = hasPython ? undefined : 'there is no Python here'
  it.skipIf(!hasPython)(titleOr('for Python is a program', noPython), () =>
    tried('recipe.py', python!, 'python3', '-m', 'py_compile'),
  )

  it.skipIf(!junitClassPath)(
    titleOr(
      'for Java compiles with the kit against classes like those of Testcontainers',
      junitClassPath ? undefined : 'there is no JDK or no JUnit 5 here',
    ),
    () => {
      using directory = temporaryDirectory()
      const kit = readFileSync('examples/kits/java/MailingSyncMock.java', 'utf8')
      const sources = { 'MailingSyncMock.java': kit, 'MockInContainer.java': java! }
      for (const [file, text] of Object.entries({ ...sources, ...testcontainersJava })) {
        mkdirSync(dirname(directory.at(file)), { recursive: true })
        writeFileSync(directory.at(file), text)
      }
      const classPath = [junitClassPath, '.'].join(delimiter)
      execFileSync('javac', [...quickJavac, '-cp', classPath, '-d', 'out', 'MockInContainer.java'], {
        cwd: directory.path,
        stdio: 'pipe',
      })
    },
    60_000,
  )
})

/** What the recipe uses of the library, by its published names and signatures. */
const testcontainersJava: Readonly<Record<string, string>> = {
  'org/testcontainers/utility/DockerImageName.java':
    'package org.testcontainers.utility; public class DockerImageName { public static DockerImageName parse(String name) { return null; } }',
  'org/testcontainers/containers/wait/strategy/WaitStrategy.java':
    'package org.testcontainers.containers.wait.strategy; public interface WaitStrategy {}',
  'org/testcontainers/containers/wait/strategy/HttpWaitStrategy.java':
    'package org.testcontainers.containers.wait.strategy; public class HttpWaitStrategy implements WaitStrategy { public HttpWaitStrategy forPort(int port) { return this; } }',
  'org/testcontainers/containers/wait/strategy/Wait.java':
    'package org.testcontainers.containers.wait.strategy; public class Wait { public static HttpWaitStrategy forHttp(String path) { return null; } }',
  'org/testcontainers/containers/GenericContainer.java': `package org.testcontainers.containers;
    public class GenericContainer<SELF extends GenericContainer<SELF>> implements AutoCloseable {
      public GenericContainer(org.testcontainers.utility.DockerImageName name) {}
      public SELF withExposedPorts(Integer... ports) { return null; }
      public SELF withEnv(String name, String value) { return null; }
      public SELF waitingFor(org.testcontainers.containers.wait.strategy.WaitStrategy strategy) { return null; }
      public void start() {}
      public String getHost() { return null; }
      public Integer getMappedPort(int port) { return null; }
      public void close() {}
    }`,
}
