import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'

/**
 * The sentences that sources tell users when something is wrong, found where they are written down: what errors are made
 * with, what is wrong with a member, what is warned of. What a template fills in is `…`.
 */

const source = fileURLToPath(new URL('../../src', import.meta.url))

/** A node of the syntax tree, as far as it is looked at here. */
interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

export interface Sentence {
  /** Below `src/`. */
  readonly file: string
  readonly text: string
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** Everything below a node, itself included. */
function* within(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const it of value) yield* within(it)
  else if (isNode(value)) {
    yield value
    for (const member of Object.values(value)) yield* within(member)
  }
}

const nameOf = (node: unknown): string =>
  isNode(node) ? String(node.type === 'MemberExpression' ? nameOf(node.property) : (node.name ?? '')) : ''

/** Members whose text is told to users, and functions that take such a text. */
const members = ['problem', 'error']
const tellers = ['report', 'warn', 'field', 'missing', 'invalid', 'problemOf']

/** All texts that an expression can come to. */
function textsOf(node: unknown, constants: ReadonlyMap<string, unknown>, depth = 0): string[] {
  if (!isNode(node) || depth > 5) return []
  const inner = (part: unknown) => textsOf(part, constants, depth + 1)
  switch (node.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : []
    case 'TemplateLiteral':
      return [(node.quasis as { value: { cooked: string } }[]).map(it => it.value.cooked).join('…')]
    case 'ConditionalExpression':
      return [...inner(node.consequent), ...inner(node.alternate)]
    case 'LogicalExpression':
      return [...inner(node.left), ...inner(node.right)]
    case 'BinaryExpression':
      return [(inner(node.left)[0] ?? '…') + (inner(node.right)[0] ?? '…')]
    case 'ArrayExpression':
      return (node.elements as unknown[]).flatMap(inner)
    case 'ArrowFunctionExpression':
      return inner(node.body)
    case 'Identifier':
      return inner(constants.get(nameOf(node)))
    case 'CallExpression':
      return inner(constants.get(nameOf(node.callee)))
    case 'FunctionDeclaration':
      return [...within(node.body)]
        .filter(it => it.type === 'ReturnStatement')
        .flatMap(it => inner(it.argument))
    default:
      return []
  }
}

/** What a value was expected to be is told wherever it stands. */
const expectation = /(?:^|: )expected /

/** Files in which functions give back sentences for others to throw. */
const givers = ['cli/command-flags.ts', 'rig/scenarios/library.ts']

/** What a node tells users, if it is of a kind that does. @param errors names of classes */
function told(node: Node, file: string, errors: ReadonlySet<string>): readonly unknown[] {
  const called = nameOf(node.callee)
  switch (node.type) {
    case 'NewExpression':
      return errors.has(called) ? (node.arguments as unknown[]) : []
    case 'ClassDeclaration':
      return errors.has(nameOf(node.id)) ? superCalls(node.body) : []
    case 'CallExpression': {
      const isOfProblems = nameOf((node.callee as Node).object) === 'problems'
      return isOfProblems || tellers.includes(called) ? (node.arguments as unknown[]) : []
    }
    case 'Property':
      return members.includes(nameOf(node.key)) ? [node.value] : []
    case 'ReturnStatement':
      return givers.includes(file) ? [node.argument] : []
    case 'Literal':
      return expectation.test(String(node.value)) ? [node] : []
    case 'TemplateLiteral':
      return expectation.test(textsOf(node, new Map())[0]!) ? [node] : []
    default:
      return []
  }
}

const superCalls = (body: unknown): unknown[] =>
  [...within(body)].flatMap(it =>
    it.type === 'CallExpression' && (it.callee as Node).type === 'Super' ? (it.arguments as unknown[]) : [],
  )

/** A path of a member or a code is no sentence, and what is all filled in is one of somewhere else. */
const isSentence = (text: string) => /\s/.test(text) && (text.match(/[A-Za-z_]{2,}/g) ?? []).length >= 2

interface Parsed {
  readonly file: string
  readonly nodes: readonly Node[]
}

function parsed(file: string): Parsed {
  const lang = file.endsWith('x') ? 'tsx' : 'ts'
  return { file, nodes: [...within(parseAst(readFileSync(join(source, file), 'utf8'), { lang }).body)] }
}

/** The names of all classes of errors, ours and those that everybody has. */
function errorClasses(files: readonly Parsed[]): ReadonlySet<string> {
  const errors = new Set(['Error', 'TypeError', 'InvalidArgumentError'])
  const classes = files.flatMap(({ nodes }) => nodes.filter(it => it.type === 'ClassDeclaration'))
  // One may extend another one that is found later.
  for (const _ of [1, 2, 3])
    for (const it of classes) if (errors.has(nameOf(it.superClass))) errors.add(nameOf(it.id))
  return errors
}

function sentencesOf({ file, nodes }: Parsed, errors: ReadonlySet<string>): Sentence[] {
  const constants = new Map<string, unknown>([
    ...nodes.filter(it => it.type === 'VariableDeclarator').map(it => [nameOf(it.id), it.init] as const),
    ...nodes.filter(it => it.type === 'FunctionDeclaration').map(it => [nameOf(it.id), it] as const),
  ])
  return nodes.flatMap(node => {
    const isNotFound = node.type === 'CallExpression' && nameOf(node.callee) === 'notFound'
    return told(node, file, errors)
      .flatMap(it => textsOf(it, constants))
      .map(text => (isNotFound ? `There is no ${text}` : text))
      .map(text => text.replaceAll(/\s+/g, ' ').replaceAll(/…+/g, '…').trim())
      .filter(isSentence)
      .map(text => ({ file, text }))
  })
}

/** Every sentence of the sources, each once for each file. */
export function sentences(): Sentence[] {
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(it => /\.tsx?$/.test(it))
  const files = names.map(it => parsed(it.replaceAll('\\', '/')))
  const errors = errorClasses(files)
  const found = files.flatMap(it => sentencesOf(it, errors))
  return [...new Map(found.map(it => [`${it.file} ${it.text}`, it])).values()]
}
