import type { Found, Interview } from '../exchanges.ts'

/** An ID that nothing has. */
export const nowhere = '00000000-0000-4000-8000-000000000000'

/** What the default fixture has of each kind that the examples need. */
export interface Scene {
  readonly ready: string
  readonly draftOnly: string
  readonly repeated: string
  readonly withUploads: string
}

export const synchronizations = (it: Interview, rest = '') =>
  it.integration(`/mailing-synchronizations${rest}`)
export const customers = (it: Interview, rest = '') => it.integration(`/accessible-customers${rest}`)
/** What a collection holds; a dial may have put other things beside it. */
export const embedded = (answer: Found): Found[] =>
  Object.values<Found>(answer._embedded).find(Array.isArray)!

export async function setScene(it: Interview): Promise<Scene> {
  const { answer } = await it.look({ at: synchronizations(it) })
  const all = embedded(answer)
  const first = (is: (synchronization: Found) => boolean): string => all.find(is).id
  return {
    ready: first(({ readyForSending }) => readyForSending),
    draftOnly: first(({ readyForSending }) => !readyForSending),
    repeated: first(({ mailingName }) => mailingName === 'Commuter week'),
    withUploads: first(({ mailingUploadsModificationDate }) => mailingUploadsModificationDate !== null),
  }
}
