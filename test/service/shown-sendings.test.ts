import { expect, it } from 'vitest'
import { z } from 'zod'
import { defaultDials } from '../../src/service/dials.ts'
import { answersOf, type Operation } from '../../src/service/operation.ts'
import { operationIds, operations } from '../../src/service/operations.ts'
import { isCollection } from '../../src/service/resource.ts'
import { sendingState } from '../../src/store/rows.ts'

/** Whether a schema is that of sending states, also where it may be null or left out. */
const isOfState = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodEnum
    ? schema.options.every(it => sendingState.options.some(state => state === it))
    : (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) &&
      isOfState(schema.unwrap() as z.ZodType)

const showsState = (operation: Operation): boolean =>
  answersOf(operation, defaultDials).some(({ shows }) => {
    const state = shows && (isCollection(shows) ? shows.item : shows).members.state
    return state !== undefined && isOfState(state.schema)
  })

it('every read whose answer shows the state of sendings says in shownSendings which they are', () => {
  const reads = operationIds.filter(it => operations[it].method === 'GET' && showsState(operations[it]))
  expect(reads).toEqual(operationIds.filter(it => 'shownSendings' in operations[it]))
  expect(reads).not.toEqual([])
})
