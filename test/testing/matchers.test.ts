import { expect as jestExpect } from 'expect'
import { afterAll, describe, expect, it, expect as vitestExpect } from 'vitest'
import { type Belief, createMock, runExam } from '../../src/index.ts'
import type { SpaceControl } from '../../src/lib/control-client.ts'
import { matchers, type SpaceMatchers } from '../../src/lib/matchers.ts'
import { mailingSyncTest } from '../../src/lib/vitest-fixture.ts'
import { halType, ids, now, synchronizationPath } from '../mock.ts'

declare module 'expect' {
  interface Matchers<R> extends SpaceMatchers<Promise<R>> {}
}

vitestExpect.extend(matchers)
jestExpect.extend(matchers)

const mock = await createMock({ now, frozen: true })
afterAll(() => mock.close())

const send = (space: SpaceControl, body: object, synchronization = ids.ready) =>
  mock
    .fetch(`http://mock${synchronizationPath(synchronization, '/sendings')}`, {
      method: 'POST',
      headers: { authorization: space.authorization, 'content-type': halType },
      body: JSON.stringify(body),
    })
    .catch(() => undefined)

/** The message of a failed expectation, without colours. */
async function failure(check: Promise<unknown>): Promise<string> {
  const error = await check.then(
    () => undefined,
    (reason: Error) => reason,
  )
  expect(error, 'it should have failed').toBeDefined()
  return error!.message
}

describe.each([
  ['vitest', vitestExpect],
  ['Jest', jestExpect],
])('the matchers in %s', (_, own) => {
  const expectSpace = (space: unknown) => own(space) as unknown as SpaceMatchers & { not: SpaceMatchers }

  it('count what was sent, whatever the client was told', async () => {
    const space = await mock.privateSpace()
    await expectSpace(space).toHaveSent(0)
    await space.arm('reset-after')
    await send(space, { transactionId: 'lost' })
    await expectSpace(space).toHaveSentExactlyOnce()
    await expectSpace(space).toHaveSentExactlyOnce(ids.ready)
    await expectSpace(space).toHaveSent(0, ids.both)
    await expectSpace(space).not.toHaveSentExactlyOnce(ids.both)
    await expectSpace(space).not.toHaveSent(2)
  })

  it('tell what went out, what the client was told, and what it did wrong', async () => {
    const space = await mock.privateSpace({ name: 'orders' })
    await space.arm('reset-after')
    await send(space, { transactionId: 'a' })
    await send(space, { transactionId: 'a', scheduleDate: '2099-01-01T00:00:00Z' })
    await send(space, {})
    const told = await failure(expectSpace(space).toHaveSentExactlyOnce(ids.ready))
    expect(told).toContain(
      `expected space "demo+orders" to have sent synchronization "${ids.ready}" exactly once; it was sent 2 times`,
    )
    expect(told).toMatch(
      /Sent:\n {2}2026-11-01T10:00:00.000Z {2}".+" to 12480 recipients, of synchronization \S+, by request r\S+, transactionId "a"\n.*no transactionId\n/,
    )
    expect(told).toMatch(
      /r\S+ {2}transactionId "a": told 201 CREATED, which was withheld \(reset-after, fault reset\)/,
    )
    expect(told).toMatch(/r\S+ {2}transactionId "a": told 200 CREATED/)
    expect(told).toMatch(/Rule violations:\n {2}error R13: .* \(4\.1\/9; requests r/)
    expect(await failure(expectSpace(space).toHaveNoFindings())).toMatch(
      /expected space "demo\+orders" to have no findings; R13 was broken: scheduleDate changed on a repeat; 2 mailings sent\.?[^\n]*\n\n[\s\S]*error R13/,
    )
    expect(await failure(expectSpace(space).not.toHaveSent(2))).toContain('not to have sent 2 times')
  })

  it('say in the second line what the client did wrong', async () => {
    const space = await mock.privateSpace()
    await space.arm('reset-after')
    await send(space, { transactionId: 'a' })
    await send(space, { transactionId: 'b' })
    expect(await failure(expectSpace(space).toHaveSentExactlyOnce())).toMatch(
      /exactly once; it was sent 2 times\nR02 is suspected: new transactionId [^\n]*; sent 2 times\.\n\nSent:/,
    )
  })

  it('show what is scheduled, which has not gone out', async () => {
    const space = await mock.privateSpace()
    await send(space, { scheduleDate: '2026-11-02T10:00:00Z' })
    expect(await failure(expectSpace(space).toHaveSentExactlyOnce())).toMatch(
      /it was never sent[\s\S]*Sent:\n {2}nothing\nScheduled for later:\n {2}2026-11-02T10:00:00.000Z/,
    )
    await space.clock.advance('1d')
    await expectSpace(space).toHaveSentExactlyOnce()
  })

  it('say that there is no such synchronization', async () => {
    const space = await mock.privateSpace()
    expect(await failure(expectSpace(space).toHaveSentExactlyOnce('nope'))).toContain(
      'it was never sent, for there is no such synchronization in it\n',
    )
    expect(await failure(expectSpace(space).toHaveSentExactlyOnce(ids.ready))).toContain('never sent\n')
  })

  it('fail for a synchronization that is not there, whatever they expect of it', async () => {
    const space = await mock.privateSpace()
    for (const wrong of [
      expectSpace(space).toHaveSent(0, 'nope'),
      expectSpace(space).not.toHaveSent(1, 'nope'),
      expectSpace(space).not.toHaveSentExactlyOnce('nope'),
    ])
      expect(await failure(wrong)).toContain('there is no such synchronization')
  })

  it('take a client for one worker, unless the test says more', async () => {
    const space = await mock.privateSpace({ scenario: 'failed-for-ever' })
    await send(space, { transactionId: 'a' })
    await send(space, { transactionId: 'a' })
    expect(await failure(expectSpace(space).toHaveNoFindings())).toContain('Rule violations:\n  error R06: ')
    expect(await failure(expectSpace(space).toHaveNoFindings({ workers: 2 }))).toContain(
      'the verdict is open',
    )
  })

  it('say how what is open is closed', async () => {
    const space = await mock.privateSpace({ scenario: 'pending-for-ever' })
    await send(space, { transactionId: 'a' })
    expect(await failure(expectSpace(space).toHaveNoFindings())).toMatch(
      /the verdict is open\n\nOpen, the server cannot know:\n {2}\w+ R\d\d: [\s\S]*toHaveNoFindings\(\{ believes: 'sent' \}\)/,
    )
    const fine = await mock.privateSpace()
    await send(fine, { transactionId: 'a' })
    await expectSpace(fine).toHaveNoFindings({ believes: 'sent' })
    await expectSpace(space).not.toHaveNoFindings()
    const lost = await mock.privateSpace()
    expect(await failure(expectSpace(lost).toHaveNoFindings({ believes: 'sent', expected: 1 }))).toMatch(
      /have no findings; the client did harm: lost\n\nNo request came [^\n]*\n\nHarm:\n {2}lost: 0 of 1 were sent/,
    )
    expect(await failure(expectSpace(lost).toHaveNoFindings())).toContain('; nothing is proved\n')
    expect(await failure(expectSpace(fine).not.toHaveNoFindings({ believes: 'sent' }))).toContain(
      'to have findings; the verdict is innocent',
    )
  })

  it('tell a test whose fault never fired that it proves nothing', async () => {
    const space = await mock.privateSpace()
    expect(await failure(expectSpace(space).toHaveFired())).toContain('nothing is armed in it')
    await space.arm('reset-after')
    expect(await failure(expectSpace(space).toHaveFired())).toMatch(
      /never fired: .*reset-after[\s\S]*No request came to this space/,
    )
    await send(space, { transactionId: 'a' })
    await expectSpace(space).toHaveFired()
    await space.faults.arm({ on: 'getSending', answer: { status: 500 } })
    expect(await failure(expectSpace(space).toHaveFired())).toMatch(/never fired: .*fault/)
  })

  it.each([
    ['no space', (subject: unknown) => expectSpace(subject).toHaveSent(1), 5, /expects a space.*got number/],
    ['null', (subject: unknown) => expectSpace(subject).toHaveSentExactlyOnce(), null, /got null/],
    ['the mock', (subject: unknown) => expectSpace(subject).toHaveNoFindings(), mock, /got another object/],
    ['a text', (subject: unknown) => expectSpace(subject).toHaveFired(), 'demo', /got string/],
    [
      'a belief alone',
      (it: unknown) => expectSpace(it).toHaveNoFindings('unknown' as never),
      mock.space(),
      "toHaveNoFindings: expected an object, such as { believes: 'unknown' }",
    ],
    [
      'no count',
      (it: unknown) => expectSpace(it).toHaveSent(1.5),
      mock.space(),
      /expects a count from 0, got 1.5/,
    ],
  ])('refuse %s with a sentence', async (_, check, subject, sentence) => {
    expect(await failure((async () => check(subject))())).toMatch(sentence)
  })

  it('fail when the mock refuses, also with not', async () => {
    const gone = mock.space('demo+nobody-was-here')
    expect(await failure(expectSpace(gone).not.toHaveSent(1))).toMatch(
      /nobody-was-here.* was refused \(404\)/,
    )
  })
})

it.each([
  ['text', 'ignored', "mailingSyncTest: expected an object, such as { verdict: 'ignored' }"],
  [
    'scenario',
    { beginning: 'reset-after' },
    "beginning: expected an object, such as { scenario: 'reset-after' }",
  ],
  [
    'option',
    { verdit: 'ignored' },
    'mailingSyncTest: unknown key "verdit"; did you mean "verdict"? Possible: mock, ',
  ],
  [
    'verdict',
    { verdict: 'ignore' },
    'verdict is "ignore"; did you mean "ignored"? Possible: checked, ignored, { ',
  ],
  ['end of a client', { verdict: { expect: 2 } }, 'verdict: unknown key "expect"; did you mean "expected"?'],
  [
    'address',
    { connect: new URL('http://mock:8080') },
    "connect: expected an object, such as { url: 'http://mock:8080/' }",
  ],
  ['option of the connection', { connect: { ulr: '' } }, 'connect: unknown key "ulr"; did you mean "url"?'],
  ['option of the mock', { mock: { port: 5000 } }, 'mailingSyncTest, mock takes no port'],
])('mailingSyncTest refuses an unknown %s at once', (_, options, sentence) => {
  expect(() => mailingSyncTest(options as never)).toThrow(sentence)
})

it('toHavePassed shows the report of an exam that was not passed', async () => {
  const exam = (believes: Belief) => runExam({ client: async () => believes, only: ['happy-path'] })
  const { toHavePassed } = matchers
  const failed = await exam('not-sent')
  expect(JSON.stringify(failed)).not.toContain('"report"')
  const { pass, message } = await toHavePassed.call({}, failed)
  expect(pass).toBe(false)
  expect(message()).toMatch(
    /^expected the client to pass\n\nNot passed: 1 of 1 case failed; [\s\S]*In happy-path: /,
  )
  await expect(toHavePassed.call({}, { passed: 1 })).rejects.toThrow(
    'toHavePassed expects the result of runExam',
  )
})

it('is typed in vitest and Jest by what each merges', () => {
  // Types alone: nothing of this is run.
  const typed = (space: SpaceControl) => [
    expect(space).toHaveSentExactlyOnce(ids.ready),
    expect(space).not.toHaveSent(2),
    jestExpect(space).toHaveNoFindings({ believes: 'sent' }),
    // @ts-expect-error a count is a number
    expect(space).toHaveSent('2'),
    // @ts-expect-error there is no such belief
    jestExpect(space).toHaveNoFindings({ believes: 'yes' }),
  ]
  expect(typed).toBeTypeOf('function')
})
