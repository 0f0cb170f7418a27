import { pageTable } from '../../src/pages/page-table.ts'
import { relations } from '../../src/pages/relation-page.tsx'
import { ids, synchronizationPath } from '../mock.ts'
import type { Tester } from '../rig/control/tester.ts'

/** The address of each page of the table, below `/_mock`, with something to see; its request is one that created a sending. */
export async function everyPage(tester: Tester): Promise<{ path: string; address: string }[]> {
  const made = await tester
    .as('demo')
    .post(synchronizationPath(ids.ready, '/sendings'), { transactionId: 'page-1' })
  const asked = await tester.get('/spaces/demo/requests?operation=createSending')
  const exam = await tester.post('/exams', { only: ['reset-after'] })
  const examples: Record<string, (path: string) => string> = {
    space: () => 'demo',
    id: path =>
      /requests/.test(path)
        ? asked.json._embedded.requests[0].id
        : /mailings/.test(path)
          ? ids.mailing.both
          : /sendings/.test(path)
            ? made.json.id
            : '',
    exam: () => exam.json.id,
    rel: () => [...relations.keys()][0]!,
    document: () => 'control',
    operation: () => 'createSending',
    name: path => (/problems/.test(path) ? 'not-found' : 'happy-path'),
  }
  return pageTable.map(({ path }) => {
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => examples[name]?.(path) || '')
    if (/\/\/|.\/$/.test(address)) throw new Error(`what stands for a parameter of ${path}?`)
    return { path, address }
  })
}
