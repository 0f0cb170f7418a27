import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ExamResult } from '../../../src/judge/exam/exam-result.ts'
import { jointTroubles, orderPlanName } from '../../../src/judge/orders/order-plans.ts'
import { run, temporaryDirectory } from '../../process.ts'

const clientFile = (name: string) => join(import.meta.dirname, `clients/${name}.mjs`)

/** Plays orders of two workers, those of the plans or all. */
async function examined(client: string, ...options: readonly string[]) {
  using folder = temporaryDirectory()
  const json = join(folder.path, 'result.json')
  const { code, output, errors } = await run([
    ...['exam', '--workers', '2', '--module', '--json', json, ...options],
    ...['--', client],
  ])
  expect(existsSync(json), errors).toBe(true)
  const text = readFileSync(json, 'utf8')
  return { code, output, text, result: JSON.parse(text) as ExamResult }
}

/** Clients with one mistake each, the plan whose orders show it, and the smallest of them. */
const pairs = [
  ['no-lock', 'looks whether it was sent, and has no lock', 'sent-too-often', 'undisturbed', '3start'],
  [
    'released-early',
    'releases its lock before it stores the outcome',
    'sent-too-often',
    'undisturbed',
    '5start',
  ],
  ['own-id', 'makes an ID of its own when it has the lock', 'sent-too-often', 'undisturbed', 'in-turn'],
  ['early-takeover', 'takes the lock over too early', 'sent-too-often', 'slow-29s-sent', '1x1.1-2start'],
  ['takeover-new-id', 'takes the lock over with a new ID', 'sent-too-often', 'killed', '4k1'],
  ['stale-read', 'reads the store before it has the lock', 'sent-too-often', 'undisturbed', '4start'],
  ['lock-by-name', 'looks for the lock and makes it in two calls', 'sent-too-often', 'undisturbed', '1start'],
  [
    'short-expiry',
    'has a lock that expires within a request',
    'sent-too-often',
    'slow-61s-sent',
    '2x1.1-5start',
  ],
  [
    'both-go-on',
    'waits, as the other one does, and both go on',
    'sent-too-often',
    'undisturbed',
    '1start-10t2.0',
  ],
  ['reads-failed', 'reads FAILED while the other one sends', 'wrong-belief', 'told-failed', '3x1.1'],
] as const

describe.concurrent('mailing-sync-mock exam --workers 2', () => {
  test.each(pairs)('exam --workers 2 finds %s, which %s, as %s', async (name, _, rule, trouble, order) => {
    const plan = `two-workers:${trouble}`
    const { code, result } = await examined(clientFile(name), '--plan', plan)
    expect(code).toBe(1)
    expect(result.orders).toMatchObject({ divergence: null, plans: [{ plan, isComplete: true }] })
    expect(result.causes.map(it => [it.rule, it.plan?.name, it.plan?.confirmed])).toEqual([
      [rule, `${plan}@${order}`, 3],
    ])
    const { lanes } = result.causes[0]!.plan!
    const isDouble = rule === 'sent-too-often'
    expect(new Set(lanes!.lines.map(({ worker }) => worker)).size).toBe(2)
    expect(lanes!.both !== null).toBe(isDouble)
  })

  test('exam --workers 2 plays the smallest order of a mistake again by its name, and by the file of --corpus', async () => {
    using folder = temporaryDirectory()
    const client = clientFile('lock-by-name')
    const all = await examined(client, '--plan', 'two-workers:undisturbed', '--corpus', folder.path)
    const { name } = all.result.causes[0]!.plan!
    expect(all.output).toContain(`--plan ${name}`)
    for (const plan of [name, join(folder.path, 'two-workers---undisturbed@1start.yaml')]) {
      const again = await examined(client, '--plan', plan)
      expect(again.result.orders).toMatchObject({ runs: 1, plans: [{ failed: 1 }] })
      expect(again.result.causes[0]!.plan!.lanes).toEqual(all.result.causes[0]!.plan!.lanes)
    }
  })

  test('exam --workers 2 writes the same bytes when it is run again', async () => {
    const plans = ['--plan', 'two-workers:undisturbed,two-workers:killed,two-workers:500-sent']
    const [one, other] = [
      await examined(clientFile('no-lock'), ...plans),
      await examined(clientFile('no-lock'), ...plans),
    ]
    expect(one.text).toBe(other.text)
    expect(one.output).toBe(other.output)
  })

  test('exam --workers 2 writes a receipt, and --check plays its orders again', async () => {
    using folder = temporaryDirectory()
    const receipt = join(folder.path, 'receipt.json')
    const client = clientFile('no-lock')
    const plan = 'two-workers:undisturbed'
    await run(['exam', '--workers', '2', '--module', '--plan', plan, '--receipt', receipt, '--', client])
    const annotations = JSON.parse(readFileSync(receipt, 'utf8')).predicate.configuration[0].annotations
    expect(annotations).toMatchObject({ settings: { workers: 2, plans: [plan] }, counts: { plans: 1 } })
    expect(Object.keys(annotations.traces)).toEqual([`orders of ${plan}`])
    const again = await run(['exam', '--check', receipt, '--', client])
    expect(again.output).toContain(`${receipt} is confirmed.`)
    const other = await run(['exam', '--check', receipt, '--', clientFile('lock-by-name')])
    expect(other.output).toContain(`what the client did in the orders of ${plan} is not the same`)
    expect([again.code, other.code]).toEqual([0, 1])
  })

  test('exam --workers 2 does not accuse a client with one transaction ID for all workers', async () => {
    const { code, result } = await examined(clientFile('right'), '--depth', '0')
    expect(result).toMatchObject({ isPassed: true, causes: [], orders: { divergence: null } })
    expect(code).toBe(0)
  })

  test('exam --workers 2 shows the moment at which both workers took the mailing for theirs', async () => {
    const { output } = await examined(clientFile('lock-by-name'), '--plan', 'two-workers:undisturbed')
    expect(output).toMatch(/worker 1 +worker 2\n/)
    expect(output).toContain('-- from here on both took the mailing for theirs --')
  })

  test('exam --workers 2 plays the calls of node:fs that are promises, callbacks and methods of handles one by one', async () => {
    const { result } = await examined(clientFile('every-call'), '--plan', 'two-workers:undisturbed@in-turn')
    const { lines } = result.causes[0]!.plan!.lanes!
    const calls = lines.filter(({ worker }) => worker === 1).map(({ what }) => what)
    expect(calls).toEqual(
      expect.arrayContaining([
        'writeFile promise',
        'readFile promise',
        'open handle',
        'writeFile handle',
        'appendFile callback',
        'readdir the store',
        'stat missing (ENOENT)',
      ]),
    )
    expect(calls.join()).not.toContain('elsewhere')
  })

  test.each([
    ['lock', 0, []],
    ['no-lock', 1, [['sent-too-often', 'two-workers:undisturbed@1start', 3]]],
  ] as const)(
    'exam --workers 2 --warm plays two processes of a client with one store: %s',
    async (way, exit, causes) => {
      using folder = temporaryDirectory()
      const json = join(folder.path, 'result.json')
      const command = ['python3', join(import.meta.dirname, 'clients/one_mailing.py'), way]
      const plans = 'two-workers:undisturbed,two-workers:hang-sent'
      const { code, output } = await run([
        ...[
          'exam',
          '--workers',
          '2',
          '--warm',
          '--speed',
          '10',
          '--plan',
          plans,
          '--json',
          json,
          '--',
          ...command,
        ],
      ])
      const result = JSON.parse(readFileSync(json, 'utf8')) as ExamResult
      expect(result.causes.map(it => [it.rule, it.plan?.name, it.plan?.confirmed])).toEqual(causes)
      expect(result.orders!.plans.map(({ isComplete }) => isComplete)).toEqual([true, true])
      expect(code).toBe(exit)
      if (exit === 1) expect(output).toContain('-- from here on both took the mailing for theirs --')
    },
  )

  test('exam --workers 2 holds nothing against a client whose orders cannot be followed, and counts them', async () => {
    const client = join(import.meta.dirname, 'clients/drawing.mjs')
    const { code, output } = await run([
      ...[
        'exam',
        '--workers',
        '2',
        '--warm',
        '--plan',
        'two-workers:undisturbed',
        '--',
        process.execPath,
        client,
      ],
    ])
    expect(output).toMatch(/The client is not deterministic: \d+ of \d+ orders could not be followed/)
    expect(output).toContain('nothing found')
    expect(code).toBe(0)
  })

  test('exam --workers 2 refuses a command that is started for each mailing, a warm one that waits by itself, and plans of one worker', async () => {
    const asCommand = await run(['exam', '--workers', '2', '--', 'node', clientFile('right')])
    expect(asCommand.errors).toContain('two workers need a client whose steps can be told apart: a module')
    const single = await run([
      'exam',
      '--workers',
      '2',
      '--plan',
      'undisturbed',
      '--module',
      '--',
      clientFile('right'),
    ])
    expect(single.errors).toContain('"undisturbed" is no plan of two workers')
    expect([asCommand.code, single.code]).toEqual([2, 2])
  })
})

const names = jointTroubles.map(trouble => orderPlanName({ trouble, turns: undefined }))

test.each([
  ['without trouble', names.slice(0, 1)],
  ['in which one of them is killed', names.slice(1, 2)],
  ['in which a wait ends before an answer', names.slice(2, 3)],
  ['with one trouble', names.slice(3)],
])('the reference client survives every order of two workers %s', async (_, plans) => {
  const { code, result } = await examined(clientFile('reference'), '--plan', plans.join())
  expect(result.causes).toEqual([])
  expect(result.orders).toMatchObject({ divergence: null, inconclusive: 0 })
  expect(result.orders!.plans.filter(it => !it.isComplete)).toEqual([])
  expect(code).toBe(0)
})
