import { join } from 'node:path'
import { packagedScenarios, readText } from '../../rig/scenarios/library.ts'
import { UserError } from '../../store/user-error.ts'
import { type CaseFinding, type CaseResult, type Cause, isProvedError } from './exam-result.ts'
import type { Found, Reviewed } from './run-exam.ts'

/**
 * What one edition adds, frozen by its number, as its file has it. A later version adds to later editions only: whoever asks for an
 * edition is asked the same for ever.
 */
export interface Edition {
  readonly edition: number
  /** Names of cases, each with a digest of what it asks. */
  readonly cases: Readonly<Record<string, string>>
  /** The same for kinds of trouble, of which plans are made. */
  readonly troubles: Readonly<Record<string, string>>
  /** Ways in which plans run. */
  readonly modes: readonly string[]
  /** Rules of conduct with their severities. */
  readonly rules: Readonly<Record<string, string>>
  /** What the exam itself finds. */
  readonly findings: readonly string[]
}

/** Path of the recorded editions, below the packaged scenarios. */
export const editionsFile = 'editions.json'

/** All editions, the first one first. */
export const readEditions = async (): Promise<readonly Edition[]> =>
  JSON.parse(await readText(join(packagedScenarios, editionsFile)))

/** The kinds of names that editions have. */
export type EditionKind = Exclude<keyof Edition, 'edition'>

/** The names of a kind that an edition adds. */
export const namesOf = (edition: Edition, kind: EditionKind): readonly string[] => {
  const names = edition[kind]
  return Array.isArray(names) ? names : Object.keys(names)
}

/** Number of the edition that added a name; undefined for what belongs to none, such as a scenario of the user's own. */
export const editionOf = (
  editions: readonly Edition[],
  kind: EditionKind,
  name: string,
): number | undefined => editions.find(it => namesOf(it, kind).includes(name))?.edition

/** @throws UserError for the number of no edition */
export function checkEdition(editions: readonly Edition[], number: number): void {
  const numbers = editions.map(({ edition }) => edition)
  if (!numbers.includes(number))
    throw new UserError(`--edition: there is no edition ${number}; possible: ${numbers.join(', ')}`)
}

/**
 * What an exam of one edition shows. Newer cases are set apart, whatever came out. What breaks a newer rule, or shows in a plan with a newer trouble, is
 * told, and not held against the client.
 */
export function scoreEdition(found: Found, editions: readonly Edition[], number: number): Reviewed {
  const newer = (kind: EditionKind, name: string) => {
    const edition = editionOf(editions, kind, name)
    return edition !== undefined && edition > number ? edition : undefined
  }
  const score = (finding: CaseFinding): CaseFinding => {
    const edition = newer('rules', finding.rule) ?? newer('findings', finding.rule)
    if (edition === undefined) return finding
    return { ...finding, severity: 'information', sentence: `${finding.sentence} (Of edition ${edition}.)` }
  }
  const cases: CaseResult[] = []
  const unscored: { edition: number; case: CaseResult }[] = []
  for (const it of found.cases) {
    const edition = newer('cases', it.name)
    if (edition !== undefined) {
      unscored.push({ edition, case: it })
      continue
    }
    const findings = it.findings.map(score)
    const isFailed = it.status === 'failed' && findings.some(isProvedError)
    cases.push({ ...it, findings, status: it.status === 'failed' && !isFailed ? 'passed' : it.status })
  }
  const isScored = ({ rule, plan }: Cause) =>
    newer('rules', rule) === undefined &&
    newer('findings', rule) === undefined &&
    !plan?.troubles.some(it => newer('troubles', it) !== undefined)
  const ofPlans = found.ofPlans.map(it => (isScored(it) ? it : { ...it, severity: 'information' as const }))
  return { cases, ofPlans, edition: { number, unscored } }
}
