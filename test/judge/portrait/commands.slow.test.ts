import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Portrait } from '../../../src/judge/portrait/portrait-shape.ts'
import { pythonWith } from '../../examples/runtimes.ts'
import { titleOr } from '../../not-run.ts'
import { run, temporaryDirectory } from '../../process.ts'

const client = join(import.meta.dirname, '../../../examples/clients/python/send_mailing.py')

/** Each of these after each two others: no plan of depth 1 shows what a client does then. */
const troubles = [
  '500-sent',
  'reset-nothing',
  'told-pending',
  'told-failed',
  'json-pending',
  'limited-nothing',
]
const unseen = troubles.flatMap((first, at) =>
  troubles.map((second, nth) => `${first}+${second}+${troubles[(at + 2 * nth) % troubles.length]}`),
)

const python3 = pythonWith()

test.skipIf(!python3)(
  titleOr(
    'the portrait of the warm Python client agrees with the document in each row and predicts 99 % of what it does in longer plans',
    python3 ? undefined : 'there is no python3 here',
  ),
  { timeout: 300_000 },
  async () => {
    using place = temporaryDirectory()
    const [learned, later] = [place.at('learned.json'), place.at('later.json')]
    const exam = ['exam', '--warm', '--jobs', '3']
    const command = ['--', python3!, client]
    const portraitIn = (file: string): Portrait => JSON.parse(readFileSync(file, 'utf8'))
    await run([...exam, '--depth', '1', '--only', 'happy-path', '--portrait', learned, ...command])
    const { situations } = portraitIn(learned)
    expect(situations.filter(it => it.isExplained !== 'yes')).toEqual([])
    expect(situations.flatMap(({ rows }) => rows.filter(it => it.objection !== null))).toEqual([])
    const plans = ['--plan', unseen.join(',')]
    await run([...exam, ...plans, '--portrait-of', learned, '--portrait', later, ...command])
    const { predicted, changes } = portraitIn(later)
    expect(predicted!.decisions).toBeGreaterThan(100)
    expect(predicted!.right).toBeGreaterThanOrEqual(0.99)
    expect(changes).toEqual([])
  },
)
