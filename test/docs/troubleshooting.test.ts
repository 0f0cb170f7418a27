import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { problemKinds } from '../../src/service/problem.ts'
import { sentences } from './sentences.ts'

const page = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8')

/** What stands as code in the first cells of the page's tables: sentences, `…` for whatever is filled in. */
const entries = [...page.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) =>
  [...cell!.matchAll(/`([^`]+)`/g)].map(([, code]) => code!),
)

const asPattern = (entry: string) => new RegExp(`^${entry.split('…').map(escaped).join('.*')}$`)
const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
const patterns = entries.map(entry => ({ entry, pattern: asPattern(entry) }))

/** Sentences that nobody meets who uses the mock, with the reason. */
const never: readonly (readonly [file: RegExp, why: string])[] = [
  [/^contract\/openapi\//, 'our own document against our own register: the tests meet it'],
  [
    /^judge\/explore\/virtual-time\.ts:(?:The operation|unexpected)/,
    'the words of Node, for a client in virtual time',
  ],
  [/^rig\/scenarios\/schema\.ts:the settings of fault/, 'a mistake in a fault of ours, at the first import'],
  [
    /^contract\/verify\/(?:verify\.ts:the clause|resource-kinds\.ts:no resource)/,
    'a definition of ours without a check: the tests meet it',
  ],
  [
    /^service\/operations\.ts:there is no value/,
    'a path that an example of ours leaves unfilled: the tests meet it',
  ],
  [/^service\/service\.ts:Hono did not run/, 'a handler of ours that waits, which types exclude'],
  [/^contract\/verify\/[\w-]+-(?:checks|reports)\./, 'what a check found, as docs/verify.md tells'],
]
const isMet = ({ file, text }: { file: string; text: string }) =>
  !never.some(([pattern]) => pattern.test(`${file}:${text}`))

const found = sentences()

test('sentences are found where they are known to be', () => {
  const texts = found.map(({ text }) => text)
  expect(texts).toContain(
    '"…" may not be executed; write the program that runs it in front, such as node, or make it executable',
  )
  expect(texts).toContain('User or password is wrong')
  expect(texts).toContain('nothing lies between from … and to …')
  expect(texts.length).toBeGreaterThan(300)
})

test('every sentence that tells a user what is wrong has its cure on the page', () => {
  const missing = found
    .filter(isMet)
    .filter(({ text }) => !patterns.some(({ pattern }) => pattern.test(text)))
    .map(({ file, text }) => `${file}: ${text}`)
  expect(missing, 'add an entry to docs/troubleshooting.md: what it means, what to do').toEqual([])
})

test('every problem of the service has its cure on the page', () => {
  const missing = Object.keys(problemKinds).filter(kind => !entries.includes(kind))
  expect(missing, 'add an entry to docs/troubleshooting.md: what it means, what to do').toEqual([])
})

test.each(never)('%s is still left out for a reason', file => {
  expect(found.some(it => file.test(`${it.file}:${it.text}`))).toBe(true)
})

test('an entry is for one thing: only what says itself what is possible is told together', () => {
  const wide = patterns.filter(({ pattern }) => found.filter(({ text }) => pattern.test(text)).length > 10)
  expect([...new Set(wide.map(({ entry }) => entry))].sort()).toEqual(['There is no …', 'expected …'])
})

test('the page has no sentence that nobody says any more', () => {
  // Some are put together from parts, or are the command line parser's.
  const words = ['src/', 'examples/kits/', 'node_modules/commander/lib/'].map(spoken).join('\n')
  const stale = patterns
    .filter(({ pattern }) => !found.some(({ text }) => pattern.test(text)))
    .map(({ entry }) => entry)
    .filter(entry => entry.split('…').some(part => !words.includes(part.trim())))
  expect(stale).toEqual([])
})

/** All text of a folder's sources. */
function spoken(folder: string): string {
  const at = new URL(`../../${folder}`, import.meta.url)
  return readdirSync(at, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(?:[jt]sx?|java|php|py)$/.test(name))
    .map(name => readFileSync(new URL(name, at), 'utf8'))
    .join('\n')
}
