import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Where a page of the documentation stands, for whoever reads a terminal: from the folder that they are in, or in full
 * where it is not below that. The image has no pages, so there it is called as a clone has it.
 * @param page such as `exam.md`
 * @param from the folder that they are in
 */
export function pageAt(page: string, from = process.cwd()): string {
  const file = fileURLToPath(new URL(`../../../../docs/${page}`, import.meta.url))
  if (!existsSync(file)) return `docs/${page}`
  const near = relative(from, file)
  return near.startsWith('..') ? file : near
}
