import { z } from 'zod'
import { faults } from '../faults/registry.ts'
import type { Finding } from './sentences.ts'

/** Members of a step that are easily taken for members of its answer. */
const ofStep: readonly string[] = ['state', 'truth', 'times', 'for', 'phase', 'delay', 'deliver', 'hold']

/** What stands in an answer and belongs beside it. @param value the whole scenario, whatever it is */
export function misplaced(value: unknown): Finding[] {
  return listIn(value, 'rules').flatMap((rule, nth) =>
    listIn(rule, 'steps').flatMap((step, at) => {
      const answer = memberOf(step, 'answer')
      if (typeof answer !== 'object' || answer === null) return []
      return Object.keys(answer)
        .filter(key => ofStep.includes(key) && !isSettingOf(memberOf(answer, 'fault'), key))
        .map(key => ({
          path: ['rules', nth, 'steps', at, 'answer', key],
          ofKey: true,
          problem: `"${key}" belongs to the step: write it beside answer, not in it`,
        }))
    }),
  )
}

function isSettingOf(fault: unknown, key: string): boolean {
  const settings = typeof fault === 'string' ? faults.get(fault)?.settings : undefined
  return settings instanceof z.ZodObject && key in settings.shape
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name)
  return Array.isArray(list) ? list : []
}
