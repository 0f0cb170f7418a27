import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { onOneLine } from '../../src/judge/exam/report-text.ts'
import { redactTarget } from '../../src/rig/redaction.ts'
import { matchesGlob, maxGlobLength, maxGlobStars, maxGlobTextLength } from '../../src/store/glob.ts'
import { ids, startMock, synchronizationPath } from '../mock.ts'
import { startTester } from '../rig/control/tester.ts'

/** Processor milliseconds that something takes. */
function taken(act: () => void): number {
  const before = process.cpuUsage()
  act()
  const { user } = process.cpuUsage(before)
  return user / 1_000
}

it.each<[what: string, glob: string, text: string]>([
  ['stars before a letter that is not there', `${'*a'.repeat(maxGlobStars)}b`, 'a'.repeat(maxGlobTextLength)],
  ['a long end that nearly fits', `*${'a'.repeat(maxGlobLength - 2)}b`, 'a'.repeat(maxGlobTextLength)],
  [
    'question marks between stars',
    `${`*${'?'.repeat(20)}`.repeat(maxGlobStars)}b`,
    'a'.repeat(maxGlobTextLength),
  ],
  ['what would be a regular expression', '([a-zA-Z0-9]+)*$', `${'a'.repeat(28)}!`],
])('T48: a glob with %s takes milliseconds, not minutes', (_, glob, text) => {
  expect(taken(() => expect(matchesGlob(glob, text)).toBe(false))).toBeLessThan(500)
})

it('T48: many beginnings of a signed token in one value are searched in milliseconds, and one is found among them', () => {
  const beginnings = '-eyJaaaaaaaa'.repeat(20_000)
  expect(taken(() => expect(redactTarget(`/?x=${beginnings}`)).toContain('eyJ'))).toBeLessThan(500)
  expect(redactTarget(`/?x=${beginnings}.e30.c2ln`)).toBe('/?x=(hidden)')
  expect(redactTarget('/?x=a-eyJhbGciOiJ.e30.')).toBe('/?x=(hidden)')
  for (const text of ['eyJhbGci.e30.', 'xeyJhbGciOiJ.e30.', 'eyJhbGciOiJ.e30', 'eyJhbGciOiJ..c2ln'])
    expect(redactTarget(`/?x=${text}`)).toBe(`/?x=${text}`)
})

it('T48: a schedule date of many letters is refused in milliseconds, and one with an offset without colon is told so', async () => {
  const mock = await startMock()
  const ask = (scheduleDate: string) =>
    mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'), { scheduleDate })
  const before = process.cpuUsage()
  for (const text of ['T'.repeat(200_000), 'T+'.repeat(100_000)]) expect((await ask(text)).status).toBe(400)
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  expect((await ask('2030-05-17T09:30:00+0200')).text).toContain('such as +02:00')
})

it('T48: many blanks in a query or in a text of a report take milliseconds', async () => {
  const blanks = `${' '.repeat(60_000)}x`
  expect(taken(() => expect(onOneLine(`a \n b${blanks}`)).toBe(`a ⏎ b${blanks}`))).toBeLessThan(500)
  const mock = await startMock({ dials: { 'blanks-in-lists': 'trimmed' } })
  const before = process.cpuUsage()
  await mock.as('demo').get(`/mailings?id=${'+'.repeat(60_000)}x`)
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
})

it('T48: a text that is longer than any that globs are for matches none', () => {
  expect(matchesGlob('*', 'a'.repeat(maxGlobTextLength + 1))).toBe(false)
})

it.each(['(a+)+$', '^([a-zA-Z0-9]+)*$', '(?=a)', '[', '\\'])(
  'T48: %s in a condition, a filter or the choice of cases is text, and no pattern',
  async pattern => {
    const tester = await startTester()
    const armed = await tester.put('/spaces/demo/scenario', {
      rules: [
        { on: 'listMailings', when: { user: { glob: pattern } }, steps: [{ answer: { status: 503 } }] },
      ],
    })
    expect(armed.status).toBe(200)
    expect((await tester.as('demo').get('/mailings')).status).toBe(200)
    const encoded = encodeURIComponent(pattern)
    for (const path of [
      `/spaces/demo/requests?scenario=${encoded}`,
      `/spaces/demo/requests?transactionId=${encoded}`,
      `/spaces/demo/mailings?name=${encoded}`,
    ]) {
      const { status } = await tester.get(path)
      expect(status, path).toBeLessThan(500)
    }
    // No case has such a name.
    expect((await tester.post('/exams', { only: [pattern] })).status).toBe(400)
    await tester.close()
  },
)

it.each([
  ['too many stars', '*a'.repeat(maxGlobStars + 1)],
  ['too many characters', 'a'.repeat(maxGlobLength + 1)],
])('T48: a glob with %s is refused where a scenario is read', async (_, glob) => {
  const tester = await startTester()
  const { status } = await tester.put('/spaces/demo/scenario', {
    rules: [{ on: '*', when: { path: { glob } }, steps: [{ answer: { status: 503 } }] }],
  })
  expect(status).toBe(400)
  await tester.close()
})

/** Where patterns are put together, of our own words alone. Another place is to be looked at before it stands here. */
const ofOurOwn = ['control/pact/pact.ts', 'pages/references.ts', 'rig/duration.ts', 'rig/scenarios/schema.ts']

it('T48: no pattern is made of what somebody sends', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    name => /\.tsx?$/.test(name) && /^(?:service|rig|store|pages|judge|control)\//.test(name),
  )
  const made = sources.filter(name => /\bRegExp\(/.test(readFileSync(join('src', name), 'utf8')))
  expect(made.sort()).toEqual(ofOurOwn)
})
