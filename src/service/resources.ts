import { defaultDials } from './dials.ts'
import { answersOf } from './operation.ts'
import { operationIds, operations } from './operations.ts'
import { type AnyForm, type Collection, isCollection } from './resource.ts'

/** All forms of all resources and their collections, in the order in which operations show them. */
export const resources: readonly (AnyForm | Collection)[] = [
  ...new Set(
    operationIds
      .flatMap(id => answersOf(operations[id], defaultDials))
      .flatMap(({ shows }) => (shows ? (isCollection(shows) ? [shows.item, shows] : [shows]) : [])),
  ),
]
