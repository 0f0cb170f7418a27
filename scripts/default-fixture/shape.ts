import type { NewsletterContent } from '../../src/lib/newsletter.ts'

/** What all newsletters of a brand share. */
export type Brand = Pick<NewsletterContent, 'language' | 'brand' | 'accent' | 'footer'>

/** What one version of a mailing says. */
export type Words = Pick<NewsletterContent, 'preheader' | 'headline' | 'intro' | 'sections'> & {
  name: string
  subject: string
}

/** One editor mailing. Its number is the end of its published ID, so it never changes. */
export type MailingContent = Words & {
  no: number
  created: string
  modified: string
  /** `approved` with `newDraft` has both versions; the draft says the same except for what is given there. */
  state: 'draft' | 'approved'
  newDraft?: Partial<Words>
  /** Number of the version above; 1 unless said. */
  version?: number
}

export type BrandContent = { brand: Brand; mailings: MailingContent[] }
