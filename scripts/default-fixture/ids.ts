/** The published IDs: one family of digits per table, so that a person knows what an ID is of. */
const numbered = (family: string, no: number) =>
  `${family.repeat(8)}-0000-4000-8000-${String(no).padStart(12, '0')}`
export const mailingId = (no: number) => numbered('1', no)
export const synchronizationId = (no: number) => numbered('2', no)
export const sendingId = (no: number) => numbered('3', no)
export const uploadId = (no: number) => numbered('4', no)
export const testSynchronizationId = (no: number) => numbered('5', no)
