import type { Interview } from '../exchanges.ts'
import { embedded, nowhere, type Scene, synchronizations } from './scene.ts'

export async function askForTests(it: Interview, { ready, draftOnly }: Scene): Promise<void> {
  const of = (rest: string, id = ready) => synchronizations(it, `/${id}/${rest}`)
  const profiles = await it.ask({ name: 'profiles', summary: 'All', at: of('test-profiles') })
  await it.ask({ name: 'size', summary: 'No size', at: of('test-profiles?pageSize=0') })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: of('test-profiles?cursor=stale') })
  await it.ask({ name: 'unknown', summary: 'There is none', at: of('test-profiles', nowhere) })
  const groups = await it.ask({ name: 'groups', summary: 'All', at: of('test-mail-groups') })
  await it.ask({ name: 'size', summary: 'No size', at: of('test-mail-groups?pageSize=0') })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: of('test-mail-groups?cursor=stale') })
  await it.ask({ name: 'unknown', summary: 'There is none', at: of('test-mail-groups', nowhere) })

  const testProfileId: number = embedded(profiles)[0].id
  const testMailGroupId: number = embedded(groups)[0].id
  await it.ask({
    name: 'personalized',
    summary: 'With a test profile',
    at: of(`preview?testProfileId=${testProfileId}`),
  })
  await it.ask({ name: 'kind', summary: 'An unknown kind', at: of('preview?kind=newest') })
  await it.ask({
    name: 'version',
    summary: 'A version that is not there',
    at: of('preview?kind=lastApproved', draftOnly),
  })
  const send = { method: 'POST', at: of('test-sendings') } as const
  await it.ask({
    ...send,
    name: 'group',
    summary: 'To a test-mail group',
    body: { testMailGroupId, testProfileId, subjectPrefix: '[Test] ' },
  })
  await it.ask({
    ...send,
    name: 'addresses',
    summary: 'To addresses',
    body: { recipientAddresses: ['reader@example.org'], kind: 'latest' },
  })
  await it.ask({ ...send, name: 'both', summary: 'Neither group nor addresses', body: {} })
  await it.ask({ ...send, name: 'malformed', summary: 'No JSON', body: '{"testMailGroupId": ' })
  await it.ask({
    ...send,
    name: 'version',
    summary: 'A version that is not there',
    at: of('test-sendings', draftOnly),
    body: { recipientAddresses: ['reader@example.org'], kind: 'lastApproved' },
  })
}

export async function askUploads(it: Interview, { withUploads }: Scene): Promise<void> {
  const at = synchronizations(it, `/${withUploads}/mailing-uploads`)
  await it.ask({ name: 'latest', summary: 'The latest', at: `${at}/latest` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${nowhere}` })
  const create = { method: 'POST', at } as const
  await it.ask({ ...create, name: 'created', summary: 'Created', body: {} })
  await it.ask({ ...create, name: 'empty', summary: 'Without a body', body: '' })
  await it.ask({
    ...create,
    name: 'unknown',
    summary: 'There is no such synchronization',
    at: synchronizations(it, `/${nowhere}/mailing-uploads`),
    body: {},
  })
}
