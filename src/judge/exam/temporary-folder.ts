import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
}

/** A new folder, which goes when it is disposed of, or with the process: a second interruption ends that at once. */
export async function makeTemporaryFolder(parent: string, prefix: string): Promise<TemporaryFolder> {
  const path = await mkdtemp(join(parent, prefix))
  const options = { recursive: true, force: true, maxRetries: 3 }
  const removeAtExit = () => rmSync(path, options)
  // Any number of them may be there at the same time: that is no leak of listeners.
  process.setMaxListeners(process.getMaxListeners() + 1)
  process.on('exit', removeAtExit)
  return {
    path,
    async [Symbol.asyncDispose]() {
      process.off('exit', removeAtExit)
      process.setMaxListeners(process.getMaxListeners() - 1)
      await rm(path, options)
    },
  }
}
