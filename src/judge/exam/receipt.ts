import { createHash } from 'node:crypto'
import { z } from 'zod'
import { UserError } from '../../store/user-error.ts'
import type { ExamCase } from './cases.ts'
import type { CaseResult, ExamResult } from './exam-result.ts'

/*
 * A receipt is an in-toto statement of the type test-result: which client was examined how, what came of it, and a digest of
 * everything that the client did.
 */

const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

const digest = z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) })
const resource = z.object({ name: z.string(), digest })

/** What decides what is played. */
const settings = z.object({
  seed: z.int(),
  depth: z.int(),
  speed: z.number(),
  isModule: z.boolean(),
  isWarm: z.boolean(),
  /** null for one at a time */
  workers: z.literal(2).nullable(),
  tls: z.boolean(),
  slow: z.boolean(),
  sample: z.int(),
  /** null for the newest */
  edition: z.int().nullable(),
  /** Empty where nothing was chosen. */
  only: z.array(z.string()),
  tags: z.array(z.string()),
  plans: z.array(z.string()),
})

export type ReceiptSettings = z.infer<typeof settings>

const statementType = 'https://in-toto.io/Statement/v1'
const predicateType = 'https://in-toto.io/attestation/test-result/v0.1'
const programName = 'mailing-sync-mock exam'

const receipt = z.object({
  _type: z.literal(statementType),
  subject: z.array(resource).min(1),
  predicateType: z.literal(predicateType),
  predicate: z.object({
    result: z.enum(['PASSED', 'WARNED', 'FAILED']),
    configuration: z
      .array(
        z.object({
          name: z.literal(programName),
          annotations: z.object({
            version: z.string(),
            settings,
            /** Whether the same client gives the same traces, byte for byte. */
            isExact: z.boolean(),
            /** Digests of everything that the client did: in the cases, and in the plans of each depth. */
            traces: z.record(z.string(), z.string()),
            counts: z.record(z.string(), z.int()),
            /** Each mistake with the case or the smallest plan that shows it. */
            findings: z.array(z.string()),
          }),
        }),
      )
      .length(1),
    passedTests: z.array(z.string()),
    warnedTests: z.array(z.string()),
    failedTests: z.array(z.string()),
  }),
})

export type Receipt = z.infer<typeof receipt>

/** Digests of what a client did in an exam, run by run. What is played again, to repeat something, counts once. */
export class TraceDigests {
  readonly #runs = new Map<string, { readonly part: string; readonly digest: string }>()

  /** Notes a run of a case or a plan. */
  add(
    { name, isPlan }: Pick<ExamCase, 'name' | 'isPlan'>,
    { attempts, effects, reached, findings }: CaseResult,
  ) {
    const part = isPlan ? `plans of depth ${name === 'undisturbed' ? 0 : depthOf(name)}` : 'cases'
    const key = `${part} ${name}`
    if (this.#runs.has(key)) return
    const rules = findings.map(({ rule, severity, status }) => [rule, severity, status])
    this.#runs.set(key, { part, digest: sha256(JSON.stringify([attempts, effects, reached, rules])) })
  }

  /** Notes the orders of a plan of two workers. @param it digest of all of them */
  addOrders(plan: string, it: string): void {
    this.#runs.set(`orders ${plan}`, { part: `orders of ${plan}`, digest: it })
  }

  /** One digest for each part, whatever the order of its runs was. */
  get parts(): Record<string, string> {
    const lines = new Map<string, string[]>()
    for (const [key, { part, digest }] of this.#runs)
      lines.set(part, [...(lines.get(part) ?? []), `${key} ${digest}`])
    return Object.fromEntries(
      [...lines]
        .map(([part, all]) => [part, sha256(all.sort().join('\n'))] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    )
  }
}

const depthOf = (name: string) => (name.endsWith(':undisturbed') ? 0 : name.split('+').length)

/** @param files what the client is made of, as far as it was given: names with their content */
export function makeReceipt(
  result: ExamResult,
  more: {
    readonly version: string
    readonly settings: ReceiptSettings
    readonly traces: TraceDigests
    readonly files: readonly (readonly [name: string, content: Uint8Array])[]
  },
): Receipt {
  const { client, cases, causes, exploration, orders, isPassed, warnings } = result
  const subject = more.files.map(([name, content]) => ({ name, digest: { sha256: sha256(content) } }))
  const named = (severity: string) =>
    causes.filter(it => it.severity === severity).map(({ rule, case: { name } }) => `${rule} in ${name}`)
  return {
    _type: statementType,
    // Of a command without files of its own its line stands for it.
    subject: subject.length > 0 ? subject : [{ name: client, digest: { sha256: sha256(client) } }],
    predicateType,
    predicate: {
      result: !isPassed ? 'FAILED' : warnings > 0 ? 'WARNED' : 'PASSED',
      configuration: [
        {
          name: programName,
          annotations: {
            version: more.version,
            settings: more.settings,
            isExact: result.began === null,
            traces: more.traces.parts,
            counts: {
              cases: cases.length,
              plans: exploration?.runs ?? orders?.plans.length ?? 0,
              passed: result.passed,
              failed: result.failed,
              inconclusive:
                result.inconclusive + (exploration?.inconclusive ?? 0) + (orders?.inconclusive ?? 0),
              ...(orders && { orders: orders.runs }),
            },
            findings: [...named('error'), ...named('warning')].sort(),
          },
        },
      ],
      passedTests: cases.filter(({ status }) => status === 'passed').map(({ name }) => name),
      warnedTests: named('warning'),
      failedTests: named('error'),
    },
  }
}

/** @param file for messages @throws UserError that says what is wrong with it */
export function readReceipt(text: string, file: string): Receipt {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new UserError(`${file} is no JSON: ${(error as Error).message}`)
  }
  const { success, data, error } = receipt.safeParse(value)
  if (success) return data
  const [{ path, message } = { path: [], message: '' }] = error.issues
  throw new UserError(`${file} is no receipt of an exam: ${path.join('.') || 'the whole'}: ${message}`)
}

export const settingsOf = ({ predicate }: Receipt): ReceiptSettings =>
  predicate.configuration[0]!.annotations.settings

/** In what two receipts of one exam differ, in sentences; none if they agree. */
export function compareReceipts(before: Receipt, now: Receipt): string[] {
  const [one, other] = [before, now].map(it => it.predicate.configuration[0]!.annotations)
  const isGone = (names: readonly string[]) => (name: string) => !names.includes(name)
  const files = new Map(now.subject.map(({ name, digest: it }) => [name, it.sha256]))
  const changed = before.subject.filter(it => files.has(it.name) && files.get(it.name) !== it.digest.sha256)
  return [
    ...(one!.version === other!.version
      ? []
      : [`the receipt was made by version ${one!.version}, this is ${other!.version}`]),
    ...changed.map(({ name }) => `${name} is not the file of the receipt`),
    ...other!.findings.filter(isGone(one!.findings)).map(name => `found now and not then: ${name}`),
    ...one!.findings.filter(isGone(other!.findings)).map(name => `found then and not now: ${name}`),
    ...(before.predicate.result === now.predicate.result
      ? []
      : [`the result was ${before.predicate.result} and is ${now.predicate.result}`]),
    // In real time no run is the same to the millisecond.
    ...(one!.isExact && other!.isExact
      ? Object.keys({ ...one!.traces, ...other!.traces })
          .filter(part => one!.traces[part] !== other!.traces[part])
          .map(part => `what the client did in the ${part} is not the same`)
      : []),
  ]
}
