import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ScenarioLibrary } from '../../../src/rig/scenarios/library.ts'
import { titleOr } from '../../not-run.ts'

const cleanups: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

/** A folder with these files, removed after the test. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'scenarios-'))
  cleanups.push(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

const failing = 'rules: [{ on: createSending, steps: [{ state: FAILED }] }]\n'
const described = (description: string) => `description: ${description}\n`

async function opened(folder: string, packaged?: string) {
  const library = await ScenarioLibrary.open({ folder, ...(packaged && { packaged }) })
  cleanups.push(() => library.close())
  return library
}

async function watched(folder: string, packaged?: string, failed?: (sentence: string) => void) {
  const library = await opened(folder, packaged)
  const reports: [sentences: readonly string[], file: string][] = []
  await library.watch((...report) => reports.push(report), undefined, failed)
  return { library, reports }
}

describe('the library', () => {
  test('the library reads no packaged file before it is asked for', async () => {
    const packaged = folderWith({ 'good.yaml': failing, 'broken.yaml': 'oops: 1\n' })
    const library = await ScenarioLibrary.open({ packaged })
    expect(library.names()).toEqual(['broken', 'good'])
    expect(library.loaded('good')).toBeUndefined()
    const good = await library.get('good')
    expect(good.rules).toHaveLength(1)
    expect(library.loaded('good')).toBe(good)
    await expect(library.get('broken')).rejects.toThrow(`${packaged}/broken.yaml:1:1: unknown key "oops"`)
  })

  test('the library reads a file once, however many ask for it at the same time', async () => {
    const library = await ScenarioLibrary.open({ packaged: folderWith({ 'good.yaml': failing }) })
    const [first, ...others] = await Promise.all(Array.from({ length: 20 }, () => library.get('good')))
    for (const other of others) expect(other).toBe(first)
  })

  test('the library has a packaged file as another one of the process read it, unless it was changed meanwhile', async () => {
    const packaged = folderWith({ 'one.yaml': described('first') })
    const read = async () => (await ScenarioLibrary.open({ packaged })).get('one')
    const first = await read()
    expect(await read()).toBe(first)
    writeFileSync(join(packaged, 'one.yaml'), described('other'))
    expect((await read()).description).toBe('other')
    writeFileSync(join(packaged, 'one.yaml'), described('first'))
    expect((await read()).description).toBe('first')
  })

  test('the library puts a file of the user before a packaged one of the same name', async () => {
    const packaged = folderWith({ 'one.yaml': described('packaged'), 'two.yaml': described('packaged') })
    const folder = folderWith({ 'one.yaml': described('own'), 'three.yaml': described('own') })
    const library = await ScenarioLibrary.open({ packaged, folder })
    expect((await library.all()).map(it => `${it.name} ${it.description}`)).toEqual([
      'one own',
      'three own',
      'two packaged',
    ])
  })

  test('the library takes no other files for scenarios', async () => {
    const folder = folderWith({ 'README.md': '', 'scenario.schema.json': '{}', 'a.yaml~': 'x' })
    const library = await ScenarioLibrary.open({ packaged: folder, folder })
    expect(library.names()).toEqual([])
  })

  test('the library has the loss matrix beside its files', async () => {
    const library = await ScenarioLibrary.open()
    expect(library.has('loss-after-reset-2')).toBe(true)
    expect(library.names()).not.toContain('loss-after-reset-2')
    expect((await library.get('loss-after-reset-2')).source).toBe('the loss matrix')
  })

  test('the library tells of an unknown name what there is, the nearest first', async () => {
    const packaged = folderWith({ 'failed-once.yaml': '{}', 'drip.yaml': '{}', 'pending.yaml': '{}' })
    const library = await ScenarioLibrary.open({ packaged })
    expect(library.has('pendin')).toBe(false)
    await expect(library.get('pendin')).rejects.toThrow(
      'there is no scenario "pendin"; did you mean "pending"? GET /_mock/scenarios and docs/scenarios.md list all',
    )
    await expect(library.get('loss-after-resett-1')).rejects.toThrow(
      'did you mean "loss-after-reset-1" or "loss-after-reset-2" or',
    )
  })

  test.each([
    ['PENDING', '"pending-for-ever" or "pending-until-4m50" or "pending-until-5m10"'],
    ['INDETERMINATE_FAILURE', '"indeterminate-sent" or "indeterminate-not-sent"'],
    ['429', '"too-many-requests-429"'],
    ['slow', '"slow-but-fine" or "slow-but-fine-29s" or "slow-but-fine-59s"'],
  ])('the state or status %s leads to names that contain it', async (name, near) => {
    const library = await ScenarioLibrary.open()
    await expect(library.get(name)).rejects.toThrow(`"${name}"; did you mean ${near}? GET`)
  })

  test.each(['__proto__', 'constructor', '../../etc/passwd', 'a\u0000b', '', 'x'.repeat(10_000)])(
    'the library has no scenario %j and reads nothing for it',
    async name => {
      const library = await ScenarioLibrary.open({ packaged: folderWith({ 'one.yaml': '{}' }) })
      expect(library.has(name)).toBe(false)
      await expect(library.get(name)).rejects.toThrow('there is no scenario')
    },
  )
})

describe("T49: the user's folder is checked at the start", () => {
  const problems = async (folder: string): Promise<readonly string[]> =>
    ScenarioLibrary.open({ folder, packaged: folderWith({}) }).then(
      () => [],
      error => error.problems,
    )

  test('with every problem of every file, a sentence each', async () => {
    const folder = folderWith({
      'a.yaml': 'oops: 1\nrules: 5\n',
      'b.yaml': failing,
      'c.yaml': 'tags: [A]\n',
      'Big Name.yaml': failing,
      'loss-after-reset-1.yaml': failing,
    })
    expect(await problems(folder)).toEqual([
      `${folder}/Big Name.yaml: expected a name of lower-case letters, digits and hyphens, at most 80, before .yaml`,
      `${folder}/a.yaml:1:1: unknown key "oops"; possible: $schema, description, rules, expect, tags, dials`,
      `${folder}/a.yaml:2:8: rules: expected a list, got 5`,
      `${folder}/c.yaml:1:8: tags[0]: expected a tag of lower-case letters, digits and hyphens, got "A"`,
      `${folder}/loss-after-reset-1.yaml: "loss-after-reset-1" is a scenario of the loss matrix and cannot be replaced; choose another name`,
    ])
  })

  test.each([
    ['own.yml', 'own.yaml'],
    ['own.YAML', 'own.yaml'],
  ])('a file %s, which would otherwise be passed over, with the name that it needs', async (name, needed) => {
    const folder = folderWith({ [name]: failing })
    expect(await problems(folder)).toEqual([
      `${folder}/${name}: the file of a scenario ends in .yaml; rename it to ${needed}`,
    ])
  })

  test('a folder that is not there is refused', async () => {
    expect(await problems('/nowhere/at/all')).toEqual([
      'cannot read scenarios at /nowhere/at/all: there is no such file or folder',
    ])
  })

  test('a directory with the name of a scenario is refused by its name', async () => {
    const folder = folderWith({})
    mkdirSync(join(folder, 'x.yaml'))
    expect(await problems(folder)).toEqual([`cannot read ${folder}/x.yaml: it is no file`])
  })

  test('a named pipe is refused by its name, and nobody waits for it', async () => {
    const folder = folderWith({})
    execFileSync('mkfifo', [join(folder, 'x.yaml')])
    expect(await problems(folder)).toEqual([`cannot read ${folder}/x.yaml: it is no file`])
  })

  const isRoot = process.getuid?.() === 0
  const noRefusal = isRoot ? 'root may read everything' : undefined
  test.skipIf(isRoot)(titleOr('a file that may not be read is refused by its name', noRefusal), async () => {
    const folder = folderWith({ 'x.yaml': failing })
    chmodSync(join(folder, 'x.yaml'), 0)
    expect(await problems(folder)).toEqual([expect.stringMatching(/x\.yaml: permission is missing/)])
  })

  test('a file that is not UTF-8 is refused by its name', async () => {
    const folder = folderWith({})
    writeFileSync(join(folder, 'x.yaml'), Buffer.from('description: caf\xe9\n', 'latin1'))
    expect(await problems(folder)).toEqual([expect.stringMatching(/^cannot read .*\/x\.yaml: .*encod/)])
  })

  test('a file of many megabytes is refused without being read whole', async () => {
    const folder = folderWith({ 'x.yaml': 'é'.repeat(5 << 20) })
    expect(await problems(folder)).toEqual([
      `${folder}/x.yaml:1:1: the text is longer than 256 KiB, the most that is read`,
    ])
  })
})

const deadline = { timeout: 60_000, interval: 10 }

describe('an edited file is read again', () => {
  test('and what it says now is played', async () => {
    const folder = folderWith({ 'one.yaml': described('before') })
    const { library, reports } = await watched(folder)
    writeFileSync(join(folder, 'one.yaml'), described('after'))
    await vi.waitFor(() => expect(library.loaded('one')?.description).toBe('after'), deadline)
    await vi.waitFor(() => expect(reports).toEqual([[[], join(folder, 'one.yaml')]]), deadline)
  })

  test('a broken edit keeps the last good one and says so, until it is mended', async () => {
    const folder = folderWith({ 'one.yaml': described('good') })
    const { library, reports } = await watched(folder)
    const sentence = `${folder}/one.yaml:1:1: unknown key "oops"; possible: $schema, description, rules, expect, tags, dials`
    writeFileSync(join(folder, 'one.yaml'), 'oops: 1\n')
    await vi.waitFor(() => expect(reports.at(-1)).toEqual([[sentence], join(folder, 'one.yaml')]), deadline)
    expect((await library.get('one')).description).toBe('good')
    expect(library.problems()).toEqual([sentence])

    writeFileSync(join(folder, 'one.yaml'), described('mended'))
    await vi.waitFor(() => expect(reports.at(-1)).toEqual([[], join(folder, 'one.yaml')]), deadline)
    expect((await library.get('one')).description).toBe('mended')
    expect(library.problems()).toEqual([])
  })

  test('a new file is a new scenario, and a removed one gives way to the packaged one', async () => {
    const packaged = folderWith({ 'one.yaml': described('packaged') })
    const folder = folderWith({ 'other.yaml': '{}' })
    const { library } = await watched(folder, packaged)
    const own = async () => (await library.get('one')).description
    writeFileSync(join(folder, 'one.yaml'), described('own'))
    await vi.waitFor(async () => expect(await own()).toBe('own'), deadline)
    rmSync(join(folder, 'one.yaml'))
    await vi.waitFor(async () => expect(await own()).toBe('packaged'), deadline)
  })

  test('one under a name that no scenario can have is told of, until it is renamed', async () => {
    const folder = folderWith({})
    const { library } = await watched(folder)
    writeFileSync(join(folder, 'late.yml'), described('late'))
    await vi.waitFor(
      () =>
        expect(library.problems()).toEqual([
          `${folder}/late.yml: the file of a scenario ends in .yaml; rename it to late.yaml`,
        ]),
      deadline,
    )
    renameSync(join(folder, 'late.yml'), join(folder, 'late.yaml'))
    await vi.waitFor(async () => expect((await library.get('late')).description).toBe('late'), deadline)
    await vi.waitFor(() => expect(library.problems()).toEqual([]), deadline)
  })

  test('a link that leads nowhere is told of, and ends nothing', async () => {
    const folder = folderWith({ 'one.yaml': described('before') })
    const { library } = await watched(folder)
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'))
    await vi.waitFor(
      () => expect(library.problems()).toEqual([expect.stringMatching(/^cannot read .*loop\.yaml: ELOOP/)]),
      deadline,
    )
    writeFileSync(join(folder, 'one.yaml'), described('after'))
    await vi.waitFor(() => expect(library.loaded('one')?.description).toBe('after'), deadline)
  })

  test('from the moment on at which it was read, and one that says the same is not reported', async () => {
    const folder = folderWith({
      'edited.yaml': described('before'),
      'removed.yaml': described('before'),
      'same.yaml': described('before'),
    })
    const library = await opened(folder)
    writeFileSync(join(folder, 'edited.yaml'), described('edited'))
    writeFileSync(join(folder, 'new.yaml'), described('new'))
    rmSync(join(folder, 'removed.yaml'))
    const reports: string[] = []
    const removed: string[] = []
    await library.watch(
      (_, file) => reports.push(basename(file)),
      file => removed.push(basename(file)),
    )
    await vi.waitFor(() => expect(reports.toSorted()).toEqual(['edited.yaml', 'new.yaml']), deadline)
    await vi.waitFor(() => expect(removed).toEqual(['removed.yaml']), deadline)
    expect((await library.all()).map(it => it.description)).toEqual(
      expect.arrayContaining(['edited', 'new', 'before']),
    )
    expect(library.has('removed')).toBe(false)
  })

  test('one that is as long and as old as the one that it replaces', async () => {
    const folder = folderWith({ 'one.yaml': described('before') })
    const { library } = await watched(folder)
    const { atime, mtime } = statSync(join(folder, 'one.yaml'))
    writeFileSync(join(folder, '.one.yaml.tmp'), described('latter'))
    utimesSync(join(folder, '.one.yaml.tmp'), atime, mtime)
    renameSync(join(folder, '.one.yaml.tmp'), join(folder, 'one.yaml'))
    await vi.waitFor(() => expect(library.loaded('one')?.description).toBe('latter'), deadline)
  })

  test('one that a link leads to, of which the system tells nothing', async () => {
    const elsewhere = folderWith({ 'target.yaml': described('before') })
    const folder = folderWith({})
    symlinkSync(join(elsewhere, 'target.yaml'), join(folder, 'one.yaml'))
    const { library } = await watched(folder)
    writeFileSync(join(elsewhere, 'target.yaml'), described('after'))
    await vi.waitFor(() => expect(library.loaded('one')?.description).toBe('after'), deadline)
  })

  /** Ways in which another folder comes to stand at a path. The path is of a link to a folder. */
  const replacements: Record<string, (path: string, old: string) => void> = {
    'is removed and made again': (_, old) => {
      rmSync(old, { recursive: true })
      mkdirSync(old)
    },
    'is renamed and made again': (_, old) => {
      renameSync(old, `${old}-before`)
      mkdirSync(old)
    },
    'is reached by a link that is moved': (path, old) => {
      mkdirSync(`${old}-next`)
      symlinkSync(`${old}-next`, `${path}.tmp`)
      renameSync(`${path}.tmp`, path)
    },
    'gives way to a link': (_, old) => {
      renameSync(old, `${old}-before`)
      mkdirSync(`${old}-next`)
      symlinkSync(`${old}-next`, old)
    },
  }
  test.each(Object.keys(replacements))('in a folder that %s, as often as that happens', async way => {
    const root = folderWith({})
    const path = join(root, 'current')
    const release = join(root, 'release')
    mkdirSync(release)
    symlinkSync(release, path)
    writeFileSync(join(path, 'one.yaml'), described('first'))
    writeFileSync(join(path, 'left.yaml'), described('first'))
    const { library } = await watched(path)
    replacements[way]!(path, release)
    writeFileSync(join(path, 'one.yaml'), described('second'))
    await vi.waitFor(() => expect(library.loaded('one')?.description).toBe('second'), deadline)
    await vi.waitFor(() => expect(library.has('left')).toBe(false), deadline)
    writeFileSync(join(path, 'one.yaml'), described('edited'))
    await vi.waitFor(() => expect(library.loaded('one')?.description).toBe('edited'), deadline)
  })

  test('and while its folder is not there, what was read stays in force, and one warning says so', async () => {
    const root = folderWith({})
    const folder = join(root, 'scenarios')
    mkdirSync(folder)
    writeFileSync(join(folder, 'one.yaml'), described('first'))
    const warnings: string[] = []
    const { library, reports } = await watched(folder, undefined, sentence => warnings.push(sentence))
    renameSync(folder, `${folder}-away`)
    const warning = `cannot read scenarios at ${folder}: there is no such file or folder; what was read stays in force until the folder is there again`
    await vi.waitFor(() => expect(warnings).toEqual([warning]), deadline)
    expect(library.loaded('one')?.description).toBe('first')
    writeFileSync(join(`${folder}-away`, 'two.yaml'), described('second'))
    renameSync(`${folder}-away`, folder)
    await vi.waitFor(() => expect(library.loaded('two')?.description).toBe('second'), deadline)
    expect(reports.map(([, file]) => basename(file))).toContain('two.yaml')
    expect(warnings).toEqual([warning])
  })
})

describe('names that begin with a dot are of systems and editors', () => {
  test('names that begin with a dot do not stop the start, and are passed over afterwards', async () => {
    const folder = folderWith({ 'one.yaml': described('own'), '._one.yaml': '\0\x05\x16\x07', '.yaml': 'x' })
    symlinkSync('me@host.1:2', join(folder, '.#one.yaml'))
    const { library, reports } = await watched(folder)
    expect(library.names()).toContain('one')
    expect(library.names().filter(name => name.includes('.'))).toEqual([])
    writeFileSync(join(folder, '._two.yaml'), '\0')
    writeFileSync(join(folder, 'two.yaml'), described('two'))
    await vi.waitFor(() => expect(library.loaded('two')?.description).toBe('two'), deadline)
    expect(reports.map(([, file]) => basename(file))).toEqual(['two.yaml'])
    expect(library.problems()).toEqual([])
  })
})
