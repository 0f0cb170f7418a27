import type { z } from 'zod'
import { type Problem, problems } from '../../service/problem.ts'
import { findings, pathText } from '../scenarios/sentences.ts'

/**
 * What came, as the schema reads it.
 * @throws Problem 400 that names each member that is wrong, with what was seen and what is possible
 */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw wrong(result.error.issues, value)
}

function wrong(issues: readonly z.core.$ZodIssue[], value: unknown): Problem {
  const found = findings(issues, value).map(({ path, ofKey, problem }) => ({
    field: pathText(ofKey ? path.slice(0, -1) : path),
    problem,
  }))
  return problems.validation(
    found.filter(({ field }) => field !== ''),
    found.filter(({ field }) => field === '').map(({ problem }) => problem),
  )
}
