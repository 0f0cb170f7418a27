import { escapeToBuffer } from 'hono/utils/html'
import { z } from 'zod'
import type { List, Mailing, Synchronization, TestMailGroup, TestProfile, Version } from '../store/rows.ts'
import { assumed, documented, specified } from './claim.ts'
import { type DialValues, defaultDials } from './dials.ts'
import { latestVersion } from './mailings.ts'
import {
  misspeltSynchronizationsPath,
  operation,
  type ServiceContext,
  synchronizationsPath,
  withSlash,
} from './operation.ts'
import { pageAnswer, pageParameters, pageQuery, takePage, walkByCreation } from './paging.ts'
import { makePlatformMailing, makePlatformSending } from './platform.ts'
import { problems } from './problem.ts'
import { integerText, listNumber } from './request-input.ts'
import {
  type Collection,
  collection,
  member,
  numericId,
  type Rendered,
  resource,
  selfLink,
} from './resource.ts'
import { type Answer, formatDateTime, halAnswer } from './response.ts'
import { findSynchronization, joinRows, refuseWithoutParts } from './synchronizations.ts'

/** Which version of a mailing to show (spec 4.7; the values besides `latest` are documented beyond it). */
const previewKind = z.enum(['latest', 'draft', 'lastApproved'], 'expected latest, draft or lastApproved')
export type PreviewKind = z.output<typeof previewKind>

/** @throws Problem 404 when the mailing has no such version */
function findVersion(mailing: Mailing, kind: PreviewKind): Version {
  const { draft, approved } = mailing
  const version = { latest: latestVersion(mailing), draft, lastApproved: approved }[kind]
  if (!version)
    throw problems.notFound(`${kind === 'draft' ? 'draft' : 'approved'} version of mailing ${mailing.id}`)
  return version
}

const placeholder = /\{\{(\w+)(?:\|([^{}]*))?\}\}/g

function escapeHtml(text: string): string {
  const buffer: [string] = ['']
  escapeToBuffer(text, buffer)
  return buffer[0]
}

/** Fills the placeholders: from the profile, else with the placeholder's own default. */
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

/** A version as its recipient sees it. Spec 2.6. */
export const renderVersion = (version: Version, profile?: TestProfile) => ({
  htmlContent: personalize(version.html, profile, escapeHtml),
  textContent: personalize(version.text, profile),
  subject: personalize(version.subject, profile),
})

export const previewForm = resource<
  [synchronization: Synchronization, version: Version, profile: TestProfile | undefined]
>()({
  name: 'Preview',
  section: '2.6',
  members: {
    htmlContent: member(z.string(), 'A preview has the HTML part of the mailing.'),
    textContent: member(z.string(), 'A preview has the text part of the mailing.'),
    subject: member(z.string(), 'A preview has the subject of the mailing.'),
  },
  values: (_, _synchronization, version, profile) => renderVersion(version, profile),
  links: { self: selfLink((links, { id }) => links.preview(id), '', 'template') },
  linksSay: 'The self link is a template with optional testProfileId and kind.',
})

export const testProfileForm = resource<[TestProfile]>()({
  name: 'TestProfile',
  section: '2.7',
  members: {
    id: member(numericId, 'A test profile has its ID as a number.'),
    description: member(z.string(), 'A test profile has a description.'),
  },
  values: (_, { id, description }) => ({ id, description }),
  claims: documented({
    'S items without links':
      'Test profiles and test-mail groups stand in their collections without links, also without one to themselves.',
  }),
})

export const testProfileCollection = collection('4.8', 'test-profiles', testProfileForm)

export const testMailGroupForm = resource<[TestMailGroup]>()({
  name: 'TestMailGroup',
  kind: 'test-mail group',
  section: '2.8',
  members: {
    id: member(numericId, 'A test-mail group has its ID as a number.'),
    name: member(z.string(), 'A test-mail group has a name.'),
    emails: member(z.array(z.email()), 'A test-mail group has the e-mail addresses of its members.'),
  },
  values: (_, { id, name, emails }) => ({ id, name, emails }),
})

export const testMailGroupCollection = collection('4.9', 'test-mail-groups', testMailGroupForm)

export const getPreview = operation({
  method: 'GET',
  path: `${synchronizationsPath}/:syncId/preview`,
  alsoAt: [withSlash(`${synchronizationsPath}/:syncId/preview`)],
  tag: 'Testing',
  summary: 'Retrieve a preview',
  claim: specified('4.7', 'GET on the preview of a synchronization answers with it.'),
  parameters: {
    syncId: [specified('4.7 id', 'The path names the synchronization by its ID.')],
    kind: [
      specified('4.7 kind', 'kind is latest when it is not given.'),
      documented('S preview kind', 'kind is latest, draft or lastApproved.'),
      assumed(
        'S preview kind missing',
        'An unknown kind is 400, and a version that the mailing does not have 404.',
      ),
    ],
    testProfileId: [
      specified('4.7 testProfileId', 'A test profile, if named, personalizes the preview.'),
      assumed('S preview unknown profile', 'A test profile that does not exist is 404.'),
    ],
  },
  query: z.object({ kind: previewKind.default('latest'), testProfileId: integerText.optional() }),
  answers: [{ status: 200, cites: ['4.7', 'S 200'], shows: previewForm }],
  claims: [
    documented('S preview self', 'The self link ends in preview{?testProfileId,kind}.'),
    'S no curies',
  ],
  handle(c, { query }) {
    const { space, links, dials } = c.env
    const [synchronization, mailing, list] = joinRows(space.data.tables, findSynchronization(c))
    const version = findVersion(mailing, query.kind)
    const profile = list.testProfiles.find(({ id }) => id === query.testProfileId)
    if (query.testProfileId !== undefined && !profile)
      throw problems.notFound(
        `test profile ${query.testProfileId} for mailing synchronization ${synchronization.id}`,
      )
    return halAnswer(previewForm.render(links, dials, synchronization, version, profile))
  },
})

const bothSpellings =
  'The path is spelt as in the example request; the misspelt path in the heading of the document is accepted as well.'

export const listTestProfiles = operation({
  method: 'GET',
  path: `${synchronizationsPath}/:syncId/test-profiles`,
  alsoAt: [
    withSlash(`${synchronizationsPath}/:syncId/test-profiles`),
    { path: `${misspeltSynchronizationsPath}/:syncId/test-profiles`, cites: '4.8 spelling' },
    { path: `${misspeltSynchronizationsPath}/:syncId/test-profiles/`, cites: '4.8 spelling' },
  ],
  tag: 'Testing',
  summary: 'List the test profiles of a synchronization',
  claim: specified('4.8', 'GET answers 200 with the profiles embedded as svc:test-profiles and a self link.'),
  parameters: {
    syncId: [specified('4.8 id', 'The path names the synchronization by its ID.')],
    ...pageParameters(),
  },
  query: pageQuery,
  answers: [{ status: 200, cites: ['4.8', 'S default order'], shows: testProfileCollection }],
  claims: [assumed('4.8 spelling', bothSpellings)],
  handle(c, { query }) {
    return listOwned(c, query, testProfileCollection, list => list.testProfiles, testProfileForm)
  },
})

export const listTestMailGroups = operation({
  method: 'GET',
  path: `${synchronizationsPath}/:syncId/test-mail-groups`,
  alsoAt: [{ path: `${misspeltSynchronizationsPath}/:syncId/test-mail-groups`, cites: '4.9 spelling' }],
  tag: 'Testing',
  summary: 'List the test-mail groups of a synchronization',
  claim: specified(
    '4.9',
    'GET answers 200 with the groups embedded as svc:test-mail-groups and a self link.',
  ),
  parameters: {
    syncId: [specified('4.9 id', 'The path names the synchronization by its ID.')],
    ...pageParameters(),
  },
  query: pageQuery,
  answers: [{ status: 200, cites: ['4.9', 'S default order'], shows: testMailGroupCollection }],
  claims: [assumed('4.9 spelling', bothSpellings)],
  handle(c, { query }) {
    return listOwned(c, query, testMailGroupCollection, list => list.testMailGroups, testMailGroupForm)
  },
})

function listOwned<Row extends object>(
  c: ServiceContext,
  query: z.output<typeof pageQuery>,
  collection: Collection,
  ownedBy: (list: List) => readonly Row[],
  form: Rendered<[Row]>,
): Answer {
  const { space, rendered } = c.env
  const [synchronization, , list] = joinRows(space.data.tables, findSynchronization(c))
  const owned = ownedBy(list)
  const walk = walkByCreation(c, owned.length, n => owned[n]!)
  const { rows, next } = takePage(c, `${collection.relation} of ${synchronization.id}`, query, walk)
  const items = rows.map(row => rendered.resource(form, row))
  return pageAnswer(c, collection, items, next)
}

const testSendingBody = (dials: DialValues) =>
  z
    .object({
      testProfileId: listNumber.nullish(),
      recipientAddresses: z
        .array(
          z.email({
            error: 'expected an e-mail address',
            ...(dials['international-addresses'] === 'taken' && { pattern: z.regexes.unicodeEmail }),
          }),
        )
        .min(1, 'expected at least one e-mail address')
        .nullish(),
      testMailGroupId: z.int('expected the ID of a test-mail group').nullish(),
      kind: previewKind.nullish(),
      subjectPrefix: z.string('expected a string').nullish(),
    })
    .refine(body => (body.recipientAddresses == null) !== (body.testMailGroupId == null), {
      path: [],
      error: 'expected either recipientAddresses or testMailGroupId',
    })
    .meta({
      rule: {
        oneOf: [
          { required: ['recipientAddresses'], properties: { recipientAddresses: { type: 'array' } } },
          { required: ['testMailGroupId'], properties: { testMailGroupId: { type: 'integer' } } },
        ],
      },
    })

/** Sends a version to test addresses at once (documented beyond the spec): 202, no body. */
export const createTestSending = operation({
  method: 'POST',
  path: `${synchronizationsPath}/:syncId/test-sendings`,
  tag: 'Testing',
  summary: 'Send a version to test recipients',
  claim: documented('S test sending', 'POST on the test-sendings is answered 202 without a body.'),
  parameters: { syncId: ['S test sending'] },
  body: {
    name: 'TestSendingRequest',
    schema: testSendingBody(defaultDials),
    schemaFor: testSendingBody,
    members: {
      testProfileId: documented({
        'S test sending testProfileId': 'testProfileId is optional and personalizes the test mail.',
      }),
      recipientAddresses: [
        documented(
          'S test sending recipientAddresses',
          'recipientAddresses are the e-mail addresses it goes to.',
        ),
        assumed('S international addresses', 'Addresses with letters outside of ASCII are refused.'),
      ],
      testMailGroupId: documented({
        'S test sending testMailGroupId': 'testMailGroupId is the group it goes to, a number.',
      }),
      kind: [documented('S test sending kind', 'kind chooses the version as in a preview.')],
      subjectPrefix: [documented('S test sending subjectPrefix', 'subjectPrefix goes before the subject.')],
    },
  },
  means: 'nothing',
  answers: [{ status: 202, cites: ['S test sending'] }],
  problems: ['not-ready-for-sending'],
  claims: [
    documented(
      'S test sending rules',
      'Addresses and a group exclude each other, and what breaks a rule is refused.',
    ),
    assumed(
      'S test sending optional members',
      'Either addresses or a group is enough; kind is latest when absent, and there is no prefix without subjectPrefix.',
    ),
  ],
  handle(c, { body }) {
    const { space, cause } = c.env
    const [synchronization, mailing, list] = joinRows(space.data.tables, findSynchronization(c))
    refuseWithoutParts(space.data.tables, synchronization, mailing)
    const profile = list.testProfiles.find(({ id }) => id === body.testProfileId)
    if (body.testProfileId != null && !profile)
      throw problems.field(
        'testProfileId',
        `there is no test profile ${body.testProfileId} for this synchronization`,
      )
    const group = list.testMailGroups.find(({ id }) => id === body.testMailGroupId)
    if (body.testMailGroupId != null && !group)
      throw problems.field(
        'testMailGroupId',
        `there is no test-mail group ${body.testMailGroupId} for this synchronization`,
      )
    const content = findVersion(mailing, body.kind ?? 'latest')

    const now = formatDateTime(space.clock.now())
    const made = makePlatformMailing(space, synchronization, {
      origin: 'test-sending',
      content,
      subject: (body.subjectPrefix ?? '') + personalize(content.subject, profile),
      approvedAt: now,
      now,
      cause,
    })
    const addresses = group?.emails ?? body.recipientAddresses!
    space.data.save({
      platformMailings: [made],
      platformSendings: [
        makePlatformSending(space, { mailing: made, startsAt: null, addresses, now, cause }),
      ],
    })
    return { status: 202, headers: { 'Content-Length': '0' }, body: '' }
  },
})
