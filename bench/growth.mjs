/**
 * Whether anything becomes dearer with what came before. Processor time for each request, in process, where neither the
 * network nor the neighbours are in the way.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { emptyDirectory, removed } from './process.mjs'

const child = fileURLToPath(new URL('growth-child.mjs', import.meta.url))

/** @type {Record<string, { title: string, of: string, sizes: number[], quick: number[], onDisk?: boolean }>} */
export const growths = {
  sendings: {
    title: 'sendings in a space, in memory',
    of: 'sendings',
    sizes: [100, 1_000, 10_000, 100_000, 1_000_000],
    quick: [100, 1_000, 10_000],
  },
  'sendings-disk': {
    title: 'sendings in a space, on disk',
    of: 'sendings',
    sizes: [100, 1_000, 10_000, 100_000],
    quick: [100, 1_000],
    onDisk: true,
  },
  spaces: { title: 'spaces in use', of: 'spaces', sizes: [1, 10, 100, 1_000], quick: [1, 10] },
  journal: {
    title: 'requests before, of which the journal keeps 1,000',
    of: 'requests',
    sizes: [100, 1_000, 10_000, 100_000],
    quick: [100, 1_200],
  },
}

/** Beyond this the last is dearer than the first by more than chance. */
const mostGrowth = 1.5

/**
 * @param {string[]} keys of `growths`
 * @param {{ isQuick: boolean, tell: (line: string) => void }} how
 * @returns what was measured, with the processor time in microseconds for each kind of request by size
 */
export async function measureGrowth(keys, { isQuick, tell }) {
  const found = []
  for (const key of keys) {
    const { title, of, sizes, quick, onDisk } = growths[key]
    const chosen = isQuick ? quick : sizes
    const directory = onDisk ? await emptyDirectory() : ''
    try {
      const args = ['--max-old-space-size=8192', child, of, chosen.join(','), directory]
      const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 20 })
      const lines = stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      tell(`\n${title}`)
      for (const { size, micros } of lines)
        tell(
          `  ${size.toLocaleString('en').padStart(9)}  ${Object.entries(micros)
            .map(([kind, value]) => `${kind} ${value.toFixed(0)} µs`)
            .join(', ')}`,
        )
      const kinds = Object.keys(lines[0].micros).map(kind => {
        const factor = lines.at(-1).micros[kind] / lines[0].micros[kind]
        return { kind, factor, grows: factor > mostGrowth }
      })
      for (const { kind, factor, grows } of kinds)
        if (grows) tell(`  ${kind} GROWS: the last is ${factor.toFixed(1)} times the first`)
      found.push({ key, title, lines, kinds })
    } finally {
      if (onDisk) await removed(directory)
    }
  }
  return found
}
