import type { CaseFinding } from '../../../rig/exam-shape.ts'
import { rules } from '../../rules/registry.ts'

const ofRules = new Map<string, string>(rules.map(({ id, title }) => [id, title]))

/** What a client did of which this was found, in a few words. */
export const titleOf = ({ rule }: Pick<CaseFinding, 'rule'>): string =>
  ofRules.get(rule) ?? `${rule.charAt(0).toUpperCase()}${rule.slice(1).replaceAll('-', ' ')}`
