import { type Cited, type Claim, claimOf, idOf } from '../../service/claim.ts'
import { defaultDials } from '../../service/dials.ts'
import { answersOf, type Operation } from '../../service/operation.ts'
import { type OperationId, operationIds, operations, resources } from '../../service/operations.ts'
import { type AnyForm, isCollection, type Member, type Members } from '../../service/resource.ts'
import { getOrMake } from '../../store/maps.ts'
import type { Clause } from './clause.ts'

/** A claim, or its ID, with the operations that it concerns. */
type Held = readonly [cited: Cited, holders: readonly OperationId[]]

/** The claims in the definition of an operation, in the order of the register. */
const claimsIn = (operation: Operation): Cited[] => [
  operation.claim,
  ...answersOf(operation, defaultDials).flatMap(it => it.cites),
  ...Object.values(operation.parameters).flat(),
  ...(operation.body?.claims ?? []),
  ...Object.values(operation.body?.members ?? {}).flat(),
  ...(operation.claims ?? []),
]

const forms = resources.filter(it => !isCollection(it)) as readonly AnyForm[]

/** The operations whose answers show a form, alone or in a collection. */
const operationsShowing = (form: AnyForm): OperationId[] =>
  operationIds.filter(id =>
    answersOf(operations[id], defaultDials).some(
      ({ shows }) => shows && (isCollection(shows) ? shows.item : shows) === form,
    ),
  )

/** The claims of a section: about members, `_links`, links, members of some forms only, and others. */
function* claimsOfSection(section: string): Iterable<Held> {
  const its = forms.filter(form => form.section === section)
  const holders = new Map(its.map(form => [form, operationsShowing(form)]))
  function* said(form: AnyForm, name: string, it: Pick<Member, 'says' | 'standing' | 'further'>) {
    const { says, standing = 'specified', further = [] } = it
    const claim = claimOf(`${section} ${name}`, says, standing)
    for (const cited of says === '' ? further : [claim, ...further])
      yield [cited, holders.get(form)!] as const
  }
  function* ofMembers(form: AnyForm, members: Members, before = ''): Iterable<Held> {
    for (const [name, it] of Object.entries(members)) {
      if (it.isThere?.(defaultDials) === false) continue
      yield* said(form, before + name, it)
      yield* ofMembers(form, it.members ?? {}, `${before}${name}.`)
    }
  }
  const isShared = (name: string) => its.every(({ members }) => name in members)
  const membersOf = ({ members }: AnyForm, areShared: boolean): Members =>
    Object.fromEntries(Object.entries(members).filter(([name]) => isShared(name) === areShared))
  for (const form of its) yield* ofMembers(form, membersOf(form, true))
  for (const form of its) {
    if (form.linksSay !== undefined) yield* said(form, '_links', { says: form.linksSay })
    for (const [name, it] of Object.entries(form.links ?? {})) yield* said(form, name, it)
  }
  for (const form of its) {
    yield* ofMembers(form, membersOf(form, false))
    for (const claim of form.claims ?? []) yield [claim, holders.get(form)!]
  }
}

function* allClaims(): Iterable<Held> {
  const sections = [...new Set(forms.map(({ section }) => section))].toSorted((a, b) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
  for (const section of sections) yield* claimsOfSection(section)
  for (const id of operationIds) for (const cited of claimsIn(operations[id])) yield [cited, [id]]
}

/** Each claim where it is written, with all operations that hold it. */
function collectClauses(): Clause[] {
  const found = new Map<string, { claim: Claim; operations: Set<OperationId> }>()
  for (const [cited, holders] of allClaims()) {
    if (typeof cited === 'string') continue
    const { operations } = getOrMake(found, cited.id, () => ({ claim: cited, operations: new Set() }))
    for (const id of holders) operations.add(id)
  }
  return [...found.values()].map(({ claim, operations }) => ({
    ...claim,
    operations: [...new Set([...operations, ...operationsOf(claim.id)])],
  }))
}

/** The operations that cite this claim for a success. */
export const operationsAnswering = (claim: string): OperationId[] =>
  operationIds.filter(id =>
    answersOf(operations[id], defaultDials).some(({ cites }) => cites.some(it => idOf(it) === claim)),
  )

/** The operations whose `claims` have this one, written or by its ID. */
export const operationsOf = (claim: string): OperationId[] =>
  operationIds.filter(id => (operations[id] as Operation).claims?.some(it => idOf(it) === claim))

/** The clauses that are written in definitions of resources and operations, section by section. */
const clausesOfDefinitions = collectClauses()

/** The clauses of a section or a chapter. @param start of their IDs */
export const clausesStarting = (start: RegExp): Clause[] =>
  clausesOfDefinitions.filter(({ id }) => start.test(id))
