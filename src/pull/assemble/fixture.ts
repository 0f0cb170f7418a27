import { formatNumber } from '../../store/format.ts'
import type { Fixture } from '../../store/rows.ts'
import type { Findings } from '../findings.ts'
import type { Notes } from '../notes.ts'
import { mailingsOf } from './mailings.ts'
import { Reader } from './reader.ts'
import { Requests } from './requests.ts'
import { World } from './world.ts'

export interface FixtureOptions {
  /** What its space and its user are called; the password is the same. */
  readonly space: string
  readonly description: string
  /** Whether IDs that had to be made must not lead back to those that they stand for. */
  readonly hidesIds: boolean
  readonly notes: Notes
}

/** The fixture that starts the mock with what was found. The same findings give the same bytes. */
export function fixtureOf(
  findings: Findings,
  { space, description, hidesIds, notes }: FixtureOptions,
): Fixture {
  const reader = new Reader(notes, hidesIds)
  const world = new World(findings, reader)
  const mailings = mailingsOf(findings, reader)
  const requests = new Requests(findings, mailings, world, reader)
  return {
    $format: formatNumber,
    space,
    description,
    users: [{ name: space, password: space, rights: ['read', 'write'] }],
    customers: world.customers,
    lists: world.lists,
    accessibleLists: world.accessibleLists,
    mailings,
    synchronizations: requests.synchronizations,
    mailingUploads: requests.mailingUploads,
    sendings: requests.sendings,
    platformMailings: requests.platformMailings,
    platformSendings: requests.platformSendings,
  }
}
