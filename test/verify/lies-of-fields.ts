import { registry } from '../../src/contract/verify/registry.ts'
import {
  isLinkOfItems,
  linksOfKind,
  membersOfKind,
  type ResourceKind,
  resourceKinds,
  sectionOf,
} from '../../src/contract/verify/resource-kinds.ts'
import { defaultDials } from '../../src/service/dials.ts'
import type { Json } from '../mock.ts'
import { inEach, type Lie } from './lies.ts'
import { liesOfClauses } from './lies-of-clauses.ts'

const clausesWithCheck = new Set(registry.filter(it => 'look' in it).map(({ clause }) => clause))
const clausesWithLie = new Set(liesOfClauses.map(([clause]) => clause))
/** Beside the lie about their value, one about their type. */
const alsoOfType = ['2.4 modificationDate', '2.5 sendingStatistics.endDate', '2.10 modificationDate']

/** Lists are found by it, so a wrong one is a difference in three clauses at once. */
const isShownElsewhere = (clause: string) => clause === '2.9 list id'

/** Whether a clause has a check that no lie elsewhere is about. */
const wantsLie = (clause: string): boolean =>
  clausesWithCheck.has(clause) &&
  !isShownElsewhere(clause) &&
  (!clausesWithLie.has(clause) || alsoOfType.includes(clause))

/** A list is no value of any field but permittedLists, and an object with a member none at all. */
function spoil(it: Json, path: string): void {
  const names = path.split('.')
  const last = names.pop()!
  const inside = names.reduce((at, name) => at?.[name], it)
  if (inside && last in inside) inside[last] = last.endsWith('Statistics') ? 5 : [{ odd: true }]
}

/** A link is missing wherever a resource of the kind has it. */
const withoutLink =
  (kind: ResourceKind, name: string): Lie =>
  (told, asked) =>
    inEach(kind, it => {
      if (!isLinkOfItems(kind, name) || it !== told.json)
        for (const relation of [name, `svc:${name}`]) delete it._links?.[relation]
    })(told, asked)

type FieldLie = readonly [clause: string, what: string, lie: Lie]

/** Links whose check is that of another clause than their own. */
const clausesOfLinks: Readonly<Record<string, string>> = { 'sending statistics': 'S sendings collection' }

/** Every member is in turn what it cannot be, and every link missing. */
export const liesOfFields: readonly FieldLie[] = resourceKinds.flatMap(kind => {
  const section = sectionOf(kind)
  const members = [...membersOfKind(kind)]
    .filter(([, { isThere }]) => isThere?.(defaultDials) ?? true)
    .map(([path]): FieldLie => {
      const what = `${path} of a ${kind} is a list`
      return [`${section} ${path}`, what, inEach(kind, it => spoil(it, path))]
    })
  const links = Object.keys(linksOfKind(kind)).map((name): FieldLie => {
    const own = name === 'self' ? `${section} _links` : `${section} ${name}`
    const clause = clausesOfLinks[`${kind} ${name}`] ?? own
    return [clause, `a ${kind} without link ${name}`, withoutLink(kind, name)]
  })
  return [...members, ...links].filter(([clause]) => wantsLie(clause))
})
