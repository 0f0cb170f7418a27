import { beforeAll, describe, expect, test } from 'vitest'
import { parseDocument } from 'yaml'
import { junitReport, markdownReport, terminalReport } from '../../src/contract/verify/verify-reports.ts'
import {
  configText,
  isWrittenConfig,
  readWrittenDials,
  type VerifyResult,
  verifyResult,
} from '../../src/contract/verify/verify-result.ts'
import { dialNames } from '../../src/service/dials.ts'
import { inEach, lying } from './lies.ts'
import { mockTarget, sendTo, verified } from './mock-target.ts'

const red = '\u001b[31m'
const hostile = `]]><b>&"'|\`@team\n# ${red}\u0000\u202e`

let result: VerifyResult
beforeAll(async () => {
  const { fetch } = await mockTarget({
    dials: { 'error-body': 'minimal', 'replaced-configuration-status': '204' },
  })
  const lie = inEach('test-mail group', it => {
    it.name = [hostile]
  })
  result = await verified(lying(fetch, lie), { allowWrites: true, sendTo })
})

test('the schema of results describes what --json writes', () => {
  expect(verifyResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(result)
})

describe('on a terminal', () => {
  test('a difference is told in full, a choice with what to set, and the rest by its reason', () => {
    const text = terminalReport(result, { colours: false, width: 200 })
    expect(text).toMatch(/^DIFFERS 2\.8 name: A test-mail group has a name\. \(specified\)$/m)
    expect(text).toMatch(/^ {2}expected: name: a string$/m)
    expect(text).toMatch(/^ {2}request \d+: GET http:\S+\/test-mail-groups -> 200$/m)
    expect(text).toMatch(
      /7 format \(house style\): the target: problems with title and status only; to do the same, set dial error-body=minimal/,
    )
    expect(text).toMatch(
      /4\.16 replaced \(assumed\): .*; to do the same, set dial replaced-configuration-status=204/,
    )
  })

  test('the result comes first, and what is outside is counted unless all is asked for', () => {
    const [first, counts] = terminalReport(result, { colours: false, width: 200 }).split('\n')
    expect(first).toMatch(/^NOT FAITHFUL: \S+ differs from the document in 1 clause\.$/)
    expect(counts).toMatch(/^\d+ hold, 1 differ, .* \d+ outside \(--verbose names them\)$/)
    expect(terminalReport(result, { colours: false, width: 200, verbose: true })).toMatch(
      /^ {2}4\.1\/1: whether work goes on/m,
    )
  })

  test('differences that follow from others are counted apart, so that the counts agree', () => {
    const clauses = result.clauses.map((it, at) =>
      at === 0 ? { ...it, status: 'differs' as const, see: '2.8 name' } : it,
    )
    const counts = { ...result.counts, differs: 2 }
    const [first, second] = terminalReport(
      { ...result, clauses, counts },
      { colours: false, width: 200 },
    ).split('\n')
    expect(first).toContain(' in 1 clause.')
    expect(second).toContain(', 1 differ and 1 that follows from them, ')
  })

  test.each([40, 60, 80, 120])('nothing but an address is wider than %i columns', width => {
    const lines = terminalReport(result, { colours: false, width }).split('\n')
    for (const line of lines) if (line.length > width) expect(line.trim()).toMatch(/^\S+$/)
  })

  test('colours are there when asked for, and what the target says makes none', () => {
    const plain = terminalReport(result, { colours: false, width: 100 })
    expect(plain).not.toContain('\u001b')
    const coloured = terminalReport(result, { colours: true, width: 100 })
    expect(coloured).toContain('\u001b[31mDIFFERS\u001b[0m')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for
    expect(coloured.replaceAll(/\u001b\[(?:31|32|33|0)m/g, '').replaceAll(/\s+/g, ' ')).toBe(
      plain.replaceAll(/\s+/g, ' '),
    )
  })
})

test('JUnit has a case for each clause, and text of the target stays text', () => {
  const xml = junitReport(result)
  expect(xml.match(/<testcase /g)).toHaveLength(result.clauses.length)
  expect(xml.match(/<failure /g)).toHaveLength(result.counts.differs)
  expect(xml).toContain(`tests="${result.clauses.length}" failures="1" errors="0"`)
  expect(xml).toContain('<property name="complete" value="true"/>')
  expect(xml).not.toContain('<b>')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e]/)
  // Every tag is closed, in order.
  const depth: string[] = []
  for (const [, slash, name, self] of xml.replace(/<\?.*\?>/, '').matchAll(/<(\/?)([a-z-]+)[^<>]*?(\/?)>/g))
    if (slash) expect(depth.pop()).toBe(name)
    else if (!self) depth.push(name!)
  expect(depth).toEqual([])
})

test('Markdown tells the difference first, and text of the target stays text', () => {
  const text = markdownReport(result)
  expect(text).toMatch(/^## ❌ NOT FAITHFUL/)
  expect(text).toContain('### 2.8 name: A test-mail group has a name.')
  expect(text).toContain(
    '| 7 format | house style | problems with title and status only | `error-body=minimal` |',
  )
  expect(text).not.toMatch(/<b>|@team/)
  expect(text.match(/<details>/g)).toEqual(text.match(/<\/details>/g)?.map(() => '<details>'))
})

test('the settings can be read as YAML and as JSON, and say the same', () => {
  const yaml = parseDocument(configText(result, false))
  expect(yaml.errors).toEqual([])
  expect(yaml.toJS()).toEqual(result.config)
  expect(JSON.parse(configText(result, true))).toEqual(result.config)
  expect(result.config.dial).toEqual({ 'error-body': 'minimal', 'replaced-configuration-status': '204' })
  const broken = configText({ ...result, incomplete: 'it was interrupted' }, false)
  expect(broken).toMatch(/^# INCOMPLETE/m)
  const unseen = configText({ ...result, unseenDials: dialNames }, false)
  const [, list = '', never = ''] = unseen.split(/^# (?:Not|Never) .*:\n/m)
  const namesIn = (text: string) => text.replaceAll(/^# {3}|\n$/gm, '').split(/,\s/)
  expect(namesIn(never)).toEqual([
    'cursor-expiry',
    'sync-token-expiry',
    'date-header',
    'transaction-expiry',
    'repeat-after-500-status',
  ])
  expect(namesIn(list)).toEqual(dialNames.filter(it => !namesIn(never).includes(it)))
  expect(Math.max(...unseen.split('\n').map(it => it.length))).toBeLessThanOrEqual(110)
})

test.each<[string, string | undefined, boolean]>([
  ['as they were written', undefined, true],
  ['that somebody wrote', 'dial:\n  error-body: minimal\n', false],
  ['to which somebody added another one', '\nport: 4711\n', false],
  ['to which somebody added a remark', '\n# mine\n', false],
  ['that are no settings', 'anything', false],
])('settings %s are told from those by hand', (_, text, isOurs) => {
  for (const isJson of [true, false]) {
    const written = configText(result, isJson)
    const added = text?.startsWith('\n') ? written + text : (text ?? written)
    expect(isWrittenConfig(added)).toBe(isOurs)
  }
})

test('settings keep the dials of an earlier run against the same target that this one could not see', () => {
  const earlier = {
    ...result,
    config: { dial: { 'location-form': 'path', 'error-body': 'minimal' } as const },
  }
  const reading = { ...result, config: { dial: {} }, unseenDials: ['location-form', 'date-header'] as const }
  const now = { ...reading, unseenDials: [...reading.unseenDials] }
  const kept = readWrittenDials(configText(earlier, false), now)
  expect(kept).toEqual({ 'location-form': 'path' })
  const text = configText(now, false, kept)
  expect(parseDocument(text).toJS()).toEqual({ dial: kept })
  expect(text).not.toMatch(/^#.*location-form/m)
  const elsewhere = { ...earlier, target: { ...result.target, url: 'http://elsewhere.example' } }
  expect(readWrittenDials(configText(elsewhere, false), now)).toEqual({})
})

test('settings without anything turned are taken for those of an earlier run, which has no dials', () => {
  const none = { ...result, config: { dial: {} }, unseenDials: [] }
  expect(readWrittenDials(configText(none, false), none)).toEqual({})
})

test('settings without a turned dial name no dials', () => {
  const none = { ...result, config: { dial: {} }, unseenDials: [] }
  expect(parseDocument(configText(none, false)).toJS()).toBe(null)
  expect(JSON.parse(configText(none, true))).toEqual({})
  const limited = { ...none, config: { 'rate-limit': 60, dial: {} } }
  expect(parseDocument(configText(limited, false)).toJS()).toEqual({ 'rate-limit': 60 })
  expect(JSON.parse(configText(limited, true))).toEqual({ 'rate-limit': 60 })
})
