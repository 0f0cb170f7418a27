// @ts-nocheck It runs as it stands, on the built program.
/* Takes a data directory at a given time (milliseconds since 1970), says how that went, and holds it. */
import { diskFiles } from '../../../dist/store/disk-files.js'

const [data, at] = process.argv.slice(2)
while (Date.now() < Number(at));
try {
  await diskFiles(data)
  process.stdout.write('held\n')
  setInterval(() => {}, 1_000)
} catch (error) {
  process.stdout.write(`${error.message}\n`)
}
