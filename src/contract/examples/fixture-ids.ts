/** In the packaged fixture the IDs of each table begin with a digit of their own, so that a reader sees which kind of thing an ID names. */
const numberedId = (family: string, nth: number): string =>
  `${family.repeat(8)}-0000-4000-8000-${String(nth).padStart(12, '0')}`

export const mailingId = (nth: number): string => numberedId('1', nth)
export const synchronizationId = (nth: number): string => numberedId('2', nth)
export const sendingId = (nth: number): string => numberedId('3', nth)
export const uploadId = (nth: number): string => numberedId('4', nth)
export const testSynchronizationId = (nth: number): string => numberedId('5', nth)

/** IDs of the packaged fixture that examples and tests use, by what is special about them. */
export const ids = {
  /** Synchronizations, by the state of their mailing, or by what was done with them. */
  ready: synchronizationId(1),
  draftOnly: synchronizationId(2),
  both: synchronizationId(3),
  /** Its first sending is FAILED, its second INDETERMINATE_FAILURE, its third CREATED. */
  failedTwice: synchronizationId(6),
  uploadedTwice: synchronizationId(7),
  indeterminate: synchronizationId(9),
  pending: synchronizationId(10),
  emptyList: synchronizationId(11),
  scheduled: synchronizationId(12),
  /** Its list has neither test profiles nor test-mail groups. */
  bareList: synchronizationId(13),

  /** The mailings of the first three synchronizations. */
  mailing: { ready: mailingId(1), draftOnly: mailingId(3), both: mailingId(5) },
  sending: {
    /** The first one of `both`. */
    created: sendingId(3),
    /** The first and the last one of `failedTwice`. */
    failed: sendingId(4),
    createdAfterFailures: sendingId(6),
    /** That of `pending`. */
    pending: sendingId(11),
  },
  /** The first one of `uploadedTwice`. It was changed last. */
  upload: uploadId(1),
  /** It has a configuration, which permits two of its three lists. */
  customer: 'lindenau',
  list: 2001,
  listNotPermitted: 2002,
  /** It has no configuration. The first list is that of `ready`. */
  customerWithoutConfiguration: 'harbour-group',
  listsWithoutConfiguration: [1001, 1002, 1003],
  testProfile: 7001,
  testMailGroup: 8001,

  /** Nothing has this ID. */
  unknown: '00000000-0000-4000-8000-000000000000',
} as const
