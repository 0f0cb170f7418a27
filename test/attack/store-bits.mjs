/**
 * Every bit of a small data directory flipped, every file cut at every byte, and every file removed, emptied, filled with zero
 * bytes or exchanged with each other one. A start shows exactly what was acknowledged, or is refused with a sentence that names
 * the file; only a log that was cut shows less, by the lines that it has lost.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const from = name => import(new URL(`../../dist/${name}.js`, import.meta.url).href)
const { Content } = await from('store/content')
const { StorageError } = await from('store/disk')
const { diskFiles } = await from('store/disk-files')
const { Spaces } = await from('store/spaces')

const fixture = (space, user) => ({
  $format: 1,
  space,
  users: [{ name: user, password: 'demo', rights: ['read', 'write'] }],
  ...Object.fromEntries(
    ['customers', 'lists', 'accessibleLists', 'mailings', 'synchronizations', 'mailingUploads'].map(it => [
      it,
      [],
    ]),
  ),
  sendings: [],
  platformMailings: [],
  platformSendings: [],
})
const contents = [new Content(fixture('demo', 'demo'))]
const all = ['demo', 'demo+copy', 'made']

/** Runs `work` on a start in the directory, and leaves it as `kill -9` does unless the work closes the spaces. */
async function started(directory, work) {
  const files = await diskFiles(directory)
  try {
    const clock = () => ({ now: () => 0 })
    return await work(await Spaces.open({ contents, files, clock, chance: () => ({}), seed: 1, warn() {} }))
  } finally {
    await files.close()
  }
}

/** Customers of all spaces: what was changed in each. Undefined for a space that is not there. */
async function show(spaces) {
  const shown = {}
  for (const name of all) {
    const space = spaces.directory.contentOf(name) && (await spaces.getOrOpen(name))
    shown[name] = space && [...space.data.tables.customers.rows()].map(row => row.name)
  }
  return shown
}

async function change(spaces, names, value) {
  for (const name of names) {
    const { data } = await spaces.getOrOpen(name)
    data.save({ customers: [{ name: value }] })
    await data.durable
  }
}

/** Snapshots, a log after each of them, two logs in one space, a copy with a log alone, and a made space. */
async function fill(directory) {
  await started(directory, async spaces => {
    await change(spaces, ['demo'], 'a')
    await spaces.create(new Content(fixture('made', 'other')), 1)
    await change(spaces, ['made'], 'a')
    await spaces.close()
  })
  await started(directory, spaces => change(spaces, ['demo', 'made', 'demo+copy'], 'b'))
  await started(directory, async spaces => {
    await change(spaces, ['demo'], 'ö')
    await change(spaces, ['demo'], 'd')
  })
}

const folders = ['fixtures', 'spaces']
const filesOf = directory =>
  folders.flatMap(folder => readdirSync(join(directory, folder)).map(name => join(directory, folder, name)))

const lines = bytes => bytes.filter(byte => byte === 0x0a).length

export default async function run() {
  const directory = mkdtempSync(join(tmpdir(), 'attack-'))
  try {
    await fill(directory)
    const names = filesOf(directory)
    const whole = new Map(names.map(name => [name, readFileSync(name)]))
    const truth = await started(directory, show)
    const figures = { bytes: 0, damages: 0, correct: 0, refused: 0, 'cut tails': 0, wrong: 0 }
    const wrong = []

    function restore() {
      for (const folder of folders) {
        rmSync(join(directory, folder), { recursive: true, force: true })
        mkdirSync(join(directory, folder))
      }
      for (const [name, bytes] of whole) writeFileSync(name, bytes)
    }

    /** @param bytes undefined for a file that is removed; `lost` says how many changes of which space a cut takes */
    async function attack(name, what, bytes, lost) {
      if (bytes === undefined) rmSync(name)
      else writeFileSync(name, bytes)
      figures.damages++
      const fail = why => {
        figures.wrong++
        wrong.push(`${basename(name)}, ${what}: ${why}`)
      }
      try {
        const shown = await started(directory, show)
        const expected = lost
          ? { ...truth, [lost.space]: truth[lost.space].slice(0, -lost.changes || undefined) }
          : truth
        if (JSON.stringify(shown) === JSON.stringify(truth)) figures.correct++
        else if (JSON.stringify(shown) === JSON.stringify(expected)) figures['cut tails']++
        else fail(JSON.stringify(shown))
        // A start may cut what was never acknowledged.
        if (lost) restore()
      } catch (error) {
        const isTold = error instanceof StorageError && error.message.includes(directory)
        if (!isTold) fail(error.stack)
        else if (bytes !== undefined && !readFileSync(name).equals(bytes)) fail('refused, but changed')
        else figures.refused++
      }
      writeFileSync(name, whole.get(name))
    }

    const logs = names.filter(name => name.endsWith('.jsonl'))
    for (const [name, bytes] of whole) {
      figures.bytes += bytes.length
      for (let at = 0; at < bytes.length; at++)
        for (let bit = 0; bit < 8; bit++) {
          const flipped = Buffer.from(bytes)
          flipped[at] ^= 1 << bit
          await attack(name, `bit ${bit} of byte ${at}`, flipped)
        }
      const isLast =
        logs.includes(name) && !logs.some(it => it > name && it.split('.')[0] === name.split('.')[0])
      const space = isLast ? JSON.parse(bytes.toString().split('\n', 1)[0]).$space : undefined
      for (let size = 0; size < bytes.length; size++) {
        const cut = bytes.subarray(0, size)
        const lost = isLast && lines(cut) > 0 ? { space, changes: lines(bytes) - lines(cut) } : undefined
        await attack(name, `cut to ${size} bytes`, cut, lost)
      }
      await attack(name, 'removed', undefined)
      await attack(name, 'of zero bytes', Buffer.alloc(bytes.length))
      for (const text of ['', 'null', '[]', '{}', 'text', '{}\n'])
        await attack(name, `with ${text}`, Buffer.from(text))
      for (const [other, others] of whole)
        if (!others.equals(bytes)) await attack(name, `with the bytes of ${basename(other)}`, others)
    }
    const ok = wrong.length === 0
    const result = ok ? 'correct or refused, but for logs that were cut' : wrong.slice(0, 5).join('; ')
    return { attack: 'every bit and every cut of a small data directory', result, ok, figures }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
