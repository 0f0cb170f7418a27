import { type OperationId, operations } from '../../src/service/operations.ts'
import { readIds } from '../mock.ts'
import { inEach, type Lie, to } from './lies.ts'

/** The path of every operation that reads, with or without a query. */
export const answers = Object.fromEntries(
  readIds.map(id => {
    const path = operations[id].path.replace(':platform', 'mailing-platform').replaceAll(/:\w+/g, '[^/?]+')
    return [id, new RegExp(`^${path}(\\?|$)`)]
  }),
) as Record<OperationId, RegExp>

/** The path of an own self link, otherwise than it is; what is embedded tells the truth. */
export const misleading = (path: RegExp, change: (path: string) => string): Lie =>
  to('GET', path, told => {
    const self = told.json?._links?.self
    if (told.status === 200 && self) self.href = self.href.replace(/(?<=test\.localhost)[^?{]*/, change)
  })

export const nowhere = (path: string) => `${path}zzz`
const below = (path: string) => `/integrations/nowhere${path}`
export const elsewhere = (path: string) =>
  path === '/mailings' ? '/integrations/mailing-platform/accessible-customers' : '/mailings'

const withoutSelf = (path: RegExp): Lie => to('GET', path, told => delete told.json?._links?.self)
const toSendings = (change: (href: string) => string): Lie =>
  inEach('synchronization', it => {
    const link = it._links['svc:sendings']
    link.href = change(link.href)
  })

export const liesOfLinks: [clause: string, what: string, lie: Lie][] = [
  ...Object.entries(answers).map(([name, path]): [string, string, Lie] => [
    '2 self',
    `the answer of ${name} at an address of nothing`,
    misleading(path, nowhere),
  ]),
  ['2 self', 'a preview at that of the mailings', misleading(answers.getPreview, elsewhere)],
  ['2 self', 'a single list in another integration', misleading(answers.getCustomerList, below)],
  ['S single list', 'a single list without self link', withoutSelf(/\/lists\/[^/?]+$/)],
  ['2 self', 'a single mailing without self link', withoutSelf(/^\/mailings\/[^/?]+$/)],
  ['2.2 sendings', 'sendings at an address of nothing', toSendings(it => `${it}zzz`)],
  [
    'S addressing',
    'sendings at a path that is none',
    toSendings(it => it.replace(/\/integrations.*/, '/nothing')),
  ],
  [
    '2 path segment',
    'sendings of another integration',
    toSendings(it => it.replace('mailing-platform', 'other')),
  ],
  ['9', 'sendings of a version', toSendings(it => it.replace('/integrations', '/v2/integrations'))],
  [
    '4.3',
    'no sendings at all',
    to('GET', answers.listSendings, told => {
      told.status = 404
    }),
  ],
]
