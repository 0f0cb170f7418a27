import type { DialValues } from '../../service/dials.ts'
import type { Names } from '../../service/links.ts'

/** Which service is described: its names, and what it does where the API document is silent. */
export interface Deployment {
  readonly names: Names
  readonly dials: DialValues
}

/** A part of the document. */
export type Json = { readonly [member: string]: unknown }
