import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { type Adapter, Low } from 'lowdb'
import { beginSpace, type SpaceHost } from '../rig/rigs.ts'
import type { ScenarioLibrary } from '../rig/scenarios/library.ts'
import { takeSnapshot } from '../rig/snapshot.ts'
import { findWrongSetting } from '../rig/space-settings.ts'
import { readBeginning } from '../store/content.ts'
import { formatChecksum, reason } from '../store/disk.ts'
import type { Files } from '../store/files.ts'
import { checkFixture } from '../store/fixtures.ts'
import type { Fixture } from '../store/rows.ts'
import { homeOf, spaceFileStem } from '../store/tenant-directory.ts'
import { UserError } from '../store/user-error.ts'

/*
 * What a person reads and edits while the mock is stopped: each space as one JSON file of its content, in the form of a
 * fixture. It is written at a clean stop and taken away at the next start, so it never lags behind the log.
 */

const folder = 'content'

/** Maximum number of private spaces that get a file, the latest ones: a stop must not take long. */
const maxCopies = 100

/** The content of a space, as its file has it. */
interface ReadableContent {
  readonly $about: string
  /** The space, whose private part a fixture does not name. */
  readonly $of: string
  readonly content: Fixture
  /** Of the content as compact JSON: an edit is what changes a value, not a blank. */
  readonly $checksum: string
}

const checksumOf = (content: unknown) => formatChecksum(crc32(JSON.stringify(content)))

const nameOf = (space: string) => `${spaceFileStem(space).replace(/^spaces/, folder)}.json`

/** The file as a lowdb database, written by the same calls as everything else in the data directory. */
function openContent(files: Files, name: string): Low<Partial<ReadableContent>> {
  const adapter: Adapter<Partial<ReadableContent>> = {
    async read() {
      const bytes = files.read(name)
      try {
        return bytes ? JSON.parse(String(bytes)) : null
      } catch (error) {
        throw new UserError(`${files.pathOf(name)} is not JSON: ${reason(error)}`)
      }
    },
    write: data => files.replace(name, [`${JSON.stringify(data, null, 2)}\n`]),
  }
  return new Low(adapter, {})
}

/** Writes the file of each open space. One that cannot be written is left out with a warning: nothing else is in it. */
export async function writeContents(
  { spaces, rigs }: SpaceHost,
  files: Files,
  warn: (sentence: string) => void,
): Promise<void> {
  // Whoever has removed the data directory reads nothing in it.
  if (!existsSync(files.pathOf(folder))) return
  const isHome = (name: string) => homeOf(name) === name
  const changed = spaces.names().filter(it => !isHome(it) && spaces.getOpen(it)!.data.age > 0)
  for (const name of [...spaces.names().filter(isHome), ...changed.slice(-maxCopies)]) {
    const rig = await rigs.of(spaces.getOpen(name)!)
    const content = takeSnapshot(rig)
    const $about = `Space ${name} when the mock stopped. To change it, edit it here and start with --accept-edits.`
    try {
      await openContent(files, nameOf(name)).update(data =>
        Object.assign(data, { $about, $of: name, content, $checksum: checksumOf(content) }),
      )
    } catch (error) {
      warn(`the readable content of space ${name} could not be written: ${reason(error)}`)
    }
  }
}

interface ContentHost extends SpaceHost {
  readonly scenarios: ScenarioLibrary
}

/**
 * Lets spaces go on from files that a person has edited, and takes all of them away.
 * @throws UserError for an edited file if edits are not accepted, or it cannot be used. Then all of them stay
 */
export async function readContents(
  host: ContentHost,
  files: Files,
  acceptEdits: boolean,
  note: (sentence: string) => void,
): Promise<void> {
  const names = files.stems(folder).flatMap(stem => files.list(stem))
  const edited: { readonly name: string; readonly path: string; readonly content: Fixture }[] = []
  for (const file of names) {
    const database = openContent(files, file)
    await database.read()
    const { content, $of: name = '', $checksum } = database.data
    if ($checksum === checksumOf(content)) continue
    const path = files.pathOf(file)
    if (!acceptEdits)
      throw new UserError(
        `${path} was edited while the mock was stopped: start with --accept-edits to go on from it, or remove the file to go on without the edit`,
      )
    edited.push({ name, path, content: await checkEdit(host, name, content, path) })
  }
  for (const { name, path, content } of edited) {
    const { spaces } = host
    const beginning = readBeginning(content.settings ?? [])
    const rig = await beginSpace(host, name, {
      fixture: content,
      seed: spaces.options.seed,
      age: 0,
      ...beginning,
      settings: [],
    })
    await rig.space.data.durable
    note(`space ${name} goes on from ${path}, as it was edited`)
  }
  files.remove(names)
}

/** @throws UserError for what is no content of this space */
async function checkEdit(
  { spaces, scenarios }: ContentHost,
  name: string,
  value: unknown,
  path: string,
): Promise<Fixture> {
  const home = spaces.directory.contentOf(name)
  if (!home || nameOf(name) !== pathTail(path))
    throw new UserError(`${path}: $of names space "${name}", whose file this is not`)
  const content = await checkFixture(value, path)
  const wrong = await findWrongSetting(content, scenarios)
  if (wrong) throw new UserError(`${path}: ${wrong.path}: ${wrong.problem}`)
  if (!isDeepStrictEqual(content.users, home.users))
    throw new UserError(
      `${path}: users cannot be changed here, since they lead to the space; give them in a fixture (--fixtures)`,
    )
  return content
}

const pathTail = (path: string) => path.split(/[\\/]/).slice(-2).join('/')
