import type { Names } from '../../../service/links.ts'
import { type Ask, type Exchange, Interview } from '../exchanges.ts'
import { configureLists, createSendings, createSynchronizations } from './changing.ts'
import { askCustomers, askMailings, askSendings, askSynchronizations } from './reading.ts'
import { beRefused } from './refusals.ts'
import { setScene } from './scene.ts'
import { askForTests, askUploads } from './testing.ts'

/** Asks for everything that the document shows an example of, always in the same order. */
export async function exchanges(ask: Ask, names: Names): Promise<readonly Exchange[]> {
  const it = new Interview(ask, names)
  const scene = await setScene(it)
  await askSynchronizations(it, scene)
  await askSendings(it, scene)
  await askForTests(it, scene)
  await askUploads(it, scene)
  await askMailings(it)
  await askCustomers(it)
  await beRefused(it, scene)
  await createSendings(it, scene)
  await createSynchronizations(it)
  await configureLists(it)
  return it.exchanges
}
