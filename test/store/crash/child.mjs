// @ts-nocheck It runs as it stands, on the built program.
/*
 * The mock in a process that ends itself by SIGKILL at one point of its work.
 *
 *   node child.mjs <data directory> <durability> [<call>:<when>:<nth>]
 *
 * A call is one of Disk's, or `answer`; when is before, half (of the bytes are written) or after.
 */
import { writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { assembleMock } from '../../../dist/lib/assemble-mock.js'
import { systemDisk } from '../../../dist/store/disk.js'
import { diskFiles } from '../../../dist/store/disk-files.js'

const [data, durability, point = ''] = process.argv.slice(2)
const [call, when, nth] = point.split(':')
let count = 0

/** Nothing of this process happens after this line. */
function end() {
  process.kill(process.pid, 'SIGKILL')
  for (;;);
}

const isIt = name => name === call && ++count === Number(nth)

function half(file, bytes, from) {
  writeSync(file, bytes, from, Math.floor((bytes.length - from) / 2))
  end()
}

const mortal = Object.fromEntries(
  Object.entries(systemDisk).map(([name, real]) => [
    name,
    (...args) => {
      if (!isIt(name)) return real(...args)
      if (when === 'before') end()
      if (when === 'half') half(...args)
      const done = real(...args)
      return done instanceof Promise ? done.then(end) : end()
    },
  ]),
)

if (call === 'answer') {
  const { write } = Socket.prototype
  Socket.prototype.write = function (chunk, ...rest) {
    const isAnswer = chunk.toString('latin1').startsWith('HTTP/1.1 201')
    if (!isAnswer || !isIt('answer')) return write.call(this, chunk, ...rest)
    const bytes = Buffer.from(chunk, typeof rest[0] === 'string' ? rest[0] : undefined)
    return write.call(this, bytes.subarray(0, bytes.length >> 1), end)
  }
}

const mock = await assembleMock({ data, durability, journal: 0, logLevel: 'silent' }, true, {
  openFiles: (directory, level) => diskFiles(directory, level, mortal),
})
const { url } = await mock.listen()
process.stdout.write(`ready on ${url}\n`)
