import type { Interview } from '../exchanges.ts'
import { customers, embedded, nowhere, type Scene, synchronizations } from './scene.ts'

export async function askSynchronizations(it: Interview, { ready, draftOnly }: Scene): Promise<void> {
  await it.ask({ name: 'ready', summary: 'Its mailing is approved', at: synchronizations(it, `/${ready}`) })
  await it.ask({
    name: 'draft',
    summary: 'Its mailing is a draft',
    at: synchronizations(it, `/${draftOnly}`),
  })
  await it.ask({ name: 'unknown', summary: 'There is none', at: synchronizations(it, `/${nowhere}`) })
  const first = await it.ask({
    name: 'firstPage',
    summary: 'Another page follows',
    at: synchronizations(it, '?readyForSending=true&pageSize=2'),
  })
  const { mailingId } = embedded(first)[0]
  await it.ask({
    name: 'lastPage',
    summary: 'The last page of an incremental synchronization',
    at: synchronizations(it, `?syncModifications=true&mailingId=${mailingId}`),
  })
  await it.ask({
    name: 'sorted',
    summary: 'Sorted modifications',
    at: synchronizations(it, '?syncModifications=true&sortBy=mailingName'),
  })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: synchronizations(it, '?cursor=stale') })
}

export async function askSendings(it: Interview, { repeated }: Scene): Promise<void> {
  const at = synchronizations(it, `/${repeated}/sendings`)
  await it.ask({ name: 'created', summary: 'Those that are CREATED', at })
  const all = await it.ask({
    name: 'allStates',
    summary: 'In whatever state',
    at: `${at}?includeAllStates=true&pageSize=2`,
  })
  const failed: string = embedded(all)[0].id
  const { answer } = await it.look({ at })
  const sent: string = embedded(answer)[0].id
  await it.ask({ name: 'flag', summary: 'Neither true nor false', at: `${at}?includeAllStates=1` })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: `${at}?cursor=stale` })
  await it.ask({
    name: 'unknown',
    summary: 'There is no such synchronization',
    at: synchronizations(it, `/${nowhere}/sendings`),
  })
  await it.ask({ name: 'created', summary: 'The mailing was sent', at: `${at}/${sent}` })
  await it.ask({ name: 'failed', summary: 'The mailing was not sent', at: `${at}/${failed}` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${nowhere}` })
  await it.ask({ name: 'sent', summary: 'Long after it was sent', at: `${at}/${sent}/statistics` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${nowhere}/statistics` })
}

export async function askMailings(it: Interview): Promise<void> {
  const at = '/mailings'
  const some = await it.ask({
    name: 'firstPage',
    summary: 'Approved ones; another page follows',
    at: `${at}?isApproved=true&pageSize=2`,
  })
  await it.ask({
    name: 'neither',
    summary: 'Filters that exclude each other',
    at: `${at}?isApproved=false&hasDraft=false`,
  })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: `${at}?cursor=stale` })
  await it.ask({ name: 'mailing', summary: 'A mailing', at: `${at}/${embedded(some)[0].id}` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${nowhere}` })
}

export async function askCustomers(it: Interview): Promise<void> {
  await it.ask({ name: 'customers', summary: 'All', at: customers(it) })
  await it.ask({ name: 'size', summary: 'No size', at: customers(it, '?pageSize=0') })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: customers(it, '?cursor=stale') })
  await it.ask({ name: 'customer', summary: 'A customer', at: customers(it, '/lindenau') })
  await it.ask({ name: 'unknown', summary: 'There is none', at: customers(it, '/nobody') })
  const lists = customers(it, '/lindenau/lists')
  await it.ask({ name: 'permitted', summary: 'Those that the space may use', at: lists })
  await it.ask({ name: 'all', summary: 'All of the customer', at: `${lists}?showAllLists=true` })
  await it.ask({ name: 'flag', summary: 'Neither true nor false', at: `${lists}?showAllLists=1` })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: `${lists}?cursor=stale` })
  await it.ask({ name: 'unknown', summary: 'No such customer', at: customers(it, '/nobody/lists') })
  await it.ask({ name: 'list', summary: 'A list', at: `${lists}/2001` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${lists}/1001` })
}
