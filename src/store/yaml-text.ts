import {
  CST,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml'
import { positionOf, type TextPosition } from './text-position.ts'

export interface TextProblem {
  readonly place: TextPosition
  readonly problem: string
}

export interface YamlText {
  readonly value: unknown
  /** The position of the value at a path, or of the nearest value around it; with `ofKey` of its key. */
  place(path: readonly PropertyKey[], ofKey?: boolean): TextPosition
  /** The letters of a number or Boolean at a path, such as `004711`, of which the value keeps 4711 alone. */
  letters(path: readonly PropertyKey[]): string | undefined
}

/** Maximum number of bytes of a text: far more than any packaged file has. */
export const maxTextBytes = 256 << 10
/** Maximum tokens, columns and brackets: more than a person writes, less than what makes the parser slow. */
const maxTokens = 50_000
const maxIndent = 200
const maxNesting = 30

/** For messages of the parser that only those who know its insides understand. */
const plainWords: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the indentation does not fit, or a bracket before it is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'a second colon stands on the line; put the value into quotes',
  TAB_AS_INDENT: 'the line begins with a tab; use spaces',
}

/** The text as plain values, or all its problems. Never throws. @param what the kind of text, for the messages */
export function readYaml(text: string, what: string): YamlText | readonly TextProblem[] {
  const refused = findHostileText(text, what)
  const locate = ({ offset, problem }: RefusedText) => ({ place: positionOf(text, offset), problem })
  if (refused) return [locate(refused)]
  const document = parseDocument(text, {
    prettyErrors: false,
    merge: false,
    stringKeys: true,
    // The parser's own check compares every key with every other one.
    uniqueKeys: false,
  })
  const wrong = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    place: positionOf(text, pos[0]),
    problem:
      code === 'MULTIPLE_DOCS'
        ? `a second document begins; expected one ${what} in a file`
        : `this is not YAML that can be read: ${plainWords[code] ?? message}`,
  }))
  // A tab in front makes the parser read the rest wrongly, so the rest says nothing. Neither does it after a wrong indentation.
  if (document.errors[0]?.code === 'TAB_AS_INDENT') return wrong.slice(0, 1)
  const misplaced = findMisplacedLine(text, document.errors)
  if (misplaced) return [locate(misplaced)]
  if (wrong.length > 0) return wrong
  const badKeys = findRefusedKeys(document.contents).map(locate)
  if (badKeys.length > 0) return badKeys
  const offsetOf = locator(document)
  return {
    value: document.toJS(),
    place: (path, ofKey = false) => positionOf(text, offsetOf(path, ofKey)),
    letters: path => {
      const node = document.getIn(path, true)
      return isScalar(node) && /number|boolean/.test(typeof node.value) ? node.source : undefined
    },
  }
}

/**
 * The first line whose indentation the lines above do not allow. The parser takes such a line for the rest of a text, which
 * then has a colon that it must not have, or misses the hyphen of a list.
 */
function findMisplacedLine(text: string, errors: readonly YAMLParseError[]): RefusedText | undefined {
  const error = errors.find(
    ({ code, message }) => code === 'MULTILINE_IMPLICIT_KEY' || message.includes('without - indicator'),
  )
  if (!error) return undefined
  const lineStart = text.lastIndexOf('\n', error.pos[0] - 1) + 1
  const isAtStart = text.slice(lineStart, error.pos[0]).trim() === ''
  // From a value the text goes on in the next line that is not blank.
  const rest = isAtStart ? lineStart : text.indexOf('\n', error.pos[0]) + 1
  const offset = rest + text.slice(rest).search(/\S/)
  const problem =
    'the indentation of this line does not fit the lines above: what belongs to one block begins in the same column'
  return { offset, problem }
}

interface RefusedText {
  readonly offset: number
  readonly problem: string
}

const refusedKinds: Readonly<Record<string, readonly [kind: string, advice: string]>> = {
  anchor: ['anchors and aliases', 'write the part out where it is needed'],
  alias: ['anchors and aliases', 'write the part out where it is needed'],
  tag: ['tags', 'put text into quotes if it must stay text'],
  'directive-line': ['directives', 'it is YAML 1.2'],
}
const indicators = new Set(['space', 'seq-item-ind', 'explicit-key-ind', 'map-value-ind'])
/** Marks of the lexer that are no characters of the text. */
const scalarMark = '\u001f'
const lexerMarks = new Set(['\u0002', '\u0018', scalarMark])

/**
 * Finds what must not reach the parser, in the stream of tokens, which needs no recursion. The parser recurses for each
 * level, and a stack overflow in it can end the whole process instead of throwing.
 */
function findHostileText(text: string, what: string): RefusedText | undefined {
  if (Buffer.byteLength(text) > maxTextBytes) {
    return { offset: 0, problem: `the text is longer than ${maxTextBytes / 1024} KiB, the most that is read` }
  }
  let offset = 0
  let count = 0
  let depth = 0
  let lineStart = 0
  let isIndent = true
  let isOfScalar = false
  for (const source of new Lexer().lex(text)) {
    if (++count > maxTokens)
      return { offset, problem: `the text has more than ${maxTokens} words and signs, the most that is read` }
    if (lexerMarks.has(source)) {
      isOfScalar = source === scalarMark
      continue
    }
    // The text of a scalar may look like any other token.
    const kind = isOfScalar ? 'scalar' : CST.tokenType(source)
    isOfScalar = false
    const refused = refusedKinds[kind ?? '']
    if (refused) return { offset, problem: `${refused[0]} have no place in a ${what}; ${refused[1]}` }
    if (kind === 'flow-map-start' || kind === 'flow-seq-start') depth++
    if (kind === 'flow-map-end' || kind === 'flow-seq-end') depth--
    if (depth > maxNesting)
      return { offset, problem: `brackets are nested more than ${maxNesting} levels deep; no more are read` }
    offset += source.length
    if (source.endsWith('\n')) {
      lineStart = offset
      isIndent = true
    } else if (!indicators.has(kind ?? '')) isIndent = false
    if (isIndent && offset - lineStart > maxIndent) {
      return {
        offset: lineStart,
        problem: `a line begins after column ${maxIndent}, the last in which one may`,
      }
    }
  }
  return undefined
}

/** Repeated keys of one mapping, and `__proto__`, which JavaScript would not store as a member. */
function findRefusedKeys(node: unknown): RefusedText[] {
  if (isSeq(node)) return node.items.flatMap(findRefusedKeys)
  if (!isMap(node)) return []
  const names = new Set<string>()
  return node.items.flatMap(({ key, value }) => {
    const name = String(isScalar(key) ? key.value : key)
    const offset = (key as Node | null)?.range?.[0] ?? 0
    const refused = findRefusedKeys(value)
    if (names.has(name)) refused.unshift({ offset, problem: `the key "${name}" stands here a second time` })
    if (name === '__proto__') refused.unshift({ offset, problem: 'the key "__proto__" cannot be used' })
    names.add(name)
    return refused
  })
}

/** Finds offsets by path, following it as far as it exists. Keys are indexed once per mapping. */
function locator(document: Document): (path: readonly PropertyKey[], ofKey: boolean) => number {
  const pairs = new Map<YAMLMap, ReadonlyMap<unknown, Pair>>()
  const pairOf = (node: unknown, key: PropertyKey): Pair | undefined => {
    if (!isMap(node)) return undefined
    const byKey =
      pairs.get(node) ?? new Map(node.items.map(it => [isScalar(it.key) ? it.key.value : undefined, it]))
    pairs.set(node, byKey)
    return byKey.get(key)
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
