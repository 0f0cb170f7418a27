import { createHash } from 'node:crypto'
import { allCases, type ExamCase } from '../src/judge/exam/cases.ts'
import { type Edition, type EditionKind, namesOf, readEditions } from '../src/judge/exam/editions.ts'
import { examFindings } from '../src/judge/exam/exam-result.ts'
import { expectationOf, modes, scenarioOfPlan, troubles } from '../src/judge/explore/plans.ts'
import { rules } from '../src/judge/rules/registry.ts'
import { assembleMock } from '../src/lib/assemble-mock.ts'
import type { Scenario } from '../src/rig/scenarios/scenario.ts'

type Present = Omit<Edition, 'edition'>

/** Everything that there is now, in the form of an edition. */
export async function presentEdition(): Promise<Present> {
  await using mock = await assembleMock({ logLevel: 'error' }, false)
  const cases = await allCases({ scenarios: mock.scenarios, content: mock.contents[0]!, tls: true })
  const digests = await Promise.all(
    cases.map(
      async exam => [exam.name, digestOf(await questionOf(exam, name => mock.scenarios.get(name)))] as const,
    ),
  )
  const ofTroubles = troubles.map(it => {
    const plan = { mode: 'once', troubles: [it] } as const
    const { rules } = scenarioOfPlan(plan) as { rules: unknown }
    return [it.name, digestOf({ rules, expect: expectationOf(plan), kills: it.kills })] as const
  })
  return {
    cases: sorted(digests),
    troubles: sorted(ofTroubles),
    modes: [...modes],
    rules: sorted(rules.map(({ id, severity }) => [id, severity])),
    findings: Object.keys(examFindings).sort(),
  }
}

/** What a case asks of a client: what happens, and what is expected. Its words and tags may change. */
async function questionOf(exam: ExamCase, read: (name: string) => Promise<Scenario>) {
  const { runPlan, clockAhead, clockBehind, scheduleIn, datePasses, listenerFaults, isScheduled, expect } =
    exam
  const { definition } =
    typeof exam.scenario === 'function'
      ? exam.scenario('elsewhere')
      : (exam.scenario ?? (await read(exam.name)))
  const { rules, dials } = definition
  return {
    ...{ rules, dials, expect, isScheduled },
    ...{ runPlan, clockAhead, clockBehind, scheduleIn, datePasses, listenerFaults },
  }
}

const digestOf = (question: object) =>
  createHash('sha256').update(JSON.stringify(question)).digest('hex').slice(0, 12)

const sorted = (entries: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
  Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))

const kinds: readonly EditionKind[] = ['cases', 'troubles', 'modes', 'rules', 'findings']

/** Where the present is not what was frozen, in sentences: what has changed or gone, and what belongs to no edition. */
export function findDeviations(editions: readonly Edition[], present: Present): string[] {
  const now = { edition: 0, ...present }
  return kinds.flatMap(kind => {
    const frozen = editions.flatMap(it => namesOf(it, kind).map(name => ({ edition: it, name })))
    const names = namesOf(now, kind)
    const known = new Set(frozen.map(({ name }) => name))
    return [
      ...frozen.flatMap(({ edition, name }) =>
        !names.includes(name)
          ? [`${kind}: ${name} of edition ${edition.edition} has gone`]
          : digestIn(edition, kind, name) !== digestIn(now, kind, name)
            ? [`${kind}: ${name} of edition ${edition.edition} has changed`]
            : [],
      ),
      ...names.filter(name => !known.has(name)).map(name => `${kind}: ${name} is of no edition`),
    ]
  })
}

const digestIn = (edition: Edition, kind: EditionKind, name: string): string | undefined =>
  Array.isArray(edition[kind]) ? undefined : (edition[kind] as Readonly<Record<string, string>>)[name]

/** The editions with one frozen anew, which is the last one or the next: it gets all that no earlier one has. */
export function freeze(editions: readonly Edition[], number: number, present: Present): Edition[] {
  const earlier = editions.filter(({ edition }) => edition < number)
  if (earlier.length !== number - 1 || editions.length > number)
    throw new Error(`edition ${number} is neither the last one nor the next of ${editions.length}`)
  const isNew = (kind: EditionKind) => (name: string) => !earlier.some(it => namesOf(it, kind).includes(name))
  const mapOf = (kind: 'cases' | 'troubles' | 'rules') =>
    Object.fromEntries(Object.entries(present[kind]).filter(([name]) => isNew(kind)(name)))
  return [
    ...earlier,
    {
      edition: number,
      ...{ cases: mapOf('cases'), troubles: mapOf('troubles'), modes: present.modes.filter(isNew('modes')) },
      ...{ rules: mapOf('rules'), findings: present.findings.filter(isNew('findings')) },
    },
  ]
}

/** The text of the file with one edition frozen anew. */
export async function makeEditions(number: number): Promise<string> {
  const editions = await readEditions().catch(() => [])
  return `${JSON.stringify(freeze(editions, number, await presentEdition()), null, 2)}\n`
}
