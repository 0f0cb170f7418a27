import { pbkdf2 } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause, scheduler, setInterval as ticks } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clientOf, mutants } from '../../../examples/clients/mutants/registry.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { type ClientCall, type ClientFunction, runExam } from '../../../src/index.ts'
import { readySynchronization } from '../../../src/judge/exam/cases.ts'
import { examText } from '../../../src/judge/exam/text-reports.ts'
import {
  caseOfPlan,
  countPlans,
  expectationOf,
  planName,
  planOfName,
  scenarioOfPlan,
  troubles,
} from '../../../src/judge/explore/plans.ts'
import { inVirtualTime, usualPlace } from '../../../src/lib/virtual-exam.ts'
import { scenarioFrom } from '../../../src/rig/scenarios/read.ts'
import { ruleProofs } from '../rule-proofs.ts'
import { explore, explored } from './clients.ts'

const sendingsOf = ({ url, synchronizationId }: ClientCall) =>
  `${url}/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`

const derive = promisify(pbkdf2)

/** Asks once for a sending. */
const post = (call: ClientCall, transactionId: string, init: RequestInit = {}) =>
  fetch(sendingsOf(call), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      authorization: `Basic ${btoa(`${call.user}:${call.password}`)}`,
      'content-type': 'application/hal+json',
    },
    body: JSON.stringify({ transactionId }),
    ...init,
  })

/** Asks once, with a deadline, and says that it does not know. */
const askOnce: ClientFunction = async call => {
  await post(call, 'only', { signal: AbortSignal.timeout(30_000) })
    .then(answer => answer.text())
    .catch(() => {})
  return 'unknown' as const
}

describe('plans', () => {
  it('each kind of trouble has a name of its own and makes a scenario that can be read', () => {
    expect(new Set(troubles.map(({ name }) => name)).size).toBe(troubles.length)
    for (const it of troubles)
      expect(() =>
        scenarioFrom(scenarioOfPlan({ mode: 'once', troubles: [it] }), it.name, 'the test'),
      ).not.toThrow()
  })

  it('a plan has a name from which it can be made again', () => {
    const plan = { mode: 'scheduled', troubles: [troubles[3]!, troubles[7]!] } as const
    expect(planOfName(planName(plan))).toEqual(plan)
    expect(planOfName('undisturbed')).toEqual({ mode: 'once', troubles: [] })
    expect(planOfName('no-such-trouble')).toBeUndefined()
  })

  it('a plan with two mailings is a scenario that an exam can play with one', () => {
    const plan = planOfName('two-mailings:500-sent')!
    expect(expectationOf(plan)).toEqual({ sent: 2, belief: 'sent' })
    expect(scenarioOfPlan(plan)).toMatchObject({
      expect: { sent: 1, belief: 'sent' },
      description: expect.stringMatching(/Only an exam with --plan plays all of it\.$/),
    })
  })

  it('the number of plans is a power of the number of troubles', () => {
    expect(countPlans(2)).toBe(troubles.length ** 2)
    expect(countPlans(3)).toBe(troubles.length ** 3)
  })

  it.each([
    ['undisturbed', { sent: 1, belief: 'sent' }],
    ['500-sent+told-failed', { sent: 1, belief: 'sent' }],
    ['told-pending+told-unsure-sent', { sent: 1, belief: 'unknown' }],
    ['reset-unsure-not-sent', { sent: 0, belief: 'unknown' }],
    ['refused-nothing', { sent: 0, belief: 'not-sent' }],
    ['told-failed+told-failed+told-failed+told-failed', { sent: 0, belief: 'not-sent' }],
    ['reset-nothing+refused-nothing', undefined],
    ['late-sent+refused-nothing', undefined],
  ])('a right client reaches what is expected: %s', (name, expected) => {
    expect(expectationOf(planOfName(name)!)).toEqual(expected)
  })
})

/** Played once for all tests that look at it. */
let played: ReturnType<typeof explore> | undefined
const ofReference = () => {
  played ??= explore(explored(reference), { depth: 1 })
  return played
}

let playedOnce: ReturnType<typeof explore> | undefined
const ofAskOnce = () => {
  playedOnce ??= explore(askOnce, { depth: 4, sample: 30 })
  return playedOnce
}

describe('explore', () => {
  const natives = { fetch, setTimeout, Date, now: Date.now, random: Math.random, clock: performance.now }

  afterEach(() => {
    expect({ fetch, setTimeout, Date, now: Date.now, random: Math.random, clock: performance.now }).toEqual(
      natives,
    )
  })

  it('explore finds nothing against the reference client with one trouble, and plays every plan', async () => {
    const result = await ofReference()
    expect(result.causes).toEqual([])
    expect(result).toMatchObject({ isPassed: true, isWhole: true })
    expect(result.exploration).toMatchObject({ divergence: null, inconclusive: 0 })
    expect(result.exploration.levels[1]).toEqual({
      depth: 1,
      plans: countPlans(1),
      played: countPlans(1),
      covered: 0,
      failed: 0,
      isComplete: true,
    })
  })

  it('explore does not play plans whose later troubles the client never reaches, and counts them', {
    timeout: 120_000,
  }, async () => {
    const {
      exploration: { levels, runs },
    } = await ofAskOnce()
    const [, first, second] = levels
    // It sends at once, whatever date it is given: plans with a date show nothing else.
    expect([first!.played, first!.covered]).toEqual([countPlans(1) - troubles.length, troubles.length])
    expect(second!.played + second!.covered!).toBe(countPlans(2))
    // The client asks again only after it was killed, or with the library following a redirect.
    expect(runs).toBeLessThan(countPlans(1) + 10 * troubles.length)
  })

  it('explore plays samples of deeper plans, and never says that they are all', {
    timeout: 120_000,
  }, async () => {
    const {
      exploration: { levels },
      isPassed,
    } = await ofAskOnce()
    expect(levels.slice(3)).toEqual([
      {
        depth: 3,
        plans: countPlans(3),
        played: 30,
        covered: expect.any(Number),
        failed: expect.any(Number),
        isComplete: false,
      },
      {
        depth: 4,
        plans: countPlans(4),
        played: 30,
        covered: null,
        failed: expect.any(Number),
        isComplete: false,
      },
    ])
    expect(isPassed).toBe(false)
  })

  it('explore lets time jump for timers of every kind, and the clocks go with it', async () => {
    const seen: number[] = []
    const waiting: ClientFunction = async call => {
      const began = Date.now()
      const [start, parts] = [process.hrtime.bigint(), process.hrtime()]
      await new Promise(resolve => setTimeout(resolve, 5 * 60_000))
      await pause(60_000)
      await new Promise<void>(resolve => {
        let left = 3
        const timer = setInterval(() => {
          if (--left > 0) return
          clearInterval(timer)
          resolve()
        }, 20_000)
      })
      await promisify(setTimeout)(60_000)
      await scheduler.wait(60_000)
      for await (const _ of ticks(30_000)) if (Date.now() - began >= 10 * 60_000) break
      seen.push(Date.now() - began, Date.parse(new Date().toISOString()) - began)
      seen.push(Number(process.hrtime.bigint() - start) / 1e6, process.hrtime(parts)[0] * 1_000)
      return askOnce(call)
    }
    await explore(waiting, { plans: ['undisturbed'] })
    expect(new Set(seen)).toEqual(new Set([10 * 60_000]))
  })

  it('what a client takes while it is loaded belongs to virtual time, and loading it may wait', async () => {
    const passed: number[] = []
    const load = async (): Promise<ClientFunction> => {
      const [sleep, ask, began] = [promisify(setTimeout), fetch, Date.now()]
      await sleep(1_000)
      passed.push(Date.now() - began)
      return async ({ url }) => {
        const before = Date.now()
        await sleep(60_000)
        passed.push(Date.now() - before, (await ask(url)).status)
        return 'unknown' as const
      }
    }
    await inVirtualTime(
      load,
      { seed: 1, scenarios: undefined, place: usualPlace() },
      (player, { contents }) =>
        player.play(caseOfPlan(planOfName('undisturbed')!, readySynchronization(contents[0]!))),
    )
    expect(passed).toEqual([1_000, 60_000, 401])
  })

  it('explore lets no time pass while a client closes a file', async () => {
    const passed: number[] = []
    await explore(
      async call => {
        const signal = AbortSignal.timeout(30_000)
        const began = Date.now()
        const file = await open(join(call.state, 'file'), 'w')
        // Closing it waits for a thread.
        const busy = Array.from({ length: 8 }, () => derive('password', 'salt', 100_000, 32, 'sha256'))
        await file.close()
        passed.push(Date.now() - began)
        await post(call, 'only', { signal }).catch(() => {})
        await Promise.all(busy)
        return 'unknown' as const
      },
      { plans: ['undisturbed'] },
    )
    expect(new Set(passed)).toEqual(new Set([0]))
  })

  it('explore gives the same bytes for the same seed', async () => {
    const careless: ClientFunction = async call => {
      for (let nth = 0; nth < 3; nth++) {
        const answer = await post(call, crypto.randomUUID()).catch(() => undefined)
        if (answer?.ok) return 'sent'
        await pause(1_000 * (1 + Math.random()))
      }
      return 'unknown'
    }
    const [one, other] = [
      await explore(careless, { depth: 1, seed: 7 }),
      await explore(careless, { depth: 1, seed: 7 }),
    ]
    expect(one.causes.length).toBeGreaterThan(0)
    expect(JSON.stringify(one)).toBe(JSON.stringify(other))
  })

  it('explore shrinks to the smallest plan and confirms it', async () => {
    const { causes } = await explore(
      // A new transaction ID for each attempt.
      async call => {
        for (let nth = 0; nth < 5; nth++) {
          const answer = await post(call, `id-${nth}`, { signal: AbortSignal.timeout(20_000) }).catch(
            () => undefined,
          )
          if (answer?.status === 201) return 'sent'
          await pause(1_000 * 2 ** nth)
        }
        return 'unknown'
      },
      { depth: 1 },
    )
    const found = causes.find(({ rule }) => rule === 'R02')
    expect(found).toMatchObject({
      plan: { name: '500-nothing', confirmed: 3, isFlaky: false },
      severity: 'error',
    })
    expect(found!.plan!.scenario.expect).toEqual({ sent: 1, belief: 'sent' })
  })

  it('explore kills a client and starts it again, which is no pause of the client', async () => {
    const killed = 'killed-nothing+killed-nothing+killed-nothing'
    const { causes } = await explore(explored(reference), { depth: 0, first: [killed] })
    expect(causes).toEqual([])
  })

  it('explore convicts a client that loses its transaction ID over a restart', async () => {
    const forgetful = mutants.find(({ id }) => id === 'M22')!
    const { causes } = await explore(explored(clientOf(forgetful)), { depth: 0, first: ['killed-sent'] })
    expect(causes.map(({ rule }) => rule)).toEqual(['R29'])
  })

  it('explore counts the runs that gave each rule a chance', async () => {
    const { chances } = (await ofReference()).exploration
    const isExplored = Object.entries(chances).map(([rule, runs]) => [rule, runs > 0])
    expect(isExplored).toEqual(Object.entries(ruleProofs).map(([rule, it]) => [rule, !it.isUnexplored]))
  })
})

/** Does what is right, but does not always say that it has sent. */
const moody =
  (tells: (nth: number, isDisturbed: boolean) => boolean): ClientFunction =>
  async call => {
    const nth = ++runs
    const began = Date.now()
    const belief = await explored(reference)(call)
    return belief !== 'sent' || tells(nth, Date.now() > began) ? belief : 'not-sent'
  }
let runs = 0

describe('clients that fail now and then', () => {
  beforeEach(() => {
    runs = 0
  })
  const options = { depth: 0, first: ['told-pending'] }

  it('explore marks a finding as flaky that only some repetitions show', async () => {
    const client = moody((nth, isDisturbed) => !isDisturbed || nth % 2 === 0)
    const { causes } = await explore(client, options)
    expect(causes).toMatchObject([
      {
        rule: 'wrong-belief',
        severity: 'error',
        plan: { name: 'told-pending', confirmed: 1, isFlaky: true },
      },
    ])
  })

  it('explore does not hold against a client what no repetition shows again', async () => {
    const { causes, isPassed } = await explore(
      moody(nth => nth !== 1),
      options,
    )
    expect(causes).toMatchObject([
      {
        rule: 'wrong-belief',
        severity: 'information',
        plan: { name: 'told-pending', confirmed: 0, isFlaky: true },
      },
    ])
    expect(isPassed).toBe(true)
  })

  it('explore still finds with a larger plan what a smaller one showed only once', async () => {
    // The second run is the undisturbed one.
    const client = moody((nth, isDisturbed) => !isDisturbed && nth !== 2)
    const { causes } = await explore(client, options)
    expect(causes).toMatchObject([
      { severity: 'error', plan: { name: 'told-pending', confirmed: 3, isFlaky: false } },
      { severity: 'information', plan: { name: 'undisturbed', confirmed: 0, isFlaky: true } },
    ])
  })

  it('explore reports what it found so far when it is interrupted', async () => {
    const stop = new AbortController()
    const { causes, ended, isPassed } = await explore(
      moody(() => false),
      {
        depth: 1,
        signal: stop.signal,
        onProgress: ({ depth, done }) => depth === 1 && done === 3 && stop.abort(),
      },
    )
    expect(causes).toMatchObject([
      { rule: 'wrong-belief', plan: { name: 'undisturbed', troubles: [], confirmed: null, isFlaky: false } },
    ])
    expect(causes[0]!.case.name).toBe('undisturbed')
    expect([ended, isPassed]).toEqual(['it was interrupted', false])
  })

  it('explore does not pass a client that was still pausing at its time limit', async () => {
    const client: ClientFunction = async call => {
      await post(call, 'only')
      return new Promise<never>(() => {})
    }
    const result = await runExam({ client, timeout: 2_000, plans: ['told-pending'] })
    expect(result).toMatchObject({ causes: [], exploration: { runs: 1, inconclusive: 1 }, isPassed: false })
  })
})

describe('clients that cannot be explored', () => {
  it('explore says which two runs differ when a client is not deterministic', async () => {
    let starts = 0
    const result = await explore(
      async call => {
        await post(call, 'only').catch(() => {})
        await pause(++starts * 1_000)
        return askOnce(call)
      },
      { depth: 1 },
    )
    const { divergence, levels } = result.exploration
    expect(divergence).toMatchObject({ plan: 'undisturbed', longer: 'undisturbed' })
    expect(divergence!.runs[0]).not.toEqual(divergence!.runs[1])
    expect(levels.map(({ isComplete }) => isComplete)).toEqual([false, false])
    expect(examText(result, { colours: false, isVerbose: false })).toContain(
      'The client is not deterministic, so no depth is complete',
    )
  })

  it('explore says which repetition of a finding is not the same', async () => {
    let starts = 0
    const result = await explore(
      async call => {
        // The first run asks once more, and no other does.
        if (++starts === 1) await post(call, 'other')
        await post(call, 'only')
        return 'sent' as const
      },
      { plans: ['undisturbed'] },
    )
    expect(result.causes[0]!.plan).toMatchObject({ isFlaky: true, confirmed: 0 })
    expect(result.exploration.divergence!.runs.map(({ length }) => length)).toEqual([2, 1])
  })

  it.each<[what: string, rule: string, client: ClientFunction]>([
    ['sends nothing', 'ended-at-start', async () => 'unknown'],
    ['sends nothing and claims that it did', 'environment-ignored', async () => 'sent'],
    [
      'crashes at its start',
      'crashed',
      () => {
        throw new Error('no configuration')
      },
    ],
    [
      'sends to an address of its own',
      'ended-at-start',
      call => askOnce({ ...call, url: 'http://192.0.2.1' }),
    ],
    [
      'sends a synchronization of its own',
      'environment-ignored',
      call => askOnce({ ...call, synchronizationId: '1' }),
    ],
    ['never sends and never ends', 'silent', () => new Promise(() => {})],
    ['floods', 'flooded', flood],
  ])('explore plays nothing else when a client %s without any trouble', async (_, rule, client) => {
    const result = await explore(client)
    expect(result).toMatchObject({ isPassed: false, isWhole: false, exploration: { levels: [{ depth: 0 }] } })
    expect(result.ended).toBe(`the client fails without any trouble (${rule}): nothing else was played`)
    expect(result.causes.map(it => it.rule)).toContain(rule)
  })

  it.each([
    ['never ends', 'never-ended', () => new Promise<never>(() => {})],
    ['waits between requests for ever', 'never-ended', loop],
  ])('explore ends a client that %s', async (_, rule, rest) => {
    const result = await explore(
      async call => {
        await post(call, 'only', { signal: AbortSignal.timeout(30_000) }).catch(() => {})
        return rest()
      },
      { plans: ['undisturbed'] },
    )
    expect(result.causes.map(it => it.rule)).toContain(rule)
  })

  it('explore reports an exception of a client as a crash', async () => {
    const result = await explore(
      async call => {
        await post(call, 'only')
        throw new Error('out of luck')
      },
      { plans: ['undisturbed'] },
    )
    expect(result.causes.map(it => it.rule)).toContain('crashed')
  })

  it('explore refuses what is no function', async () => {
    await expect(runExam({ client: 'node client.mjs' as never })).rejects.toThrow('expected a function')
  })

  it('explore refuses a text in place of a list of plans', async () => {
    const wrong = runExam({ client: askOnce, first: 'reset-after' as never })
    await expect(wrong).rejects.toThrow("first: expected a list, such as ['reset-after']")
  })

  it('explore refuses a name of no plan', async () => {
    await expect(runExam({ client: askOnce, first: ['no-such'] })).rejects.toThrow('no plan "no-such"')
  })
})

const flood: ClientFunction = async call => {
  for (;;) await post(call, 'only').catch(() => {})
}

async function loop(): Promise<never> {
  for (;;) await pause(60_000)
}
