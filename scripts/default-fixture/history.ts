import type { PlanStep } from '../../src/store/rows.ts'

/** A synchronization; its number is the end of its published ID. `mailing` is the number of one. */
export type PastSynchronization = { no: number; created: string; mailing: number; listId: number }

/** A mailing-upload made from the mailing's latest version. */
export type PastUpload = { no: number; created: string; modified: string; synchronization: number }

export type PastSending = {
  no: number
  created: string
  synchronization: number
  transactionId: string | null
  schedule?: string
  name?: string
  subject?: string
  plan: PlanStep[]
  /** When the last step of the plan began, if that was not at once, and how many attempts it has answered. */
  since?: string
  attempts?: number
  /** The platform mailing was made but not approved: the setup broke off in between. */
  orphan?: true
}

export const synchronizations: PastSynchronization[] = [
  // For the first request of a newcomer: approved, an ordinary list, never used.
  { no: 1, created: '2026-01-12T09:30:00.142Z', mailing: 1, listId: 1001 },
  // Draft only, never used.
  { no: 2, created: '2026-01-21T13:08:55.760Z', mailing: 3, listId: 1002 },
  // Both versions: sendings go out under the approved name although a newer draft has another one.
  { no: 3, created: '2026-02-05T08:02:19.333Z', mailing: 5, listId: 1001 },
  // One mailing, two lists.
  { no: 4, created: '2026-02-19T10:40:31.587Z', mailing: 7, listId: 1002 },
  { no: 5, created: '2026-02-19T10:44:02.000Z', mailing: 7, listId: 1003 },
  // Failed twice, then created with a third transaction ID.
  { no: 6, created: '2026-03-04T07:55:48.219Z', mailing: 9, listId: 1001 },
  // The large list; uploads and a sending scheduled in the past.
  { no: 7, created: '2026-03-12T06:20:10.905Z', mailing: 10, listId: 2001 },
  // Draft only, yet uploaded: an upload needs no approval.
  { no: 8, created: '2026-03-20T18:01:27.414Z', mailing: 11, listId: 3001 },
  // Indeterminate, once truly sent and once not.
  { no: 9, created: '2026-03-27T09:12:36.058Z', mailing: 12, listId: 1002 },
  // Pending for ever.
  { no: 10, created: '2026-05-07T08:33:21.670Z', mailing: 17, listId: 1001 },
  // The empty list.
  { no: 11, created: '2026-05-14T05:47:59.128Z', mailing: 18, listId: 2003 },
  // Scheduled far ahead.
  { no: 12, created: '2026-05-28T12:26:03.845Z', mailing: 20, listId: 3001 },
  // A list without test profiles and test-mail groups.
  { no: 13, created: '2026-06-26T16:30:44.501Z', mailing: 24, listId: 3002 },
  // Draft only, never used, at the customer whose name needs encoding.
  { no: 14, created: '2026-07-20T07:19:12.036Z', mailing: 27, listId: 3001 },
]

export const uploads: PastUpload[] = [
  // Updated after the next one was made: `latest` is the one with the most recent changes, this one.
  { no: 1, created: '2026-03-14T08:50:37.192Z', modified: '2026-03-19T11:05:22.480Z', synchronization: 7 },
  { no: 2, created: '2026-03-18T14:31:09.650Z', modified: '2026-03-18T14:31:09.650Z', synchronization: 7 },
  { no: 3, created: '2026-03-23T09:09:54.011Z', modified: '2026-03-23T09:09:54.011Z', synchronization: 8 },
  { no: 4, created: '2026-06-27T10:22:18.736Z', modified: '2026-06-27T10:22:18.736Z', synchronization: 13 },
]

const created: PlanStep[] = [{ state: 'CREATED' }]

export const sendings: PastSending[] = [
  {
    no: 1,
    created: '2026-02-24T15:00:12.308Z',
    synchronization: 5,
    transactionId: 'charts-and-lanterns-staff-2026-02-24',
    plan: created,
  },
  { no: 2, created: '2026-02-26T08:00:00.000Z', synchronization: 4, transactionId: null, plan: created },
  {
    no: 3,
    created: '2026-03-04T09:00:03.417Z',
    synchronization: 3,
    transactionId: 'spring-launch-2026-03-04',
    plan: created,
  },
  {
    no: 4,
    created: '2026-03-09T05:30:01.250Z',
    synchronization: 6,
    transactionId: 'commuter-week-2026-03-09',
    plan: [{ state: 'PENDING', times: 2 }, { state: 'FAILED' }],
    since: '2026-03-09T05:30:31.870Z',
  },
  {
    no: 5,
    created: '2026-03-09T05:32:40.993Z',
    synchronization: 6,
    transactionId: 'commuter-week-2026-03-09.second',
    plan: [{ state: 'FAILED' }],
    orphan: true,
  },
  {
    no: 6,
    created: '2026-03-09T05:37:15.004Z',
    synchronization: 6,
    transactionId: 'commuter-week-2026-03-09.third',
    plan: created,
  },
  {
    no: 7,
    created: '2026-03-11T10:15:42.771Z',
    synchronization: 3,
    transactionId: 'spring-launch-reminder-2026-03-11',
    name: 'Spring launch, reminder',
    subject: 'Still time for a test ride on Saturday',
    plan: created,
  },
  {
    no: 8,
    created: '2026-03-20T12:04:56.389Z',
    schedule: '2026-03-28T05:30:00.000Z',
    synchronization: 7,
    transactionId: 'ostern-2026',
    plan: created,
  },
  {
    no: 9,
    created: '2026-03-30T07:00:08.626Z',
    synchronization: 9,
    transactionId: 'easter-workshops-2026-03-30',
    plan: [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
  },
  {
    no: 10,
    created: '2026-04-02T07:00:09.148Z',
    synchronization: 9,
    transactionId: 'easter-workshops-last-places-2026-04-02',
    name: 'Easter holiday workshops, last places',
    plan: [{ state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }],
  },
  {
    no: 11,
    created: '2026-05-08T16:45:30.517Z',
    synchronization: 10,
    transactionId: 'riverside-ride-2026-05-08',
    plan: [{ state: 'PENDING' }],
    attempts: 4,
  },
  {
    no: 12,
    created: '2026-05-15T06:15:00.731Z',
    synchronization: 11,
    transactionId: 'erdbeeren:2026-05-15',
    plan: created,
  },
  {
    no: 13,
    created: '2026-06-05T09:41:17.862Z',
    schedule: '2035-06-01T07:00:00.000Z',
    synchronization: 12,
    transactionId: 'the-glace-2035-06-01',
    plan: created,
  },
  { no: 14, created: '2026-06-30T13:20:05.099Z', synchronization: 13, transactionId: null, plan: created },
]
