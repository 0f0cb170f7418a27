/** json-server over a file, with a check of credentials before it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWorld } from '../world.mjs'

const forgets = 'it answers 500 to an ID that is there'

/** @type {import('./peers.mjs').Peer} */
export const jsonServer = {
  title: 'json-server 0.17',
  async prepare({ directory, port, mailings }) {
    const { synchronizations, mailings: rows } = createWorld(`http://127.0.0.1:${port}`, mailings)
    const file = join(directory, 'db.json')
    await writeFile(
      file,
      JSON.stringify({ synchronizations: [...synchronizations.values()], mailings: rows, sendings: [] }),
    )
    return {
      args: [fileURLToPath(new URL('json-server-server.cjs', import.meta.url)), String(port), file],
    }
  },
  cannot: { repeat: forgets, fault: 'it has no faults' },
  differs: {
    collection: 'a bare array, without links around it',
    filtered: 'a bare array, without links around it',
    create: 'written to its file, as a whole, for each; a repeated transaction ID makes another one',
  },
}
