import { afterEach, describe, expect, it } from 'vitest'
import { realClock } from '../../src/rig/clock.ts'
import { ids, synchronizationPath } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { from, look, wordsOf } from './person.ts'

let tester: Tester
afterEach(() => tester.close())

const clock = '/spaces/demo/clock'
const words = async (id: string) => wordsOf(from(await look(tester, clock), id))
const send = (body: object, headers: Record<string, string> = {}) =>
  tester.as('demo').post(synchronizationPath(ids.ready, '/sendings'), body, headers)

describe('the clock of a space', () => {
  it('the clock of a space tells how it stands, and offers to resume what is frozen', async () => {
    tester = await startTester()
    await tester.post(clock, { rate: 60 })
    expect(await words('standing')).toMatch(/60 times as fast/)
    expect(await words('freezing')).toMatch(/^(?:[^>]*>)? *Freeze/)
    await tester.post(clock, { freeze: true })
    expect(await words('standing')).toMatch(/frozen at \S+ ; when resumed, 60 times as fast/)
    expect(await words('freezing')).toMatch(/^(?:[^>]*>)? *Resume/)
  })

  it('the clock of a space tells everywhere how far it has been moved from real time', async () => {
    tester = await startTester({ clock: realClock })
    const head = async () => wordsOf(from(await look(tester, clock), 'space-now')).slice(0, 90)
    expect(await words('standing')).toMatch(/Runs as real time/)
    expect(await head()).toContain('running')
    await tester.post(clock, { advance: '5m' })
    expect(await words('standing')).toMatch(/Runs 5 min ahead of real time/)
    expect(await head()).toContain('+5 min')
    expect(wordsOf((await look(tester, '')).text)).toContain('clock +5 min')
    await tester.post(clock, { set: new Date(Date.now() - 7_200_000).toISOString() })
    expect(await words('standing')).toMatch(/Runs 2 h behind real time/)
    expect(await head()).toContain('−2 h')
  })

  it('the clock of a space says that nothing waits where nothing does', async () => {
    tester = await startTester()
    expect(await words('due')).toMatch(/Nothing waits for a time/)
  })

  it('the clock of a space lists what falls due, the next first, and leads there', async () => {
    tester = await startTester()
    const { now } = await tester.get(clock).then(it => it.json)
    const inAnHour = new Date(Date.parse(now) + 3_600_000).toISOString()
    await send({ transactionId: 'later', scheduleDate: inAnHour })
    await send({ transactionId: 'soon' }, { 'X-Mock-Scenario': 'pending-for-a-while' })
    await send({ scheduleDate: inAnHour })
    const markup = from(await look(tester, clock), 'due')
    expect(wordsOf(markup)).toMatch(/sending soon becomes CREATED.*sending later starts/)
    expect(wordsOf(markup)).toMatch(/sending [\da-f]{4}…[\da-f]{4} starts/)
    expect(markup).toContain(inAnHour)
    await tester.post(clock, { set: inAnHour })
    expect(await words('due')).toMatch(/Nothing waits for a time/)
  })

  it('the clock of a space shows no more than a person reads, and how many more there are', async () => {
    tester = await startTester()
    const { now } = await tester.get(clock).then(it => it.json)
    for (let n = 1; n <= 25; n++)
      await send({
        transactionId: `t${n}`,
        scheduleDate: new Date(Date.parse(now) + n * 60_000).toISOString(),
      })
    const markup = from(await look(tester, clock), 'due')
    expect(markup.match(/id="due-/g)).toHaveLength(20)
    expect(wordsOf(markup)).toMatch(/sending t1 starts.*sending t20 starts/)
    expect(await words('due')).toMatch(/and 5 more/)
  })
})
