import type { Answer } from './answer.ts'
import type { ServiceContext } from './call.ts'
import type { Input } from './operations.ts'
import { platformMailing, platformSending } from './platform.ts'
import { personalize, versionOf } from './preview.ts'
import { problems } from './problem.ts'
import { synchronizationOf, tied } from './synchronizations.ts'
import { instant } from './time.ts'

/** Sends a version to test addresses at once (documented beyond the spec): 202, no body. */
export async function createTestSending(
  c: ServiceContext,
  { body }: Input<'createTestSending'>,
): Promise<Answer> {
  const { space, cause } = c.env
  const [synchronization, mailing, list] = tied(space.data.tables, synchronizationOf(c))
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
  const content = versionOf(mailing, body.kind ?? 'latest')

  const now = instant(space.clock.now())
  const made = platformMailing(space, synchronization, {
    origin: 'test-sending',
    content,
    subject: (body.subjectPrefix ?? '') + personalize(content.subject, profile),
    approvedAt: now,
    now,
    cause,
  })
  const addresses = group?.emails ?? body.recipientAddresses!
  await space.data.save({
    platformMailings: [made],
    platformSendings: [platformSending(space, { mailing: made, startsAt: null, addresses, now, cause })],
  })
  return { status: 202, headers: { 'Content-Length': '0' }, body: '' }
}
