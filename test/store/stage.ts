import { afterEach, beforeEach, expect } from 'vitest'
import { type Disk, systemDisk } from '../../src/store/disk.ts'
import { diskFiles } from '../../src/store/disk-files.ts'
import type { Durability, Files } from '../../src/store/files.ts'
import type { Fixture } from '../../src/store/rows.ts'
import { ids, type Json, startMock, synchronizationPath, type TestMock } from '../mock.ts'
import { temporaryDirectory } from '../process.ts'

/** A mock in this process on a directory of its own, and what its clients were told. */
export function useStage() {
  let directory: ReturnType<typeof temporaryDirectory>
  const opened: Files[] = []
  beforeEach(() => {
    directory = temporaryDirectory()
  })
  afterEach(async () => {
    for (const files of opened.splice(0)) await files.close()
    directory[Symbol.dispose]()
  })

  return {
    data: (...names: string[]) => directory.at(...names),
    /** Starts a mock on the data. */
    async start(
      disk: Disk = systemDisk,
      durability: Durability = 'os',
      at = directory.path,
      fixture: (base: Fixture) => Fixture = base => base,
    ): Promise<TestMock> {
      const files = await diskFiles(at, durability, disk)
      opened.push(files)
      return startMock({ files, fixture, report: () => {} })
    },
    /** Leaves things as a killed process does: nothing is written at the end, the lock falls. */
    async kill() {
      await opened.pop()!.close()
    },
    async killAll() {
      for (const files of opened.splice(0)) await files.close()
    },
    /** Stops a mock in order. */
    async stop(mock: TestMock) {
      opened.pop()
      await mock.spaces.close()
    },
  }
}

/** Asks for a sending. */
export const send = (mock: TestMock, transactionId: string, user = 'demo', more: object = {}) =>
  mock.as(user).post(synchronizationPath(ids.ready, '/sendings'), { transactionId, ...more })

/** The sendings of a space that clients of the test have made, as a client sees them. */
export async function listed(mock: TestMock, user = 'demo'): Promise<string[]> {
  const found: string[] = []
  let path: string | undefined = synchronizationPath(ids.ready, '/sendings')
  while (path !== undefined) {
    const { status, json }: { status: number; json: Json } = await mock.as(user).get(path)
    expect(status).toBe(200)
    for (const { transactionId } of json._embedded['svc:sendings']) found.push(transactionId)
    path = json._links.next?.href
  }
  return found.sort()
}

/**
 * Holds a mock against what its clients were told: exactly these transactions are there, each with one platform mailing and one
 * platform sending.
 */
export function expectExactly(mock: TestMock, told: Iterable<string>, space = 'demo'): void {
  const { tables } = mock.space(space).data
  const made = [...tables.sendings.changes()].map(({ row }) => row)
  expect(made.map(it => it.transactionId).sort()).toEqual([...told].sort())
  const platformSendings = [...tables.platformSendings.changes()].map(({ row }) => row)
  const platformMailings = [...tables.platformMailings.changes()].map(({ row }) => row)
  expect(platformSendings.map(it => it.id).sort()).toEqual(made.map(it => it.platformSendingId).sort())
  expect(platformMailings.map(it => it.id).sort()).toEqual(made.map(it => it.platformMailingId).sort())
  for (const { id, transactionId, synchronizationId } of made)
    expect(tables.sendingOfTransaction(synchronizationId, transactionId!)?.id).toBe(id)
}
