import { mailingId, synchronizationId } from '../src/contract/examples/fixture-ids.ts'
import type { Fixture, Mailing, Synchronization, Version } from '../src/store/rows.ts'
import { fernhill } from './default-fixture/fernhill.ts'
import { renderInFull } from './default-fixture/full-layout.ts'
import * as history from './default-fixture/history.ts'
import { lindenau } from './default-fixture/lindenau.ts'
import { orane } from './default-fixture/orane.ts'
import { listOf, PlatformRows } from './default-fixture/platform-rows.ts'
import type { Brand, MailingContent, Words } from './default-fixture/shape.ts'
import { labSynchronizations, testSynchronizations } from './default-fixture/test-synchronizations.ts'
import { tidewater } from './default-fixture/tidewater.ts'
import { accessibleLists, customers, lists, users } from './default-fixture/world.ts'

/** The fixture that a newcomer meets, from the content beside this file. */
export function makeDefaultFixture(): Fixture {
  const mailings = [fernhill, tidewater, lindenau, orane]
    .flatMap(({ brand, mailings }) => mailings.map(content => mailingOf(brand, content)))
    .sort((one, other) => one.id.localeCompare(other.id))
  const platform = new PlatformRows(mailings)
  // The platform numbers its mailings as they come, so uploads and sendings are replayed in order of time.
  const requests = [
    ...history.uploads.map(row => ({ at: row.created, replay: () => platform.upload(row) })),
    ...history.sendings.map(row => ({ at: row.created, replay: () => platform.send(row) })),
  ]
  for (const request of requests.sort((one, other) => (one.at < other.at ? -1 : 1))) request.replay()
  return {
    $schema: './fixture.schema.json',
    $format: 1,
    space: 'demo',
    description:
      'Four invented brands with mailings in every version state and sendings in every state, and a test synchronization for each scenario.',
    users,
    customers,
    lists,
    accessibleLists,
    mailings,
    synchronizations: [...history.synchronizations.map(synchronizationOf), ...labSynchronizations],
    mailingUploads: platform.uploads,
    sendings: platform.sendings,
    platformMailings: platform.mailings,
    platformSendings: platform.platformSendings,
    testSynchronizations: [...testSynchronizations],
  }
}

function mailingOf(brand: Brand, content: MailingContent): Mailing {
  const number = content.version ?? 1
  const version = versionOf(brand, content, number)
  return {
    id: mailingId(content.no),
    creationDate: content.created,
    modificationDate: content.modified,
    draft:
      content.state === 'draft'
        ? version
        : content.newDraft
          ? versionOf(brand, { ...content, ...content.newDraft }, number + 1)
          : null,
    approved: content.state === 'approved' ? version : null,
  }
}

const versionOf = (brand: Brand, words: Words, number: number): Version => ({
  number,
  name: words.name,
  subject: words.subject,
  ...renderInFull({ ...brand, ...words }),
})

function synchronizationOf(row: history.PastSynchronization): Synchronization {
  const uploads = history.uploads.filter(it => it.synchronization === row.no).map(it => it.modified)
  const sendings = history.sendings.filter(it => it.synchronization === row.no).map(it => it.created)
  return {
    id: synchronizationId(row.no),
    creationDate: row.created,
    modificationDate: latest([row.created, ...uploads, ...sendings])!,
    mailingId: mailingId(row.mailing),
    customer: listOf(row).customer,
    listId: row.listId,
    mailingUploadsModificationDate: latest(uploads),
    sendingsModificationDate: latest(sendings),
  }
}

const latest = (dates: string[]) => dates.toSorted().at(-1) ?? null
