import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClientFunction } from '../judge/exam/client.ts'
import { UserError } from '../store/user-error.ts'

/** The client of a module: its default export. @param module URL of its file @throws UserError */
export async function importClient(module: string): Promise<ClientFunction> {
  const file = relative('', fileURLToPath(module))
  const exported = await import(module).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new UserError(
        `${file} is no JavaScript module; leave --module out, and give the command that starts the client`,
      )
    throw new UserError(`cannot load the module ${file}: ${error.message}; "node ${file}" shows the line`)
  })
  if (typeof exported.default === 'function') return exported.default
  throw new UserError(
    `${file} has no default export that is a function; expected "export default async call => ...", which sends one mailing`,
  )
}
