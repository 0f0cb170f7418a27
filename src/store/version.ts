import { readFileSync } from 'node:fs'

/** The version of this program, read when it is asked for. */
export const readVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version
