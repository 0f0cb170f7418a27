import { type Cited, type Claim, claimOf, idOf } from '../../service/claim.ts'
import { defaultDials } from '../../service/dials.ts'
import { answersOf, type Operation } from '../../service/operation.ts'
import { type OperationId, operationIds, operations, resources } from '../../service/operations.ts'
import { type AnyForm, isCollection, type Member, type Members } from '../../service/resource.ts'
import { getOrMake } from '../../store/maps.ts'
import type { Clause } from './clause.ts'

/** Claims found in definitions of resources and operations, in their order, with the operations that hold them. */
class FoundClauses {
  readonly #found = new Map<string, { claim: Claim; operations: Set<OperationId> }>()

  add(claim: Claim, holders: readonly OperationId[]): void {
    const { operations } = getOrMake(this.#found, claim.id, () => ({ claim, operations: new Set() }))
    for (const id of holders) operations.add(id)
  }

  all(): Clause[] {
    return [...this.#found.values()].map(({ claim, operations }) => ({
      ...claim,
      operations: [...new Set([...operations, ...operationsOf(claim.id)])],
    }))
  }
}

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

/** The clauses of a section: about members, `_links`, links, members of some forms only, and others. */
function collectSection(section: string, found: FoundClauses): void {
  const its = forms.filter(form => form.section === section)
  const holders = new Map(its.map(form => [form, operationsShowing(form)]))
  function add(form: AnyForm, name: string, said: Pick<Member, 'says' | 'standing' | 'further'>) {
    const { says, standing = 'specified', further = [] } = said
    const claim = claimOf(`${section} ${name}`, says, standing)
    for (const it of says === '' ? further : [claim, ...further])
      if (typeof it !== 'string') found.add(it, holders.get(form)!)
  }
  function addMembers(form: AnyForm, members: Members, before = '') {
    for (const [name, it] of Object.entries(members)) {
      if (it.isThere?.(defaultDials) === false) continue
      add(form, before + name, it)
      addMembers(form, it.members ?? {}, `${before}${name}.`)
    }
  }
  const isShared = (name: string) => its.every(({ members }) => name in members)
  const membersOf = ({ members }: AnyForm, areShared: boolean): Members =>
    Object.fromEntries(Object.entries(members).filter(([name]) => isShared(name) === areShared))
  for (const form of its) addMembers(form, membersOf(form, true))
  for (const form of its) {
    if (form.linksSay !== undefined) add(form, '_links', { says: form.linksSay })
    for (const [name, it] of Object.entries(form.links ?? {})) add(form, name, it)
  }
  for (const form of its) {
    addMembers(form, membersOf(form, false))
    for (const claim of form.claims ?? []) found.add(claim, holders.get(form)!)
  }
}

function collectClauses(): Clause[] {
  const found = new FoundClauses()
  const sections = [...new Set(forms.map(({ section }) => section))].toSorted(
    (a, b) => Number.parseInt(a.slice(2), 10) - Number.parseInt(b.slice(2), 10),
  )
  for (const section of sections) collectSection(section, found)
  for (const id of operationIds)
    for (const claim of claimsIn(operations[id])) if (typeof claim !== 'string') found.add(claim, [id])
  return found.all()
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
