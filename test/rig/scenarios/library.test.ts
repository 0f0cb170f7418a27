import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

async function watched(folder: string, packaged?: string, failed?: (sentence: string) => void) {
  const library = await ScenarioLibrary.open({ folder, ...(packaged && { packaged }) })
  cleanups.push(() => library.close())
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

describe('an edited file is read again', () => {
  const deadline = { timeout: 60_000, interval: 10 }

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

  test('a file that cannot be watched is told of, and ends nothing', async () => {
    const folder = folderWith({ 'one.yaml': described('before') })
    const failed: string[] = []
    const { library } = await watched(folder, undefined, sentence => failed.push(sentence))
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'))
    await vi.waitFor(() => expect(failed[0]).toMatch(/^cannot watch scenarios: ELOOP/), deadline)
    writeFileSync(join(folder, 'one.yaml'), described('after'))
    await vi.waitFor(() => expect(library.loaded('one')?.description).toBe('after'), deadline)
  })

  test('a packaged file too, unless one of the user stands before it', async () => {
    const packaged = folderWith({ 'one.yaml': described('packaged'), 'two.yaml': described('packaged') })
    const folder = folderWith({ 'one.yaml': described('own') })
    const { library } = await watched(folder, packaged)
    writeFileSync(join(packaged, 'one.yaml'), described('edited'))
    writeFileSync(join(packaged, 'two.yaml'), described('edited'))
    await vi.waitFor(() => expect(library.loaded('two')?.description).toBe('edited'), deadline)
    expect((await library.get('one')).description).toBe('own')
  })
})
