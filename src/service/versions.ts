import type { Mailing, Version } from '../store/rows.ts'

/**
 * How the versions of an editor mailing follow one another: a new one starts as a draft, approval is final for a version,
 * and editing an approved mailing makes a new draft beside it (documented beyond the spec). The service has no operation
 * for it; a person does it in the editor. Rows are made anew, never changed.
 */

/** What a person writes in the editor. What is left out stays as it is. */
export type Edit = { readonly [Member in 'name' | 'subject' | 'html' | 'text']?: string | undefined }

/**
 * The mailing with its draft as the approved version. Undefined when there is no draft.
 * @param at date-time of the approval
 */
export function withApproval(mailing: Mailing, at: string): Mailing | undefined {
  const { draft, approved, earlier = [] } = mailing
  if (!draft) return undefined
  return {
    ...mailing,
    modificationDate: at,
    draft: null,
    approved: draft,
    ...(approved && { earlier: [...earlier, { number: approved.number, size: sizeOf(approved) }] }),
  }
}

/**
 * The mailing with a new draft, made from the approved version. Undefined when there is a draft already.
 * @param at date-time of the edit
 */
export function withDraft(mailing: Mailing, edit: Edit, at: string): Mailing | undefined {
  const { draft, approved } = mailing
  if (draft || !approved) return undefined
  return {
    ...mailing,
    modificationDate: at,
    draft: { ...written(approved, edit), number: approved.number + 1 },
  }
}

/**
 * The mailing as it is after an edit: of its draft, or of a new one where there is none.
 * @param at date-time of the edit
 */
export function withEdit(mailing: Mailing, edit: Edit, at: string): Mailing {
  const { draft } = mailing
  if (!draft) return withDraft(mailing, edit, at)!
  return { ...mailing, modificationDate: at, draft: written(draft, edit) }
}

/**
 * Bytes of HTML and text of a version that is or was approved. A fixture may know of sendings of versions that are gone
 * from it: the oldest that is known stands for them, so that no later approval changes their figures.
 */
export function approvedSize({ approved, earlier = [] }: Mailing, number: number): number {
  if (approved?.number === number) return sizeOf(approved)
  const known = earlier.find(version => version.number === number) ?? earlier[0]
  if (known) return known.size
  return approved ? sizeOf(approved) : 0
}

const sizeOf = ({ html, text }: Version): number => Buffer.byteLength(html) + Buffer.byteLength(text)

const written = (version: Version, { name, subject, html, text }: Edit): Version => ({
  number: version.number,
  name: name ?? version.name,
  subject: subject ?? version.subject,
  html: html ?? version.html,
  text: text ?? version.text,
})
