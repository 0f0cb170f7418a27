import type { OperationId } from '../../service/operations.ts'
import type { Json } from './deployment.ts'
import type { Exchange } from './exchanges.ts'
import type { ServiceProblem } from './problems.ts'

/** Examples by where they stand in the document; undefined where there are none. */
export interface Examples {
  answers(id: OperationId, status: number): Json | undefined
  problems(name: ServiceProblem): Json | undefined
  bodies(id: OperationId): Json | undefined
  /** A value that the parameter had in a request that went well. */
  parameter(id: OperationId, name: string): string | number | undefined
}

export const noExamples: Examples = {
  answers: () => undefined,
  problems: () => undefined,
  bodies: () => undefined,
  parameter: () => undefined,
}

/** Examples from what was asked and answered. */
export function examplesOf(exchanges: readonly Exchange[]): Examples {
  const of = (id: OperationId) => exchanges.filter(it => it.operation === id && it.shows === undefined)
  return {
    answers: (id, status) =>
      named(
        of(id).filter(it => it.status === status && it.answer !== undefined),
        it => it.answer,
      ),
    problems: name =>
      named(
        exchanges.filter(it => it.shows === name && it.answer !== undefined),
        it => it.answer,
      ),
    bodies: id =>
      named(
        of(id).filter(it => it.status < 400 && it.body !== undefined),
        it => it.body,
      ),
    parameter: (id, name) => of(id).find(it => it.status < 400 && name in it.params)?.params[name],
  }
}

function named(exchanges: readonly Exchange[], value: (it: Exchange) => unknown): Json | undefined {
  if (exchanges.length === 0) return undefined
  const all = exchanges.map(it => [it.name, { summary: it.summary, value: value(it) }])
  return Object.fromEntries(all)
}
