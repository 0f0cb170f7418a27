import { expect, it } from 'vitest'
import { synchronizationPath } from '../mock.ts'
import { startTester } from '../rig/control/tester.ts'
import { look, wordsOf } from './person.ts'

it('a person sees the exams that were begun, each case with its result, what to do, and its space', async () => {
  const tester = await startTester()
  const empty = (await look(tester, '/exams')).text
  expect(empty).toContain('No exams yet')
  expect(wordsOf(empty)).toMatch(
    /An exam plays .* what was really sent\. .* npx mailing-sync-mock exam -- node/,
  )
  const { json: exam } = await tester.post('/exams', { only: ['pending-for-ever', 'reset-after'] })
  const [first] = exam.cases
  await tester
    .as(first.user)
    .post(synchronizationPath(first.synchronizationId, '/sendings'), { transactionId: 'a' })
  await tester.post(`/exams/${exam.id}/cases/${first.name}`, { believes: 'not-sent' })
  await tester.post('/exams', { only: ['happy-path'] })

  const all = wordsOf((await look(tester, '/exams')).text)
  expect(all.indexOf('exam-2')).toBeLessThan(all.indexOf('exam-1'))
  expect(all).toMatch(
    /Exam Begun Cases Passed Failed Others exam-2 20[-\d]+ [:\d]+ .*? 1 0 0 not ended 1 exam-1 20[-\d]+ [:\d]+ .*? 2 0 1 not ended 1 /,
  )
  const { text } = await look(tester, `/exams/${exam.id}`)
  const words = wordsOf(text)
  expect(words).not.toContain('exam-2')
  expect(words).toContain('2 cases, 1 failed, 1 not ended; seed 1, speed 1')
  expect(words).toMatch(
    /pending-for-ever failed Expected: nothing sent, .* error R10: .* Do: While the state is PENDING/,
  )
  expect(words).toMatch(/reset-after not ended The connection breaks/)
  expect(text).toContain(
    `href="/_mock/spaces/${encodeURIComponent(first.user)}/verdict?believes=not-sent&amp;expected=0&amp;workers=1"`,
  )
  // The list of spaces says as much, and leads there with the same end.
  const spaces = (await look(tester, '')).text
  const [ofTests, ofExams] = spaces.split('id="exam-spaces"')
  expect([...ofTests!.matchAll(/<tr id="space-/g)]).toHaveLength(1)
  expect(wordsOf(`<${ofExams}`)).toMatch(/^3 spaces of exams, 1 with violations Exams has their results\./)
  const rows = spaces.split(/(?=<tr id="space-)/)
  const row = rows.find(it => it.includes(encodeURIComponent(first.user)))!
  expect(wordsOf(row)).toMatch(/ 1 violation /)
  expect(row).toContain(
    `href="/_mock/spaces/${encodeURIComponent(first.user)}?believes=not-sent&amp;expected=0&amp;workers=1"`,
  )
  expect(text).toContain(
    `href="/_mock/spaces/${encodeURIComponent(first.user)}/requests/r1-1?believes=not-sent&amp;expected=0&amp;workers=1"`,
  )
  expect((await look(tester, '/exams/exam-9')).text).toContain('There is no exam')
})

it('when the client has ended in every case of an exam, its page shows what the client does', async () => {
  const tester = await startTester()
  const { json: exam } = await tester.post('/exams', { only: ['happy-path', 'failed-once'] })
  for (const { name, user, synchronizationId } of exam.cases) {
    expect((await look(tester, `/exams/${exam.id}`)).text).not.toContain('What the client does')
    const path = synchronizationPath(synchronizationId, '/sendings')
    await tester.as(user).post(path, { transactionId: 'a' })
    await tester.post(`/exams/${exam.id}/cases/${name}`, { believes: 'sent' })
  }
  const { text } = await look(tester, `/exams/${exam.id}`)
  const words = wordsOf(text)
  expect(words).toContain('What the client does')
  expect(words).toMatch(/FAILED differs ends: "sent" ?FAILED says that it was not sent/)
  expect(text).toContain(`href="#${exam.id}-failed-once"`)
})

it('the part of the pages that one is in is marked', async () => {
  const tester = await startTester()
  const marked = async (path: string) =>
    /aria-current="true">([^<]+)</.exec((await look(tester, path)).text)?.[1]
  expect(
    await Promise.all(['', '/spaces', '/spaces/demo', '/exams', '/docs', '/docs/exam.md'].map(marked)),
  ).toEqual(['Spaces', 'Spaces', 'Spaces', 'Exams', 'API reference', 'Docs'])
  await tester.put('/spaces/demo%2Bnotes.md', {})
  expect(await marked('/spaces/demo%2Bnotes.md')).toBe('Spaces')
  expect(await Promise.all(['/problems/validation', '/reference'].map(marked))).toEqual([
    'API reference',
    undefined,
  ])
})
