import type { Mailing, Version } from '../../store/rows.ts'
import { member, text } from '../../verify/hal.ts'
import type { Findings, SynchronizationFound, Versions } from '../findings.ts'
import type { Reader } from './reader.ts'

const unnamed = 'Unnamed mailing'

/** The mailings, in the order in which the service lists them; those that only a synchronization names come last. */
export function mailingsOf(findings: Findings, reader: Reader): Mailing[] {
  const mailings = new Map<string, Mailing>()
  for (const value of findings.mailings) {
    const mailing = listed(value, findings.versions.get(text(value, 'id') ?? ''), reader)
    mailings.set(mailing.id, mailing)
  }
  for (const { value } of findings.synchronizations) {
    const id = reader.uuid('mailings', member(value, 'mailingId'))
    if (!mailings.has(id))
      mailings.set(id, named(id, value, findings.versions.get(text(value, 'mailingId') ?? ''), reader))
  }
  return [...mailings.values()]
}

function listed(value: unknown, versions: Versions | undefined, reader: Reader): Mailing {
  const modified = reader.date(value, 'modificationDate')
  const created = reader.certainDate(value, 'creationDate', modified)
  return {
    id: reader.uuid('mailings', member(value, 'id')),
    creationDate: created,
    modificationDate: modified ?? created,
    ...bothVersions(
      {
        name: reader.name(value, 'name', unnamed),
        approvedName: versions?.approvedName,
        isApproved: member(value, 'isApproved') === true,
        hasDraft: member(value, 'hasDraft') === true,
      },
      versions,
      reader,
    ),
  }
}

/** A mailing that was made or hidden while the others were read. */
function named(
  id: string,
  synchronization: SynchronizationFound['value'],
  versions: Versions | undefined,
  reader: Reader,
): Mailing {
  reader.notes.add('a mailing that is not among the mailings was made from its synchronization')
  const created = reader.certainDate(synchronization, 'creationDate')
  return {
    id,
    creationDate: created,
    modificationDate: reader.certainDate(synchronization, 'modificationDate', created),
    ...bothVersions(
      {
        name: reader.name(synchronization, 'mailingName', unnamed),
        approvedName: versions?.approvedName,
        isApproved: member(synchronization, 'mailingIsApproved') === true,
        hasDraft: member(synchronization, 'mailingHasDraft') === true,
      },
      versions,
      reader,
    ),
  }
}

interface Told {
  /** Of the latest version. */
  readonly name: string
  readonly approvedName: string | undefined
  readonly isApproved: boolean
  readonly hasDraft: boolean
}

/** A mailing has a draft, an approved version or both; a draft beside an approved version is the newer one. */
function bothVersions(
  { name, approvedName, isApproved, hasDraft }: Told,
  versions: Versions | undefined,
  reader: Reader,
): Pick<Mailing, 'draft' | 'approved'> {
  const isDraft = hasDraft || !isApproved
  const approved = isApproved
    ? version(1, (isDraft ? approvedName : undefined) || name, versions?.approved, reader)
    : null
  return { draft: isDraft ? version(isApproved ? 2 : 1, name, versions?.draft, reader) : null, approved }
}

function version(number: number, name: string, preview: unknown, reader: Reader): Version {
  if (preview === undefined) {
    reader.notes.add(
      'the service shows no preview of a version of a mailing, which a synchronization would give it; its content is a stand-in',
    )
    return {
      number,
      name,
      subject: asLiteral(name),
      html: `<!DOCTYPE html><title>${escaped(name)}</title>`,
      text: asLiteral(name),
    }
  }
  const content = (member: string) => asLiteral(text(preview, member) ?? '')
  return {
    number,
    name,
    subject: content('subject'),
    html: content('htmlContent'),
    text: content('textContent'),
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escaped = (name: string) => asLiteral(name.replaceAll(/[&<>]/g, it => entities[it]!))

/**
 * A text that the mock shows as it is. What looks like one of its placeholders is broken up by one that comes to nothing.
 */
export const asLiteral = (content: string): string =>
  content.replaceAll(/\{\{(?=\w+(?:\|[^{}]*)?\}\})/g, '{{{nothing}}{')
