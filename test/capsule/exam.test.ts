import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readCapsule } from '../../src/control/capsule/capsule-file.ts'
import { runExam } from '../../src/index.ts'
import { describeDifference, replayCapsule } from '../../src/lib/capsule/replay.ts'
import { temporaryDirectory } from '../process.ts'
import { halType, synchronizationPath } from '../mock.ts'
import type { ClientCall } from '../../src/judge/exam/client.ts'

/** Tries three times with another transaction ID each, and reports what it was told last. */
async function carelessClient({ url, user, password, synchronizationId, scheduleDate }: ClientCall) {
  for (let nth = 0; nth < 3; nth++) {
    const response = await fetch(url + synchronizationPath(synchronizationId, '/sendings'), {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
        'content-type': halType,
      },
      body: JSON.stringify({ transactionId: `${nth}-${Math.random()}`, scheduleDate }),
      signal: AbortSignal.timeout(30_000),
    }).catch(() => undefined)
    if (response?.ok) return 'sent' as const
    await new Promise(resolve => setTimeout(resolve, 5_000))
  }
  return 'not-sent' as const
}

it('exam', async () => {
  using directory = temporaryDirectory()
  const folder = directory.at('found')
  const result = await runExam({ client: carelessClient, depth: 1, capsules: folder })
  const files = readdirSync(folder)
  console.log(result.failed, files.length, result.causes.map(it => it.case.capsule))
  for (const file of files) {
    const bytes = readFileSync(`${folder}/${file}`)
    const capsule = readCapsule(bytes, file)
    await using played = await replayCapsule(capsule)
    console.log(file, bytes.length, capsule.history.lost, capsule.requests.length, capsule.verdict.outcome, played.difference && describeDifference(played.difference, capsule))
  }
})
