import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/* Test runners of other languages, where this machine has them. */

/** How a command ended, and all that it said. */
export interface Ran {
  readonly status: number | null
  readonly output: string
}

/** Runs a command to its end. @param env variables beside those of this process; undefined removes one */
export function ran(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Record<string, string | undefined> = {},
): Ran {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    // In a job of CI the kits say something else.
    env: { ...process.env, CI: undefined, ...env },
    encoding: 'utf8',
    timeout: 90_000,
  })
  return { status, output: stdout + stderr }
}

const speaks = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0

/** Whether PHP and PHPUnit are here. */
export const hasPhp: boolean = speaks('php', '--version')
export const hasPhpunit: boolean = hasPhp && speaks('phpunit', '--version')

/** A Python that can import all these modules; undefined where none can. */
export const pythonWith = (...modules: string[]): string | undefined =>
  ['python3', '/usr/bin/python3'].find(command =>
    speaks(command, '-c', `import ${['os', ...modules].join()}`),
  )

const hasJdk = speaks('javac', '-version')

/** The class path of JUnit 5: of the distribution, or the newest that Maven has brought here. */
export const junitClassPath: string | undefined = hasJdk
  ? (presentJars(distributionJars()) ?? mavenJars())
  : undefined

/** With these Java takes less processor time for a program that ends soon. */
export const quickJava = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'] as const
/** So does its compiler with these. */
export const quickJavac = quickJava.map(it => `-J${it}`)

/** Java says nothing of its archives of classes. */
const quietJava = ['-Xlog:disable', '-Xlog:all=error:stderr']

/**
 * Compiles all of `sources` in a folder and runs the tests of a class there.
 * @param kept a folder for what all runs with the same sources share: the classes, and an archive of all loaded ones, which
 *   the first run makes and which saves each later one a third of its processor time
 */
export function runJunit(
  folder: string,
  sources: readonly string[],
  name: string,
  env: Record<string, string | undefined>,
  kept?: string,
): Ran {
  const classes = join(kept ?? folder, 'classes')
  const jar = join(kept ?? folder, 'classes.jar')
  if (!existsSync(kept === undefined ? classes : jar)) {
    const strict = ['-Xlint:all', '-Werror', '-cp', junitClassPath!, '-d', classes]
    const made = ran(folder, 'javac', [...quickJavac, ...strict, ...sources])
    if (made.status !== 0) return made
    // Java takes nothing from an archive for classes that stand in a folder.
    const packed =
      kept === undefined ? made : ran(folder, 'jar', [...quickJavac, '-cf', jar, '-C', classes, '.'])
    if (packed.status !== 0) return packed
  }
  const archive = kept === undefined ? [] : archiveFlags(join(kept, 'classes.jsa'))
  const classPath = [junitClassPath, kept === undefined ? classes : jar].join(delimiter)
  return ran(folder, 'java', [...quickJava, ...archive, '-cp', classPath, 'RunTests', name], env)
}

const archiveFlags = (file: string): readonly string[] => [
  ...quietJava,
  `-XX:${existsSync(file) ? 'SharedArchiveFile' : 'ArchiveClassesAtExit'}=${file}`,
]

function presentJars(jars: readonly string[]): string | undefined {
  return jars.every(jar => existsSync(jar)) ? jars.join(delimiter) : undefined
}

/** Debian's package junit5. */
function distributionJars(): string[] {
  const parts = ['platform-launcher', 'platform-engine', 'platform-commons']
  const jupiter = ['jupiter-api', 'jupiter-engine', 'jupiter-params']
  const names = [...[...parts, ...jupiter].map(it => `junit-${it}`), 'opentest4j', 'apiguardian-api']
  return names.map(name => `/usr/share/java/${name}.jar`)
}

function mavenJars(): string | undefined {
  const repository = join(homedir(), '.m2/repository')
  const versions = join(repository, 'org/junit/platform/junit-platform-launcher')
  if (!existsSync(versions)) return undefined
  return readdirSync(versions)
    .filter(version => version.startsWith('1.'))
    .map(platform => {
      const jupiter = platform.replace(/^1/, '5')
      const paths = [
        ...['launcher', 'engine', 'commons'].map(it => `org/junit/platform/junit-platform-${it}/${platform}`),
        ...['api', 'engine', 'params'].map(it => `org/junit/jupiter/junit-jupiter-${it}/${jupiter}`),
        'org/opentest4j/opentest4j/1.3.0',
        'org/apiguardian/apiguardian-api/1.1.2',
      ]
      return presentJars(
        paths.map(path => {
          const [version, name] = path.split('/').reverse()
          return join(repository, path, `${name}-${version}.jar`)
        }),
      )
    })
    .findLast(classPath => classPath !== undefined)
}
