/** Plays one section on the build in GOLDEN_ROOT, and writes its entries to a file: `node record.mjs <section> <file>`. */
import { writeFileSync } from 'node:fs'
import { play } from './sections.mjs'

const [section = '', file = ''] = process.argv.slice(2)
try {
  const entries = Object.values(await play(section)).flatMap(it => [...it])
  writeFileSync(file, JSON.stringify(entries))
} catch (error) {
  console.error(/** @type {Error} */ (error).message)
  process.exit(1)
}
// Mocks in this process may still hold timers.
process.exit()
