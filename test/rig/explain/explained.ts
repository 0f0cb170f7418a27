import type { TestMock } from '../../mock.ts'
import { journalCalls } from '../requests/journal-calls.ts'

/** As `GET …/requests/{id}` explains an answer. */
export interface Explained {
  readonly summary: string
  readonly why: string[]
  readonly done: string[]
  readonly told: string[]
  readonly change: string[]
}

/** The explanation of the latest request, or of the one with this number. */
export async function explained(mock: TestMock, number?: number): Promise<Explained> {
  const entry = mock
    .rig()
    .journal.entries()
    .find(it => it.number === number)
  return (await journalCalls(mock).get(entry?.id)).explanation
}
