import {
  CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import { largestText } from './limits.ts'

/** A place in a text; both count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export interface TextProblem {
  readonly place: Place
  readonly problem: string
}

export interface YamlText {
  readonly value: unknown
  /** Where the value at a path stands, or the nearest thing around it; with `ofKey` where its key stands. */
  place(path: readonly PropertyKey[], ofKey?: boolean): Place
}

/** Tokens, columns and brackets: far more than a person writes, far less than what makes the YAML parser slow. */
const mostTokens = 50_000
const deepestIndent = 200
const deepestNesting = 30

/**
 * The text as plain values, or everything that is wrong with it. Never throws.
 * @param what the text is, for the sentences
 */
export function readYaml(text: string, what = 'scenario'): YamlText | readonly TextProblem[] {
  const lines = new LineCounter()
  const refused = looksHostile(text, what)
  if (refused) return [{ place: placeOf(text, refused.offset), problem: refused.problem }]
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: false,
    stringKeys: true,
    // Its own check compares every key with every other one.
    uniqueKeys: false,
  })
  const wrong = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    place: at(lines, pos[0]),
    problem:
      code === 'MULTIPLE_DOCS'
        ? `a second document begins; expected one ${what} in a file`
        : `this is not YAML that can be read: ${message}`,
  }))
  if (wrong.length > 0) return wrong
  const badKeys = refusedKeys(document.contents).map(({ offset, problem }) => ({
    place: at(lines, offset),
    problem,
  }))
  if (badKeys.length > 0) return badKeys
  const offsetOf = locator(document)
  return {
    value: document.toJS(),
    place: (path, ofKey = false) => at(lines, offsetOf(path, ofKey)),
  }
}

interface Refused {
  readonly offset: number
  readonly problem: string
}

const kinds: Readonly<Record<string, readonly [kind: string, advice: string]>> = {
  anchor: ['anchors and aliases', 'write the part out where it is needed'],
  alias: ['anchors and aliases', 'write the part out where it is needed'],
  tag: ['tags', 'put text into quotes if it must stay text'],
  'directive-line': ['directives', 'it is YAML 1.2'],
}
const indicators = new Set(['space', 'seq-item-ind', 'explicit-key-ind', 'map-value-ind'])
/** Marks of the lexer's own that stand for no character of the text. */
const scalarMark = '\u001f'
const marks = new Set(['\u0002', '\u0018', scalarMark])

/**
 * What must not reach the parser, found in the stream of tokens, which needs no stack. The parser calls itself for
 * each level; near the end of the stack it can take the whole process with it, not only throw.
 */
function looksHostile(text: string, what: string): Refused | undefined {
  if (Buffer.byteLength(text) > largestText) {
    return { offset: 0, problem: `the text is longer than ${largestText / 1024} KiB, the most that is read` }
  }
  let offset = 0
  let count = 0
  let depth = 0
  let lineStart = 0
  let isIndent = true
  let isOfScalar = false
  for (const source of new Lexer().lex(text)) {
    if (++count > mostTokens)
      return {
        offset,
        problem: `the text has more than ${mostTokens} words and signs, the most that is read`,
      }
    if (marks.has(source)) {
      isOfScalar = source === scalarMark
      continue
    }
    // The text of a scalar may look like any sign.
    const kind = isOfScalar ? 'scalar' : CST.tokenType(source)
    isOfScalar = false
    const refused = kinds[kind ?? '']
    if (refused) return { offset, problem: `${refused[0]} have no place in a ${what}; ${refused[1]}` }
    if (kind === 'flow-map-start' || kind === 'flow-seq-start') depth++
    if (kind === 'flow-map-end' || kind === 'flow-seq-end') depth--
    if (depth > deepestNesting)
      return { offset, problem: `brackets stand more than ${deepestNesting} deep, the most that is read` }
    offset += source.length
    if (source.endsWith('\n')) {
      lineStart = offset
      isIndent = true
    } else if (!indicators.has(kind ?? '')) isIndent = false
    if (isIndent && offset - lineStart > deepestIndent) {
      return {
        offset: lineStart,
        problem: `a line begins after column ${deepestIndent}, the last in which one may`,
      }
    }
  }
  return undefined
}

/** Keys that stand twice in one mapping, and the one that JavaScript would not keep as a member. */
function refusedKeys(node: unknown): Refused[] {
  if (isSeq(node)) return node.items.flatMap(refusedKeys)
  if (!isMap(node)) return []
  const seen = new Set<string>()
  return node.items.flatMap(({ key, value }) => {
    const name = String(isScalar(key) ? key.value : key)
    const offset = (key as Node | null)?.range?.[0] ?? 0
    const found = refusedKeys(value)
    if (seen.has(name)) found.unshift({ offset, problem: `the key "${name}" stands here a second time` })
    if (name === '__proto__') found.unshift({ offset, problem: 'the key "__proto__" cannot be used' })
    seen.add(name)
    return found
  })
}

/** Tells where things stand, going down a path as far as it exists. Keys are looked up once for each mapping. */
function locator(document: Document): (path: readonly PropertyKey[], ofKey: boolean) => number {
  const pairs = new Map<YAMLMap, ReadonlyMap<unknown, Pair>>()
  const pairOf = (node: unknown, key: PropertyKey): Pair | undefined => {
    if (!isMap(node)) return undefined
    const known =
      pairs.get(node) ?? new Map(node.items.map(it => [isScalar(it.key) ? it.key.value : undefined, it]))
    pairs.set(node, known)
    return known.get(key)
  }
  return (path, ofKey) => {
    let node: unknown = document.contents
    let offset = startOf(node) ?? 0
    for (const [depth, part] of path.entries()) {
      const pair = pairOf(node, part)
      const wantsKey = ofKey && depth === path.length - 1
      node = pair ? pair.value : isSeq(node) ? node.items[Number(part)] : undefined
      offset = (wantsKey || !startOf(node) ? startOf(pair?.key) : undefined) ?? startOf(node) ?? offset
    }
    return offset
  }
}

const startOf = (node: unknown): number | undefined => (node as Node | null | undefined)?.range?.[0]

function at(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset)
  // Of a text without any line it knows none.
  return { line: Math.max(line, 1), column: Math.max(col, 1) }
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
