import type { Evidence } from '../../src/judge/evidence.ts'
import type { rules } from '../../src/judge/rules/registry.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { ids, synchronizationPath, type TestMockOptions } from '../mock.ts'
import { onCreate } from '../rig/stage.ts'
import { notSent, sent, type Trial, unknown } from './stage.ts'

/** What a client does to break a rule, and what the judge is to make of it. */
export interface Misdeed {
  /** Rules of a scenario that are in force. */
  readonly rules?: readonly object[]
  readonly does: (client: Trial) => Promise<void>
  /** How the client ends; some of it only the record can say. */
  readonly end?: ClientEnd | ((evidence: Evidence) => ClientEnd)
  readonly options?: TestMockOptions
}

/** How the tests show that a rule finds what it is for. */
export interface RuleProof {
  /** A client of `examples/clients/mutants/` that is convicted of it; null if none breaks it. */
  readonly mutant: `M${number}` | null
  /** By what the client does. Each is found by this rule, and by no other. */
  readonly misdeeds: Readonly<Record<string, Misdeed>>
  /** Tests elsewhere that stand in for misdeeds. */
  readonly provedIn?: string
  /** Whether no trouble of an exploration gives a client the chance to break it. */
  readonly isUnexplored?: true
}

export const second = 1_000
export const minute = 60_000
export const reset = { phase: 'after', answer: { fault: 'reset' } }
export const before500 = { phase: 'before' }
export const pending = { state: 'PENDING' }
export const failed = { state: 'FAILED' }
export const indeterminate = { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }
export const created = { state: 'CREATED' }
const failingReads = { on: 'listSendings', steps: [{ phase: 'before', answer: { status: 500 } }] }

export const sendings = synchronizationPath(ids.ready, '/sendings')

/** So many attempts with the same transactionId, with these pauses between them. */
export const attempts =
  (pauses: readonly number[], id = 'one') =>
  async (client: Trial) => {
    await client.post({ transactionId: id })
    for (const pause of pauses) {
      client.wait(pause)
      await client.post({ transactionId: id })
    }
  }

export const pagedSendings = synchronizationPath(ids.both, '/sendings')

/** A lost response, at most so many pages of all sendings, and a new transactionId. */
export const readingPages =
  (count: number, pageSize = 1) =>
  async (client: Trial) => {
    await client.post({ transactionId: 'one' }, pagedSendings)
    let next = `${pagedSendings}?includeAllStates=true&pageSize=${pageSize}`
    for (let page = 0; page < count && next; page++)
      next = (await client.get(next))._links.next?.href.replace(/^https?:..[^/]*/, '')
    client.wait(second)
    await client.post({ transactionId: 'two' }, pagedSendings)
  }

/** A second request after a second, whatever has become of the first. */
export const hedging = (body: object) => async (client: Trial) => {
  const { answer } = await client.ask(body)
  client.wait(second)
  await client.post(body)
  client.wait(30 * second)
  await answer
}

const doubling = [1, 2, 4, 8, 16, 32, 64, 128].map(it => it * second)

/**
 * A row for each rule of conduct. `rules.test.ts` plays the misdeeds; `test/examples/convictions.test.ts` and
 * `explore/explore.test.ts` hold the mutants and the explorations to it.
 */
export const ruleProofs: Readonly<Record<(typeof rules)[number]['id'], RuleProof>> = {
  R01: {
    mutant: 'M2',
    misdeeds: {
      'repeats without a transactionId after silence': {
        rules: [onCreate([reset, created])],
        async does(client) {
          await client.post({})
          client.wait(second)
          await client.post({})
        },
        end: sent,
      },
    },
  },
  R02: {
    mutant: 'M1',
    misdeeds: {
      'uses a new transactionId after a 500': {
        rules: [onCreate([{ phase: 'after', answer: { status: 500 } }], { when: { transactionId: 'one' } })],
        async does(client) {
          await client.post({ transactionId: 'one' })
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: sent,
      },
      'uses a new transactionId after a read that failed as well': {
        rules: [onCreate([reset], { when: { transactionId: 'one' } }), failingReads],
        async does(client) {
          await client.post({ transactionId: 'one' })
          await client.get(`${sendings}?includeAllStates=true`)
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: sent,
      },
      ...Object.fromEntries(
        [401, 429].map(status => [
          `uses a new transactionId after silence and a ${status}`,
          {
            rules: [
              onCreate([reset, { phase: 'before', answer: { status } }], { when: { transactionId: 'one' } }),
            ],
            async does(client: Trial) {
              await attempts([second])(client)
              client.wait(second)
              await client.post({ transactionId: 'two' })
            },
            end: sent,
          },
        ]),
      ),
      'goes on without a transactionId after silence': {
        rules: [onCreate([reset], { when: { transactionId: 'one' } })],
        async does(client) {
          await client.post({ transactionId: 'one' })
          client.wait(second)
          await client.post({})
        },
        end: sent,
      },
      'uses a new transactionId after it read a page of all states that is not the last': {
        rules: [onCreate([reset, reset], { when: { transactionId: 'one' } })],
        does: readingPages(1),
        end: unknown,
      },
    },
  },
  R03: {
    mutant: 'M4',
    misdeeds: {
      'uses a new transactionId while PENDING': {
        rules: [onCreate([pending], { when: { transactionId: 'one' } })],
        async does(client) {
          await client.post({ transactionId: 'one' })
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: sent,
      },
    },
  },
  R04: {
    mutant: 'M5',
    misdeeds: {
      'creates anew after INDETERMINATE_FAILURE': {
        rules: [onCreate([indeterminate], { when: { transactionId: 'one' } })],
        async does(client) {
          await client.post({ transactionId: 'one' })
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: sent,
      },
    },
  },
  R05: {
    mutant: 'M6',
    misdeeds: {
      'repeats after INDETERMINATE_FAILURE': {
        rules: [onCreate([indeterminate])],
        does: attempts([second]),
        end: unknown,
      },
      'repeats twice after it read INDETERMINATE_FAILURE': {
        rules: [onCreate([{ ...indeterminate, answer: { fault: 'reset' }, times: 2 }, indeterminate])],
        async does(client) {
          await client.post({ transactionId: 'one' })
          await client.get(`${sendings}?includeAllStates=true`)
          await attempts([second])(client)
        },
        end: unknown,
      },
    },
  },
  R06: {
    mutant: 'M7',
    misdeeds: {
      'repeats with the same transactionId after FAILED': {
        rules: [onCreate([failed])],
        does: attempts([second]),
        end: notSent,
      },
      'repeats twice after it read FAILED': {
        rules: [onCreate([{ ...failed, answer: { fault: 'reset' }, times: 2 }, failed])],
        async does(client) {
          await client.post({ transactionId: 'one' })
          await client.get(`${sendings}?includeAllStates=true`)
          await attempts([second])(client)
        },
        end: notSent,
      },
    },
  },
  R07: {
    mutant: 'M8',
    misdeeds: {
      'recreates four times': {
        rules: [onCreate([failed])],
        async does(client) {
          for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
            await client.post({ transactionId: id })
            client.wait(doubling[at]!)
          }
        },
        end: notSent,
      },
    },
  },
  R08: {
    mutant: null,
    misdeeds: {
      'recreates after sixteen minutes': {
        rules: [onCreate([failed])],
        async does(client) {
          await client.post({ transactionId: 'a' })
          client.wait(16 * minute)
          await client.post({ transactionId: 'b' })
        },
        end: notSent,
      },
    },
  },
  R09: {
    mutant: 'M9',
    misdeeds: {
      'pursues PENDING for more than five minutes': {
        rules: [onCreate([pending])],
        does: attempts([...doubling, 128 * second, 200 * second, 256 * second]),
        end: unknown,
      },
    },
  },
  R10: {
    mutant: 'M10',
    misdeeds: {
      'abandons PENDING after seven seconds': {
        rules: [onCreate([pending])],
        does: attempts(doubling.slice(0, 3)),
        end: unknown,
      },
      'abandons PENDING after a read that showed it once more': {
        rules: [onCreate([pending])],
        async does(client) {
          const { id } = await client.post({ transactionId: 'one' })
          client.wait(second)
          await client.get(`${sendings}/${id}`)
        },
        end: notSent,
      },
      'abandons PENDING after a read that failed': {
        rules: [onCreate([pending]), failingReads],
        async does(client) {
          await client.post({ transactionId: 'one' })
          await client.get(`${sendings}?includeAllStates=true`)
        },
        end: unknown,
      },
    },
  },
  R11: {
    mutant: 'M10',
    misdeeds: {
      'never repeats after a 500': {
        rules: [onCreate([before500])],
        does: attempts([]),
        end: notSent,
      },
      'never repeats after silence and a read that failed': {
        rules: [onCreate([reset]), failingReads],
        async does(client) {
          await client.post({ transactionId: 'one' })
          await client.get(`${sendings}?includeAllStates=true`)
        },
        end: notSent,
      },
    },
  },
  R12: {
    mutant: 'M12',
    misdeeds: {
      'changes the subject on a repeat': {
        rules: [onCreate([reset, created])],
        async does(client) {
          await client.post({ transactionId: 'one', subject: 'x' })
          client.wait(second)
          await client.post({ transactionId: 'one', subject: 'y' })
        },
        end: sent,
      },
      'counts its attempts in the payload': {
        rules: [onCreate([pending, created])],
        async does(client) {
          await client.post({ transactionId: 'one', attempt: 1 })
          client.wait(second)
          await client.post({ transactionId: 'one', attempt: 2 })
        },
        end: sent,
      },
    },
  },
  R13: {
    mutant: 'M11',
    misdeeds: {
      'computes the date anew for each attempt': {
        rules: [onCreate([pending, created])],
        async does(client) {
          await client.post({ transactionId: 'one', scheduleDate: '2026-12-01T10:00:00Z' })
          client.wait(second)
          await client.post({ transactionId: 'one', scheduleDate: '2026-12-01T10:00:01Z' })
        },
        end: sent,
      },
    },
  },
  R14: {
    mutant: 'M23',
    misdeeds: {
      'repeats a refused request unchanged': {
        async does(client) {
          for (let n = 0; n < 2; n++) {
            await client.post({ transactionId: 'one', scheduleDate: '2020-01-01T00:00:00Z' })
            client.wait(second)
          }
        },
        end: notSent,
      },
      'repeats a refused request unchanged, and is told 500 for the second refusal': {
        rules: [
          onCreate([
            { phase: 'after', times: 1 },
            { phase: 'after', answer: { status: 500 } },
          ]),
        ],
        async does(client) {
          for (let n = 0; n < 2; n++) {
            await client.post({ scheduleDate: '2020-01-01T00:00:00Z' })
            client.wait(second)
          }
        },
        end: notSent,
      },
      'repeats what a scenario refuses in the name of the service': {
        rules: [onCreate([{ phase: 'before', answer: { status: 400, by: 'service' } }])],
        does: attempts([second, second]),
        end: notSent,
      },
    },
  },
  R15: {
    mutant: 'M14',
    misdeeds: {
      'repeats without a pause': {
        rules: [onCreate([{ ...before500, times: 4 }, created])],
        does: attempts([0, 0, 0]),
        end: unknown,
      },
      'pauses now and then, and in between does not': {
        rules: [onCreate([{ ...before500, times: 12 }, created])],
        does: attempts(Array.from({ length: 12 }, (_, nth) => (nth % 2 === 0 ? 5 : 120))),
        end: sent,
      },
    },
  },
  R16: {
    mutant: 'M13',
    misdeeds: {
      'always waits five seconds': {
        rules: [onCreate([pending])],
        does: attempts(Array.from({ length: 59 }, () => 5 * second)),
        end: unknown,
      },
    },
  },
  R17: {
    mutant: 'M15',
    misdeeds: {
      'asks again while the first request is under way': {
        rules: [onCreate([{ delay: '30s', times: 1 }, created])],
        does: hedging({ transactionId: 'one' }),
        end: sent,
      },
      'does so without a transactionId': {
        rules: [onCreate([{ delay: '30s', times: 1 }, created])],
        does: hedging({}),
        end: sent,
      },
    },
  },
  R18: {
    mutant: 'M24',
    misdeeds: {
      'comes earlier than Retry-After asked': {
        rules: [onCreate([{ phase: 'before', answer: { status: 503, retryAfter: 120 }, times: 1 }, created])],
        does: attempts([30 * second]),
        end: sent,
      },
    },
  },
  R19: {
    mutant: 'M18',
    misdeeds: {
      'uses a transactionId for another mailing': {
        async does(client) {
          await client.post({ transactionId: 'one', subject: 'x' })
          client.wait(second)
          await client.post({ transactionId: 'one', subject: 'y' })
        },
        end: { believes: 'sent', expected: 2 },
      },
      'has one transactionId for two mailings': {
        async does(client) {
          await client.post({ transactionId: 'newsletter' })
          client.wait(second)
          await client.post({ transactionId: 'newsletter' })
        },
        end: { believes: 'sent', expected: 2 },
      },
    },
  },
  R20: {
    mutant: null,
    misdeeds: {
      'has a transactionId of 101 characters': {
        does: attempts([], 'x'.repeat(101)),
        end: notSent,
      },
    },
  },
  R21: {
    mutant: null,
    misdeeds: {
      'creates without asking whether it is ready': {
        async does(client) {
          await client.post({ transactionId: 'one' }, synchronizationPath(ids.draftOnly, '/sendings'))
        },
        end: notSent,
      },
      'does so where errors tell nothing but their status': {
        options: { dials: { 'error-body': 'minimal' } },
        async does(client) {
          await client.post({ transactionId: 'one' }, synchronizationPath(ids.draftOnly, '/sendings'))
        },
        end: notSent,
      },
    },
  },
  R22: {
    mutant: 'M21',
    misdeeds: {
      'looks where its sending cannot be seen': {
        rules: [
          onCreate([{ phase: 'bound', answer: { fault: 'reset' } }], { when: { transactionId: 'one' } }),
        ],
        async does(client) {
          await client.post({ transactionId: 'one' })
          await client.get(sendings)
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: sent,
      },
    },
  },
  R23: {
    mutant: null,
    misdeeds: {
      'creates another one after CREATED': {
        async does(client) {
          await client.post({ transactionId: 'one' })
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: sent,
      },
    },
  },
  R24: {
    mutant: 'M16',
    misdeeds: {
      'takes any success for sent': {
        rules: [onCreate([pending])],
        does: attempts([]),
        end: sent,
      },
      'takes the sending of another client for its own': {
        rules: [onCreate([{ phase: 'before', answer: { fault: 'reset' } }])],
        async does(client) {
          // The fixture has a sending there in state CREATED.
          const path = synchronizationPath(ids.both, '/sendings')
          await client.post({}, path)
          await client.get(path)
        },
        end: sent,
      },
    },
  },
  R25: {
    mutant: 'M20',
    misdeeds: {
      'follows a redirect with a GET': {
        rules: [onCreate([{ phase: 'before', answer: { fault: 'redirect-303' } }])],
        async does(client) {
          await client.post({ transactionId: 'one' })
          await client.get(sendings)
        },
        end: sent,
      },
    },
  },
  R26: {
    mutant: null,
    misdeeds: {
      'goes on with credentials that are refused': {
        rules: [onCreate([{ phase: 'before', answer: { status: 401 } }])],
        does: attempts(doubling.slice(0, 2)),
        end: notSent,
      },
    },
  },
  R27: {
    mutant: 'M27',
    misdeeds: {
      'retries at two layers': {
        rules: [onCreate([before500])],
        does: attempts([500, 500, 9_000, 500, 500, 30_000, 500, 500]),
        end: unknown,
      },
    },
  },
  // Uploads, other hosts and TLS are no part of an exploration.
  R28: {
    mutant: null,
    isUnexplored: true,
    misdeeds: {
      'repeats a mailing-upload after silence': {
        rules: [{ on: 'createMailingUpload', steps: [{ phase: 'after', answer: { fault: 'reset' } }] }],
        async does(client) {
          for (let n = 0; n < 2; n++) {
            await client.post({}, synchronizationPath(ids.ready, '/mailing-uploads'))
            client.wait(second)
          }
        },
        end: unknown,
      },
    },
  },
  R29: {
    mutant: 'M22',
    misdeeds: {
      'loses its transactionId over a restart': {
        rules: [onCreate([reset], { when: { transactionId: 'one' } })],
        async does(client) {
          await client.post({ transactionId: 'one' })
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: ({ attempts }) => ({ ...sent, restarts: [attempts[1]!.arrived.real] }),
      },
    },
  },
  R30: {
    mutant: null,
    isUnexplored: true,
    misdeeds: {
      'sends its credentials elsewhere': {
        does: attempts([]),
        end: { believes: 'sent', leakedTo: ['evil.example'] },
      },
    },
  },
  R31: {
    mutant: null,
    isUnexplored: true,
    provedIn: 'test/tls/side-port.test.ts',
    misdeeds: {},
  },
}
