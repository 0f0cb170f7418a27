import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ExamSessions } from '../../../src/judge/exam/sessions.ts'
import { assembleMock } from '../../../src/lib/assemble-mock.ts'
import { defaultFixture } from '../../../src/store/fixtures.ts'
import { basic, halType, ids, type Json, synchronizationPath } from '../../mock.ts'
import { sentences, startTester, type Tester } from '../../rig/control/tester.ts'

let tester: Tester
beforeAll(async () => {
  tester = await startTester()
})
afterAll(() => tester.close())

const begin = async (body: object): Promise<Json> => {
  const { status, json } = await tester.post('/exams', body)
  expect(status).toBe(201)
  return json
}
const caseOf = (exam: Json, name: string): Json => exam.cases.find((it: Json) => it.name === name)
const end = (exam: Json, name: string, believes: string, output = '') =>
  tester.post(`/exams/${exam.id}/cases/${name}`, { believes, output })

/** Sends once, as a client of the case would. */
const send = (it: Json, transactionId: string) =>
  tester
    .fetch(synchronizationPath(it.synchronizationId, '/sendings'), {
      method: 'POST',
      headers: { authorization: basic(it.user, it.password), 'content-type': halType },
      body: JSON.stringify({ transactionId, ...(it.scheduleDate && { scheduleDate: it.scheduleDate }) }),
    })
    .then(
      response => response.status,
      () => 'nothing',
    )

describe('an exam without a child process', () => {
  it('hands out cases, each with a space of its own', async () => {
    const exam = await begin({ only: ['happy-path', 'reset-after'] })
    expect(exam).toMatchObject({ open: 2, passed: 0, failed: 0, inconclusive: 0, seed: 1, speed: 1 })
    expect(new Set(exam.cases.map(({ user }: Json) => user)).size).toBe(2)
    expect(caseOf(exam, 'happy-path')).toMatchObject({
      url: 'http://localhost',
      user: `demo+${exam.id}.happy-path`,
      password: 'demo',
      status: 'open',
      scheduleDate: null,
    })
  })

  it("an exam never hands out a fixture's own password", async () => {
    const own = JSON.parse(readFileSync(defaultFixture, 'utf8'))
    for (const user of own.users) user.password = 's3cret-own'
    const theirs = await startTester({ fixtures: own })
    onTestFinished(() => theirs.close())
    const begun = await theirs.post('/exams', { only: ['happy-path'] })
    const listed = await theirs.get('/exams')
    expect(begun.json.cases[0].password).toBe(null)
    expect(begun.text + listed.text).not.toContain('s3cret-own')
  })

  it("an exam's spaces have the machine's time, whatever --now and --frozen say", async () => {
    const theirs = await startTester({ now: '2031-05-06T07:08:09Z', frozen: true })
    onTestFinished(() => theirs.close())
    const { json } = await theirs.post('/exams', { only: ['schedule-passes-bound', 'clock-ahead'] })
    const clockOf = async (name: string) =>
      (await theirs.get(`/spaces/${encodeURIComponent(caseOf(json, name).user)}/clock`)).json
    expect(await clockOf('schedule-passes-bound')).toMatchObject({
      now: '2026-11-01T10:00:00.000Z',
      frozen: false,
    })
    expect(caseOf(json, 'schedule-passes-bound').scheduleDate).toMatch(/^2026-11/)
    expect((await clockOf('clock-ahead')).now).toBe('2026-11-01T10:10:00.000Z')
  })

  it('an exam without a child process is where its Location says', async () => {
    const { json, headers } = await tester.post('/exams', { only: ['happy-path'] })
    const path = headers.get('location')!.replace('http://localhost/_mock', '')
    expect((await tester.get(path)).json).toEqual(json)
  })

  it('acquits a client that goes on as the document says', async () => {
    const exam = await begin({ only: ['reset-after'] })
    const it = caseOf(exam, 'reset-after')
    expect(await send(it, 'one')).toBe('nothing')
    tester.clock.advance(1_000)
    expect(await send(it, 'one')).toBe(200)
    const { json } = await end(exam, 'reset-after', 'sent')
    expect(json).toMatchObject({ status: 'passed', findings: [], reached: { sent: 1, belief: 'sent' } })
  })

  it('an exam without a child process convicts one that takes a new transactionId after silence, by its rule', async () => {
    const exam = await begin({ only: ['reset-after'] })
    const it = caseOf(exam, 'reset-after')
    await send(it, 'one')
    tester.clock.advance(1_000)
    await send(it, 'two')
    const { json } = await end(exam, 'reset-after', 'unknown', 'what it printed')
    expect(json.status).toBe('failed')
    expect(json.findings.map(({ rule }: Json) => rule)).toEqual(
      expect.arrayContaining(['R02', 'sent-too-often']),
    )
    expect(json.client.output).toBe('what it printed')
    expect(json.harm).toContain('2 mailings')
  })

  it('an exam without a child process convicts one that believes that it sent, though nothing was sent', async () => {
    const exam = await begin({ only: ['error-500-before'] })
    const it = caseOf(exam, 'error-500-before')
    expect(await send(it, 'one')).toBe(500)
    const { json } = await end(exam, 'error-500-before', 'sent')
    expect(json.status).toBe('failed')
    expect(json.findings.map(({ rule }: Json) => rule)).toContain('wrong-belief')
  })

  const sendings = (it: Json) => synchronizationPath(it.synchronizationId, '/sendings')
  /** A case with a sending that is PENDING for 20 seconds and then in that state. */
  async function pendingThen(state: string, ...rules: object[]) {
    const exam = await begin({ only: ['errors-for-ever'] })
    const it = caseOf(exam, 'errors-for-ever')
    const steps = [{ state: 'PENDING', for: '20s' }, { state }]
    await tester.put(`/spaces/${it.user}/scenario`, { rules: [{ on: 'createSending', steps }, ...rules] })
    expect(await send(it, 'one')).toBe(200)
    return { exam, it, user: tester.as(it.user, it.password) }
  }

  it('a client that reads FAILED after PENDING has not guessed when it says that nothing was sent (3/4)', async () => {
    const { exam, it, user } = await pendingThen('FAILED')
    tester.clock.advance(30_000)
    const seen = await user.get(`${sendings(it)}?includeAllStates=true`)
    expect(seen.text).toContain('"FAILED"')
    const { json } = await end(exam, it.name, 'not-sent')
    expect(json.findings.filter(({ severity }: Json) => severity === 'error')).toEqual([])
  })

  it('a client that reads PENDING has guessed when it says that nothing was sent, and the read is named', async () => {
    const { exam, it, user } = await pendingThen('FAILED')
    await user.get(`${sendings(it)}?includeAllStates=true`)
    const { json } = await end(exam, it.name, 'not-sent')
    const [guessed] = json.findings.filter(({ rule }: Json) => rule === 'guessed')
    expect(guessed.sentence).toContain('-2 told it PENDING')
  })

  it('a client that was told PENDING has guessed when it says that nothing was sent, though a read broke off', async () => {
    const broken = { on: 'listSendings', steps: [{ phase: 'after', answer: { fault: 'truncate' } }] }
    const { exam, it, user } = await pendingThen('FAILED', broken)
    tester.clock.advance(30_000)
    await user.get(`${sendings(it)}?includeAllStates=true`).catch(() => {})
    const { json } = await end(exam, it.name, 'not-sent')
    const [guessed] = json.findings.filter(({ rule }: Json) => rule === 'guessed')
    expect(guessed?.sentence).toContain('-1 told it PENDING')
  })

  it('a client that read all sendings has not guessed where they are too many to be on record', async () => {
    const { exam, it, user } = await pendingThen('FAILED')
    for (let nth = 0; nth < 40; nth++) await send(it, `other-${nth}`)
    await send(it, 'one')
    tester.clock.advance(30_000)
    const seen = await user.get(`${sendings(it)}?includeAllStates=true`)
    expect(seen.text.length).toBeGreaterThan(16 << 10)
    const { json } = await end(exam, it.name, 'not-sent')
    expect(json.findings.map(({ rule }: Json) => rule)).not.toContain('guessed')
  })

  it("a client that takes another one's CREATED in a list for its own has guessed (3/4)", async () => {
    const own = JSON.parse(readFileSync(defaultFixture, 'utf8'))
    own.sendings[0].synchronizationId = ids.ready
    const theirs = await startTester({ fixtures: own })
    onTestFinished(() => theirs.close())
    const { json: exam } = await theirs.post('/exams', { only: ['errors-for-ever'] })
    const it = exam.cases[0]
    const steps = [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }]
    await theirs.put(`/spaces/${it.user}/scenario`, { rules: [{ on: 'createSending', steps }] })
    await theirs.as(it.user).post(sendings(it), { transactionId: 'one' })
    const seen = await theirs.as(it.user).get(sendings(it))
    expect(seen.text).toContain('"CREATED"')
    const { json } = await theirs.post(`/exams/${exam.id}/cases/${it.name}`, { believes: 'sent' })
    expect(json.findings.map(({ rule }: Json) => rule)).toContain('guessed')
  })

  it('proves nothing by a case whose disturbance never fired', async () => {
    // It fires on a connection that was used before; here there is none.
    const exam = await begin({ only: ['keepalive-race-sent'] })
    await send(caseOf(exam, 'keepalive-race-sent'), 'one')
    const { json } = await end(exam, 'keepalive-race-sent', 'sent')
    expect(json).toMatchObject({ status: 'inconclusive', struck: false, findings: [] })
  })

  it('an exam without a child process counts how its cases stand', async () => {
    const exam = await begin({ only: ['happy-path', 'reset-after', 'error-500-before'] })
    await send(caseOf(exam, 'happy-path'), 'one')
    await end(exam, 'happy-path', 'sent')
    await end(exam, 'reset-after', 'sent')
    const { json } = await tester.get(`/exams/${exam.id}`)
    expect(json).toMatchObject({ open: 1, passed: 1, failed: 1 })
    expect(caseOf(json, 'reset-after').status).toBe('failed')
  })

  it('an exam without a child process gives a client of a scheduled case its date', async () => {
    const exam = await begin({ only: ['schedule-passes-bound'] })
    const it = caseOf(exam, 'schedule-passes-bound')
    expect(Date.parse(it.scheduleDate)).toBeGreaterThan(tester.clock.now())
    expect(await send(it, 'one')).toBe('nothing')
    tester.clock.advance(1_000)
    expect(await send(it, 'one')).toBe(200)
    expect((await end(exam, 'schedule-passes-bound', 'sent')).json.status).toBe('passed')
  })

  it.each([
    ['the client is killed', 'restart-*'],
    ['the client is run twice', 'two-mailings'],
    ['connections break at a port of the case', 'connection-*'],
    ['a redirect leads to another host', 'redirect-*-elsewhere'],
  ])('an exam without a child process leaves out the cases in which %s', async (_, name) => {
    const exam = await begin({ only: [name, 'happy-path'] })
    expect(exam.cases.map(({ name }: Json) => name)).toEqual(['happy-path'])
  })

  it('an exam without a child process lets the date pass in the case that is about that', async () => {
    const exam = await begin({ only: ['date-passes-unbound'] })
    const it = caseOf(exam, 'date-passes-unbound')
    expect(await send(it, 'one')).toBe(500)
    expect(await send(it, 'one')).toBe(400)
    expect((await end(exam, it.name, 'not-sent')).json.status).toBe('passed')
  })

  it('an exam without a child process tells the result of a case again', async () => {
    const exam = await begin({ only: ['happy-path'] })
    const { json } = await end(exam, 'happy-path', 'not-sent')
    expect((await tester.get(`/exams/${exam.id}/cases/happy-path`)).json).toEqual(json)
  })

  it('an exam without a child process goes with its spaces when it is removed', async () => {
    const exam = await begin({ only: ['happy-path'] })
    expect((await tester.delete(`/exams/${exam.id}`)).status).toBe(204)
    expect((await tester.get(`/exams/${exam.id}`)).status).toBe(404)
    expect((await tester.get(`/spaces/demo+${exam.id}.happy-path/requests`)).status).toBe(404)
  })
})

describe('an exam of a mock with a known-file', () => {
  it('does not fail for what is accepted in its case or plan, and fails for everything else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'known-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'known.yaml')
    writeFileSync(
      file,
      '- { rule: environment-ignored, case: happy-path, reason: MAIL-1 }\n- { rule: environment-ignored, plan: 500-sent, reason: MAIL-2 }',
    )
    const theirs = await startTester({ known: file })
    onTestFinished(() => theirs.close())
    const names = ['happy-path', 'reset-after', '500-sent', '500-nothing']
    const { json: exam } = await theirs.post('/exams', { only: names, depth: 1 })
    const ends = names.map(name =>
      theirs.post(`/exams/${exam.id}/cases/${name}`, { believes: 'sent', output: '' }),
    )
    const results = (await Promise.all(ends)).map(({ json }) => json)
    expect(results.map(({ status }) => status)).toEqual(['known', 'failed', 'known', 'failed'])
    expect(results[0].findings).toMatchObject([{ rule: 'environment-ignored', known: 'MAIL-1' }])
    expect((await theirs.get(`/exams/${exam.id}`)).json).toMatchObject({ known: 2, failed: 2, open: 0 })
    const page = await theirs.fetch('/_mock/exams', { headers: { accept: 'text/html' } })
    expect(await page.text()).toContain('It would fail, and is accepted: environment-ignored, MAIL-1.')
  })
})

describe('when there are as many cases as can be kept', () => {
  const three = ['happy-path', 'reset-after', 'reset-before']

  /** A desk with room for so many cases, and a way to begin an exam of as many there. */
  async function desk(mostCases: number) {
    const mock = await assembleMock({ logLevel: 'silent' }, false)
    onTestFinished(() => mock.close())
    const time = { now: 0 }
    const desk = new ExamSessions(mock, { now: () => time.now, maxCases: mostCases })
    const open = (count = 1) =>
      desk.open({ only: three.slice(0, count), slow: false, depth: 0, seed: 1, speed: 1 })
    const here = () => desk.all().map(({ id }) => id)
    const isThere = (name: string) => mock.spaces.names().includes(name)
    return { desk, open, here, isThere, time }
  }

  it('the first that is over makes room, with its spaces', async () => {
    const { desk: it, open, here, isThere } = await desk(3)
    const [first, over, last] = [await open(), await open(), await open()]
    await it.end(over, 'happy-path', 'unknown', '')
    expect(isThere(over.cases[0]!.space)).toBe(true)
    const fourth = await open()
    expect(here()).toEqual([first.id, last.id, fourth.id])
    expect([it.removalReason(over.id), isThere(over.cases[0]!.space)]).toEqual(['making room', false])
  })

  it('none makes room that is under way: another one is refused, and nobody leaves for it', async () => {
    const { desk: it, open, here } = await desk(3)
    const [one, over] = [await open(2), await open()]
    await it.end(over, 'happy-path', 'unknown', '')
    await expect(open(2)).rejects.toThrow(
      'leave no room for 2 more: end the cases of exam-1, exam-2, or DELETE an exam that is no longer used',
    )
    expect(here()).toEqual([one.id, over.id])
  })

  it('one that nobody goes on with makes room after an hour', async () => {
    const { desk: it, open, here, time } = await desk(2)
    const [first, second] = [await open(), await open()]
    time.now += 3_600_001
    it.find(first.id)
    const third = await open()
    expect([here(), it.removalReason(second.id)]).toEqual([[first.id, third.id], 'making room'])
  })

  it('no more are begun, even if many are begun at once', async () => {
    const { open, here } = await desk(3)
    await Promise.allSettled(Array.from({ length: 6 }, () => open()))
    expect(here()).toHaveLength(3)
  })

  it('an exam of more begins when there is no other', async () => {
    const { open, here } = await desk(2)
    await open(3)
    expect(here()).toHaveLength(1)
  })
})

it('an exam that is removed is told to be', async () => {
  const { id } = await begin({ only: ['happy-path'] })
  await tester.delete(`/exams/${id}`)
  expect(sentences(await tester.get(`/exams/${id}`))[0]).toContain(`exam "${id}" any more, it was removed; `)
})

describe('the cases that can be handed out', () => {
  it('the cases that can be handed out are listed without beginning an exam', async () => {
    const { json } = await tester.get('/exam-cases')
    const names = json._embedded.cases.map(({ name }: Json) => name)
    expect(names).toEqual(expect.arrayContaining(['reset-after', 'hang-after', '500-sent']))
    expect(names).not.toContain('restart-when-sent')
    expect(json._embedded.cases.find(({ name }: Json) => name === 'hang-after')).toMatchObject({
      isSlow: true,
      tags: expect.arrayContaining(['no-answer']),
    })
  })

  it('the cases that can be handed out are all handed out to whoever asks for all', async () => {
    const exam = await begin({ slow: true, depth: 1 })
    const { json } = await tester.get('/exam-cases')
    expect(exam.cases.map(({ name }: Json) => name)).toEqual(
      json._embedded.cases.map(({ name }: Json) => name),
    )
    const { length } = (await begin({ slow: true })).cases
    expect(length).toBe(json._embedded.cases.filter(({ isPlan }: Json) => !isPlan).length)
    expect(length).toBeLessThan(exam.cases.length - 100)
    await tester.delete(`/exams/${exam.id}`)
  })

  it('an exam that is refused uses up no number', async () => {
    const theirs = await startTester()
    onTestFinished(() => theirs.close())
    expect((await theirs.post('/exams', { only: ['reset-aftr'] })).status).toBe(400)
    expect((await theirs.post('/exams', { only: ['restart-*'] })).status).toBe(409)
    expect((await theirs.post('/exams', { only: ['happy-path'] })).json.id).toBe('exam-1')
  })

  it('only cases that can be handed out are suggested for a misspelt name', async () => {
    const { json } = await tester.get('/exam-cases')
    const [seen, offered] = [
      await tester.post('/exams', { only: ['restart-after-created'] }),
      json._embedded.cases.map(({ name }: Json) => name),
    ]
    const [, meant] = /did you mean "([^"]*)"/.exec(sentences(seen)[0]!) ?? []
    expect([undefined, ...offered]).toContain(meant)
  })

  it('the cases that can be handed out are where the sentence about one that is not there leads to', async () => {
    const seen = await tester.post('/exams', { only: ['reset-aftre'] })
    expect(sentences(seen)[0]).toContain(
      'no case has the name "reset-aftre"; did you mean "reset-after"? GET /_mock/exam-cases lists all',
    )
  })
})

describe('what an exam cannot do is told in a sentence:', () => {
  it.each<[what: string, body: object, status: number, sentence: string]>([
    ['a case that is not there', { only: ['no-such'] }, 400, 'no case has the name "no-such"'],
    ['a tag that is not there', { tags: ['no-such'] }, 400, 'no case has the tag "no-such"; there are '],
    ['only cases that need a command', { only: ['restart-*'] }, 409, 'the client has to be killed'],
    ['a member that nobody knows', { onyl: [] }, 400, 'onyl'],
    ['a speed below 1', { speed: 0.5 }, 400, 'speed'],
  ])('what an exam cannot do is told in a sentence: %s', async (_, body, status, sentence) => {
    const seen = await tester.post('/exams', body)
    expect(seen.status).toBe(status)
    expect(sentences(seen).join(' ')).toContain(sentence)
  })

  it('an exam that is not there', async () => {
    const seen = await tester.get('/exams/exam-999')
    expect([seen.status, sentences(seen)[0]]).toEqual([404, expect.stringContaining('exam "exam-999"')])
  })

  it('a case that it does not have', async () => {
    const exam = await begin({ only: ['happy-path'] })
    const seen = await end(exam, 'reset-after', 'sent')
    expect([seen.status, sentences(seen)[0]]).toEqual([404, expect.stringContaining('case "reset-after"')])
  })

  it('a case that has ended before', async () => {
    const exam = await begin({ only: ['happy-path'] })
    const both = await Promise.all([end(exam, 'happy-path', 'sent'), end(exam, 'happy-path', 'sent')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('the result of a case that has not ended', async () => {
    const exam = await begin({ only: ['happy-path'] })
    expect((await tester.get(`/exams/${exam.id}/cases/happy-path`)).status).toBe(409)
  })

  it('a case whose space somebody has removed', async () => {
    const exam = await begin({ only: ['happy-path'] })
    await tester.delete(`/spaces/demo+${exam.id}.happy-path`)
    const seen = await end(exam, 'happy-path', 'sent')
    expect([seen.status, sentences(seen)[0]]).toEqual([409, expect.stringContaining('was removed')])
  })

  it('a belief that there is not', async () => {
    const exam = await begin({ only: ['happy-path'] })
    expect((await end(exam, 'happy-path', 'perhaps')).status).toBe(400)
  })
})
