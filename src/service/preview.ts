import type { Mailing, TestProfile, Version } from '../store/rows.ts'
import type { Answer } from './answer.ts'
import type { ServiceContext } from './call.ts'
import { hal, resource } from './hal.ts'
import { latestVersion, mailingOf } from './mailings.ts'
import type { Input } from './operations.ts'
import { problems } from './problem.ts'
import { synchronizationOf, tied } from './synchronizations.ts'

/** Which version of a mailing is meant (spec 4.7; the values beside `latest` are documented beyond it). */
export type Kind = 'latest' | 'draft' | 'lastApproved'

/** @throws Problem 404 when the mailing has no such version */
export function versionOf(mailing: Mailing, kind: Kind): Version {
  const version = { latest: latestVersion(mailing), draft: mailing.draft, lastApproved: mailing.approved }[
    kind
  ]
  if (!version)
    throw problems.notFound(`${kind === 'draft' ? 'draft' : 'approved'} version of mailing ${mailing.id}`)
  return version
}

const placeholder = /\{\{(\w+)(?:\|([^{}]*))?\}\}/g
const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
/** Text made safe to stand in HTML. */
const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, char => entities[char]!)

/** Fills the placeholders: from the profile, else with the text that the placeholder itself offers. */
export function personalize(
  text: string,
  profile: TestProfile | undefined,
  written = (value: string) => value,
): string {
  return text.replaceAll(placeholder, (_, attribute: string, otherwise = '') => {
    const known =
      profile && Object.hasOwn(profile.attributes, attribute) ? profile.attributes[attribute] : undefined
    return known === undefined ? otherwise : written(known)
  })
}

/** A version as its recipient would see it. Spec 2.6. */
export const rendered = (version: Version, profile?: TestProfile) => ({
  htmlContent: personalize(version.html, profile, escapeHtml),
  textContent: personalize(version.text, profile),
  subject: personalize(version.subject, profile),
})

/** Spec 4.7. */
export function getPreview(c: ServiceContext, { query }: Input<'getPreview'>): Answer {
  const { space, links } = c.env
  const { tables } = space.data
  const [synchronization, , list] = tied(tables, synchronizationOf(c))
  const version = versionOf(mailingOf(tables, synchronization.mailingId), query.kind)
  const profile = list.testProfiles.find(({ id }) => id === query.testProfileId)
  if (query.testProfileId !== undefined && !profile)
    throw problems.notFound(
      `test profile ${query.testProfileId} for mailing synchronization ${synchronization.id}`,
    )
  return hal(resource(links, rendered(version, profile), { self: links.preview(synchronization.id) }))
}
