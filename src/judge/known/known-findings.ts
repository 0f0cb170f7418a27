import { z } from 'zod'
import { describeIssues } from '../../rig/scenarios/zod-issues.ts'
import { matchesGlob } from '../../store/glob.ts'
import { UserError } from '../../store/user-error.ts'
import { findNearest, pathText, shorten, strict } from '../../store/validation-messages.ts'
import { readYaml, type TextProblem } from '../../store/yaml-text.ts'
import { examFindings } from '../exam/exam-result.ts'
import { findWrongTrouble } from '../explore/plans.ts'
import { rules } from '../rules/registry.ts'

/** What `--write-known` writes in place of a reason. It is refused until somebody gives one. */
export const missingReason = 'to be filled in'

const glob = z.string().min(1)
const globs = z.union([glob, z.array(glob).min(1)])

const entryShape = strict({
  rule: z.string().optional(),
  clause: z.string().optional(),
  case: globs.optional(),
  plan: globs.optional(),
  reason: z.string('expected why it is accepted for now'),
  expires: z.iso.date('expected a date such as 2026-03-31').optional(),
})

type WrittenEntry = z.output<typeof entryShape>

const entryOfAnyForm = z.record(z.string(), z.unknown())

/** An entry without those of its values that are malformed. @property given also their keys */
type ReadableEntry = Partial<WrittenEntry> & { readonly given: ReadonlySet<string> }

/** Where something is found: a case of the exam, or a plan of troubles. */
export interface Place {
  readonly kind: 'case' | 'plan'
  readonly name: string
}

/** One entry of a known-file: what is accepted for now, and why. */
export interface KnownEntry {
  /** Where it begins in its file, counted from 1. */
  readonly line: number
  /** Of a rule of conduct, or of what the exam itself finds; exactly one of `rule` and `clause` is given. */
  readonly rule?: string
  /** Of the service's document, for `verify`. */
  readonly clause?: string
  /** Globs for names of one kind. Undefined if it accepts the rule wherever it is broken. */
  readonly places?: { readonly kind: Place['kind']; readonly globs: readonly string[] }
  readonly reason: string
  /** The last day on which it counts, such as 2026-03-31. */
  readonly expires?: string
  readonly isExpired: boolean
}

/** What a known-file is read against. Names that are not given here are not checked. */
export interface KnownFileContext {
  /** The file, for messages. */
  readonly source: string
  /** The present day, such as 2026-03-31: an entry that expired before counts no more. */
  readonly today: string
  /** Names of all cases, also of those that this run does not play. */
  readonly cases?: readonly string[]
  readonly clauses?: readonly string[]
  /** Whether a reason may still be missing, since the file is to be written again. */
  readonly isDraft?: boolean
}

/** What is accepted today, from a known-file. */
export interface KnownFindings {
  readonly source: string
  readonly entries: readonly KnownEntry[]
}

interface Problem {
  readonly path: readonly PropertyKey[]
  readonly problem: string
}

/** An unreadable known-file, with a sentence for each problem that names file, line and column. */
export class KnownFileError extends UserError {
  override readonly name = 'KnownFileError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const more = problems.length > maxProblems ? [`and ${problems.length - maxProblems} more problems`] : []
    const listed = [...problems.slice(0, maxProblems), ...more]
    super(listed.join('\n'))
    this.problems = listed
  }
}

const maxProblems = 20

/** @throws KnownFileError */
export function readKnownFindings(text: string, context: KnownFileContext): KnownFindings {
  const { source, today } = context
  const yaml = readYaml(text, 'list of known findings')
  const refuse = (problems: readonly TextProblem[]) =>
    new KnownFileError(
      problems.map(({ place, problem }) => `${source}:${place.line}:${place.column}: ${problem}`),
    )
  if (!('value' in yaml)) throw refuse(yaml)
  // A file with nothing but comments: everything was mended.
  const value = yaml.value ?? []
  const { data: written, error } = z.array(entryShape).safeParse(value)
  const malformed = describeIssues(error?.issues ?? [], value, yaml.letters).map(
    ({ path, ofKey, problem }) => ({
      place: yaml.place(path, ofKey),
      problem: withField(ofKey ? path.slice(0, -1) : path, problem),
    }),
  )
  const wrong = readableEntries(value).flatMap(([at, entry]) =>
    [...findProblems(entry, context)].map(({ path, problem }) => ({
      place: yaml.place([at, ...path]),
      problem: withField(path, problem),
    })),
  )
  if (error || wrong.length > 0)
    throw refuse(
      [...malformed, ...wrong].sort(
        (one, other) => one.place.line - other.place.line || one.place.column - other.place.column,
      ),
    )
  const entries = written.map((entry, at) => toEntry(entry, yaml.place([at]).line, today))
  return { source, entries }
}

/** What can be read of each entry, also where the rest of it is malformed: all problems are reported at once. */
const readableEntries = (value: unknown): [at: number, entry: ReadableEntry][] =>
  (Array.isArray(value) ? value : []).flatMap((entry: unknown, at) => {
    const { success } = entryOfAnyForm.safeParse(entry)
    if (!success) return []
    const written = Object.entries(entry as object).filter(([key]) => Object.hasOwn(entryShape.shape, key))
    const readable = written.filter(
      ([key, it]) => entryShape.shape[key as keyof WrittenEntry].safeParse(it).success,
    )
    return [[at, { given: new Set(written.map(([key]) => key)), ...Object.fromEntries(readable) }]]
  })

/** The names of the entry itself stand in the line that the message names. */
const withField = (path: readonly PropertyKey[], problem: string) => {
  const field = pathText(path.filter((part, at) => at > 0 || typeof part !== 'number'))
  return field === '' ? problem : `${field}: ${problem}`
}

function toEntry(written: WrittenEntry, line: number, today: string): KnownEntry {
  const { rule, clause, reason, expires, case: cases, plan } = written
  const named = cases ?? plan
  return {
    line,
    ...(rule !== undefined && { rule }),
    ...(clause !== undefined && { clause }),
    ...(named !== undefined && {
      places: { kind: cases === undefined ? 'plan' : 'case', globs: [named].flat() },
    }),
    reason: reason.trim(),
    ...(expires !== undefined && { expires }),
    isExpired: expires !== undefined && expires < today,
  }
}

const ruleNames: readonly string[] = [...rules.map(({ id }) => id), ...Object.keys(examFindings)]

function* findProblems(
  { given, ...entry }: ReadableEntry,
  { cases, clauses, isDraft }: KnownFileContext,
): Iterable<Problem> {
  const { rule, clause, case: caseGlobs, plan: planGlobs, reason } = entry
  const isReason =
    reason === undefined ||
    (reason.trim() !== '' && (isDraft || reason.trim().toLowerCase() !== missingReason))
  if (!isReason)
    yield { path: ['reason'], problem: `say why it is accepted for now; "${reason}" is no reason` }
  if (given.has('rule') === given.has('clause'))
    yield { path: [], problem: 'expected a rule, or a clause of the document, and not both' }
  if (rule !== undefined && !ruleNames.includes(rule))
    yield {
      path: ['rule'],
      problem: describeUnknown('rule', rule, ruleNames, 'docs/conduct.md and docs/exam.md list them'),
    }
  if (clause !== undefined && clauses && !clauses.includes(clause))
    yield { path: ['clause'], problem: describeUnknown('clause', clause, clauses, 'verify --list shows all') }
  if (given.has('clause') && (given.has('case') || given.has('plan')))
    yield { path: [], problem: 'a clause belongs to no case and no plan' }
  if (given.has('case') && given.has('plan'))
    yield { path: [], problem: 'expected cases or plans, and not both: write an entry for each' }
  for (const [path, name] of namesIn('case', caseGlobs))
    if (cases && !cases.some(it => matchesGlob(name, it)))
      yield { path, problem: describeUnknown('case', name, cases, 'exam --list --slow shows all') }
  for (const [path, name] of namesIn('plan', planGlobs)) {
    const wrong = /[*?]/.test(name) ? undefined : findWrongTrouble(name)
    if (wrong)
      yield {
        path,
        problem: describeUnknown(
          'trouble',
          wrong.name,
          wrong.possible,
          'docs/exam.md says how plans are named',
        ),
      }
  }
}

const namesIn = (key: string, names: string | readonly string[] = []) =>
  typeof names === 'string' ? [[[key], names] as const] : names.map((name, at) => [[key, at], name] as const)

function describeUnknown(what: string, name: string, possible: readonly string[], where: string): string {
  const near = findNearest(name, possible)
  return `there is no ${what} "${shorten(name)}"; ${near === undefined ? '' : `did you mean "${near}"? `}${where}`
}

/** The rules that are accepted wherever they are broken, also in a test, which is no case: why, by rule. */
export const rulesAccepted = (known: KnownFindings): ReadonlyMap<string, string> =>
  new Map(
    known.entries.flatMap(({ rule, places, reason, isExpired }) =>
      rule === undefined || places || isExpired ? [] : [[rule, reason]],
    ),
  )

/** The entry that accepts a rule at a place; undefined if none does. */
export const acceptingEntry = (
  { entries }: Pick<KnownFindings, 'entries'>,
  rule: string,
  place: Place,
): KnownEntry | undefined =>
  entries.find(entry => entry.rule === rule && !entry.isExpired && (!entry.places || isAt(entry, place)))

const isAt = ({ places }: KnownEntry, { kind, name }: Place) =>
  places?.kind === kind && places.globs.some(it => matchesGlob(it, name))
