import { expect } from 'vitest'
import type { Json } from '../../mock.ts'
import { type Call, ownSpace, targetOf } from './calls.ts'
import type { Told, UnderAttack } from './under-attack.ts'

/** Whether an answer may be kept waiting, or come as anything: something was turned before, or the request asks for it. */
const asksForTrouble = (call: Call, target: string) =>
  'x-mock-scenario' in call.headers || /mock:|mock%3A|55555555-/i.test(`${target}${call.body ?? ''}`)
const isStream = ({ template }: Call) => /\/(?:events|requests\/wait)$/.test(template)
const isChange = ({ method }: Call) => method !== 'GET' && method !== 'HEAD'
const isControl = ({ template }: Call) => template.startsWith('/_mock')

/** Told before it is known which call it is, or by another path that hostile parameters lead to. */
const early = [400, 401, 404, 405, 406, 408, 413, 415, 417, 421, 431]

/** How each operation was answered, so that nobody takes a row of refusals for a proof. */
export class Reached {
  readonly #counts = new Map<string, Map<string, number>>()

  note({ method, template }: Call, { status, trouble }: Told): void {
    const name = `${method} ${template}`
    const counts = this.#counts.get(name) ?? new Map<string, number>()
    this.#counts.set(name, counts)
    const outcome = String(status ?? trouble)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }

  /** Operations that were tried, and those that have succeeded at least once. */
  get operations(): { readonly tried: number; readonly done: number } {
    const all = [...this.#counts.values()]
    return {
      tried: all.length,
      done: all.filter(it => [...it.keys()].some(status => /^2/.test(status))).length,
    }
  }

  toString(): string {
    const rows = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1))
    const shown = (counts: Map<string, number>) => [...counts].map(pair => pair.join(' × ')).join(', ')
    return rows.map(([name, counts]) => `${name}: ${shown(counts)}`).join('\n')
  }
}

/** Makes calls one after another, from a beginning of their own, and looks at each answer. */
export async function makeSeries(
  mock: UnderAttack,
  series: readonly Call[],
  reached: Reached,
): Promise<void> {
  await mock.reset()
  await mock.begin(ownSpace)
  if (series.some(({ template }) => template.startsWith('/_mock/exams'))) await mock.endExams()
  const found: string[] = []
  let isTurned = false
  for (const call of series) {
    const target = targetOf(call, found)
    const mayWait = isTurned || isStream(call) || asksForTrouble(call, target)
    const patience = mayWait ? 60 : 10_000
    const told = await mock.ask(call.method, target, call.headers, call.body, patience)
    reached.note(call, told)
    expect(
      wrongIn(told, call, mayWait),
      `${call.method} ${target} ${call.body?.slice(0, 500) ?? ''}`,
    ).toBeUndefined()
    if (isControl(call) && isChange(call)) isTurned = true
    found.push(...textsIn(told))
  }
}

function wrongIn(told: Told, call: Call, mayWait: boolean): string | undefined {
  const { status, headers, text, trouble } = told
  if (status === undefined || trouble !== undefined) {
    // Control calls are never fired; the service's answers may be by what was turned.
    if (mayWait && (!isControl(call) || trouble === 'waited in vain')) return undefined
    return `no whole answer: ${trouble}`
  }
  if (Object.keys(headers).some(name => name.startsWith('access-control'))) return 'it lets other origins in'
  // A file to be kept, such as a kit, says where the program is.
  const isFile = headers['content-disposition'] !== undefined
  if (!isFile && /\n\s+at .+:\d+:\d+|node_modules|\/src\/|\/dist\//.test(text))
    return `it tells of its inside: ${text}`
  const isStruck = headers['x-mock-scenario'] !== undefined
  if (status >= 500 && !isStruck) return `status ${status} that nobody asked for: ${text}`
  if (
    status >= 400 &&
    !isStruck &&
    !/problem\+json|html/.test(String(headers['content-type'] ?? '')) &&
    !mayWait
  )
    if (call.method !== 'HEAD') return `status ${status} as ${headers['content-type']}`
  if (!isStruck && isControl(call) && ![...call.documented, ...early].includes(status))
    return `status ${status} that the document does not have: ${text}`
  return undefined
}

/** Texts of a response that look like IDs and names, for later calls. */
function textsIn({ status, text, headers }: Told): string[] {
  if (status === undefined || status >= 300 || !/json/.test(String(headers['content-type']))) return []
  const found: string[] = []
  try {
    JSON.parse(text, (key, value: Json) => {
      if (/^(?:id|name|exam|next|cursor)$/i.test(key) && typeof value === 'string' && found.length < 20)
        found.push(value)
      return value
    })
  } catch {
    // A fault has garbled it.
  }
  return found
}
