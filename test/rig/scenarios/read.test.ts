import { describe, expect, test } from 'vitest'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import { readScenario, ruleFrom, scenarioFrom } from '../../../src/rig/scenarios/read.ts'
import { ScenarioError } from '../../../src/rig/scenarios/scenario.ts'
import { operationIds } from '../../../src/service/operations.ts'

/** What the reader says of a file, a sentence for each problem. */
function problemsOf(text: string): readonly string[] {
  try {
    readScenario(text, 'broken', 'broken.yaml')
  } catch (error) {
    if (error instanceof ScenarioError) return error.problems
    throw error
  }
  return []
}

/** A file with one rule on createSending whose only step, or whose steps, are these. */
const steps = (...lines: string[]) =>
  `rules:\n  - on: createSending\n    steps:\n${lines.map(line => `      - ${line}\n`).join('')}`
const rule = (lines: string) => `rules:\n  - ${lines.replaceAll('\n', '\n    ')}\n`
const stepsOf = (...lines: string[]) => readScenario(steps(...lines), 'x', 'x.yaml').rules[0]!.steps

describe('a scenario is read into what is played', () => {
  test('with its name, source and every part', () => {
    const text = `
description: All of it.
rules:
  - on: [createSending, getSending]
    when: { transactionId: present, 'header:X-Try': 2, 'body:name': { prefix: a, glob: 'a*' } }
    per: client-request
    chance: 0.5
    steps:
      - { phase: before, answer: { status: 503, retryAfter: 2, headers: { X-Why: test } }, times: 2, for: 1m }
      - { answer: { fault: drip, every: 20ms }, delay: { min: 1s, max: 2s } }
      - { deliver: late, delay: 500ms, hold: here }
expect: { sent: 1, belief: sent }
tags: [one, two]
dials: { error-body: minimal }
`
    expect(readScenario(text, 'all', 'all.yaml')).toEqual({
      name: 'all',
      source: 'all.yaml',
      description: 'All of it.',
      rules: [
        {
          on: ['createSending', 'getSending'],
          when: [
            { subject: 'transactionId', present: true },
            { subject: 'header:X-Try', equals: 2 },
            { subject: 'body:name', prefix: 'a', glob: 'a*' },
          ],
          per: 'client-request',
          appliesBeforeBody: false,
          chance: 0.5,
          steps: [
            {
              phase: 'before',
              answer: { status: 503, headers: { 'X-Why': 'test' }, retryAfter: 2, body: 'problem' },
              times: 2,
              for: 60_000,
            },
            {
              phase: 'after',
              answer: { fault: faults.get('drip'), settings: { every: 20, bytes: 1 } },
              delay: { min: 1000, max: 2000 },
              times: 1,
            },
            { phase: 'after', deliver: 'late', delay: 500, hold: 'here' },
          ],
          written: expect.objectContaining({ per: 'client-request' }),
        },
      ],
      expect: { sent: 1, belief: 'sent' },
      tags: ['one', 'two'],
      dials: { 'error-body': 'minimal' },
      definition: expect.objectContaining({ tags: ['one', 'two'] }),
    })
  })

  test('and kept as it was written', () => {
    const { definition, rules } = readScenario(steps('{ state: PENDING, for: 1m30s }', '{}'), 'x', 'x')
    const written = { on: 'createSending', steps: [{ state: 'PENDING', for: '1m30s' }, {}] }
    expect([definition, rules[0]!.written]).toEqual([{ rules: [written] }, written])
  })

  test('with nothing but defaults', () => {
    const undisturbed = { description: '', rules: [], expect: undefined, tags: [], dials: {}, definition: {} }
    expect(readScenario('{}', 'none', 'none.yaml')).toEqual({
      name: 'none',
      source: 'none.yaml',
      ...undisturbed,
    })
    expect(stepsOf('{}')).toEqual([{ phase: 'after' }])
  })

  test.each([
    ['bound lasts five seconds where nothing is said', '{ phase: bound }', { times: undefined, for: 5000 }],
    ['bound with times lasts for these', '{ phase: bound, times: 2 }', { times: 2, for: undefined }],
    [
      'a date in the past is counted backwards',
      '{ answer: { status: 503, retryAfter: { dateAgo: 10s } } }',
      { answer: { retryAfter: { dateIn: -10_000 } } },
    ],
    [
      'an odd Retry-After stays text',
      '{ answer: { status: 503, retryAfter: { text: soon } } }',
      { answer: { retryAfter: { text: 'soon' } } },
    ],
    ['an error has a problem for its body', '{ answer: { status: 400 } }', { answer: { body: 'problem' } }],
    ['a success has no body', '{ answer: { status: 200 } }', { answer: { body: 'empty' } }],
    [
      'a delay may be log-normal',
      '{ delay: { median: 100ms, p99: 2s } }',
      { delay: { median: 100, p99: 2000 } },
    ],
  ])('a scenario is read into what is played: %s', (_, step, expected) => {
    expect(stepsOf(step)[0]).toMatchObject(expected)
  })

  test.each([
    ['present', { present: true }],
    ['absent', { present: false }],
    ['{ equals: present }', { equals: 'present' }],
    ['tx-1', { equals: 'tx-1' }],
    [
      '{ from: 2026-01-01T00:00:00Z, to: 2026-02-01T00:00:00+01:00 }',
      { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00+01:00' },
    ],
    ['{ from: 1, to: 1 }', { from: 1, to: 1 }],
  ])('the condition %s', (condition, expected) => {
    const text = rule(`on: createSending\nwhen: { 'body:name': ${condition} }\nsteps: [{}]`)
    expect(readScenario(text, 'x', 'x').rules[0]!.when).toEqual([{ subject: 'body:name', ...expected }])
  })

  test('"on" stays a key, though older YAML took it for true', () => {
    expect(readScenario(rule('on: "*"\nsteps: [{}]'), 'x', 'x').rules[0]!.on).toBe('*')
  })
})

describe('a mistake is told with file, line, column, what was seen and what is possible', () => {
  test.each([
    [
      'an unknown key of the file',
      'expct: 1\n',
      [
        '1:1: unknown key "expct"; did you mean "expect"? Possible: $schema, description, rules, expect, tags, dials',
      ],
    ],
    [
      'an unknown key of a step',
      steps('{ fase: after }'),
      [
        '4:11: rules[0].steps[0]: unknown key "fase"; did you mean "phase"? Possible: state, truth, times, for, phase, answer, delay, deliver, hold',
      ],
    ],
    [
      'an unknown state',
      steps('{ state: CRETED }'),
      [
        '4:18: rules[0].steps[0].state: "CRETED" is not possible; did you mean "CREATED"? Possible: PENDING, CREATED, FAILED, INDETERMINATE_FAILURE',
      ],
    ],
    [
      'an unknown phase',
      steps('{ phase: during }'),
      ['4:18: rules[0].steps[0].phase: "during" is not possible; possible: before, bound, partial, after'],
    ],
    [
      'an unknown value of a dial',
      'dials: { error-body: fully }',
      [
        '1:22: dials.error-body: "fully" is not possible; did you mean "full"? Possible: full, minimal, plain-json, text, empty',
      ],
    ],
    [
      'a number, a Boolean and null that have to be texts',
      'dials: { rate-limit: 60, bare-flags: true, approved-name-of-draft: null }',
      [
        '1:22: dials.rate-limit: expected a text, "60" with its quotation marks, got 60',
        '1:38: dials.bare-flags: expected a text, "true" with its quotation marks, got true',
        '1:68: dials.approved-name-of-draft: expected a text, "null" with its quotation marks, got null',
      ],
    ],
    [
      'a setting that the fault does not have',
      steps('{ answer: { fault: drip, pause: 1s } }'),
      ['4:34: rules[0].steps[0].answer: unknown key "pause"; possible: fault, every, bytes'],
    ],
    [
      'members of a step that stand in its answer',
      steps('{ answer: { delay: 2s, times: 3 } }'),
      [
        '4:21: rules[0].steps[0].answer: "delay" belongs to the step: write it beside answer, not in it',
        '4:32: rules[0].steps[0].answer: "times" belongs to the step: write it beside answer, not in it',
      ],
    ],
    [
      'a member of a step beside what an answer has',
      steps('{ phase: before, answer: { status: 500, delay: 2s } }'),
      ['4:49: rules[0].steps[0].answer: "delay" belongs to the step: write it beside answer, not in it'],
    ],
    [
      'members of a response that stand beside it, without what follows from that',
      steps('{ fault: drip, every: 1s }'),
      ['4:11: rules[0].steps[0]: "fault" belongs to the answer of a step: write it in answer: { … }'],
    ],
    [
      'a member of a response that stands in a rule',
      'rules:\n  - on: "*"\n    status: 500\n',
      ['3:5: rules[0]: "status" belongs to the answer of a step: write it in answer: { … }'],
    ],
    [
      'a setting of the wrong kind',
      steps('{ answer: { fault: drip, every: 3 } }'),
      [
        '4:41: rules[0].steps[0].answer.every: expected a duration with its unit, since a number alone may be seconds or milliseconds, such as 500ms, 30s, 5m, 1h30m, 2d or PT5M, got 3',
      ],
    ],
    [
      'a rule without steps',
      rule('on: createSending'),
      ['2:5: rules[0].steps: expected a list, got nothing'],
    ],
    [
      'a rule with no step',
      rule('on: createSending\nsteps: []'),
      ['3:12: rules[0].steps: expected a list of at least 1, got []'],
    ],
    [
      'a rule on nothing',
      rule('steps: [{}]'),
      ['2:5: rules[0].on: expected an operation, a list of operations, or "*", got nothing'],
    ],
    [
      'a response that is a word',
      steps('{ answer: reset }'),
      [
        '4:19: rules[0].steps[0].answer: expected a response with its status, or a fault by its name, got "reset"',
      ],
    ],
    [
      'a response without status',
      steps('{ answer: { body: empty } }'),
      ['4:19: rules[0].steps[0].answer.status: expected a number, got nothing'],
    ],
    [
      'a status that is none',
      steps('{ answer: { status: 101 } }'),
      ['4:29: rules[0].steps[0].answer.status: expected a number of at least 200, got 101'],
    ],
    [
      'a header that frames the answer',
      steps('{ answer: { status: 200, headers: { Connection: close } } }'),
      [
        '4:45: rules[0].steps[0].answer.headers: Connection frames the response and is not for a scenario to set; faults such as truncate or close damage the frame',
      ],
    ],
    [
      'a header that would become two',
      steps('{ answer: { status: 200, headers: { X: "a\\r\\nB: c" } } }'),
      [
        '4:48: rules[0].steps[0].answer.headers.X: expected one line of text in Latin-1, without line breaks and control characters, got "a\\r\\nB: c"',
      ],
    ],
    [
      'a body that is not known',
      steps('{ answer: { status: 500, body: html } }'),
      [
        '4:40: rules[0].steps[0].answer.body: expected problem, gateway-html, empty, or { text: … } with the body itself, got "html"',
      ],
    ],
    [
      'a Retry-After that is a fraction',
      steps('{ answer: { status: 503, retryAfter: 1.5 } }'),
      [
        '4:46: rules[0].steps[0].answer.retryAfter: expected whole seconds, or one of dateIn: 10s, dateAgo: 10s, text: soon, got 1.5',
      ],
    ],
    [
      'a delay without its unit',
      steps('{ delay: 5 }'),
      [
        '4:18: rules[0].steps[0].delay: expected a duration such as 2s, or min and max, or median and p99, got 5',
      ],
    ],
    [
      'a choice of delays with one end',
      steps('{ delay: { min: 1s } }'),
      [
        '4:18: rules[0].steps[0].delay.max: expected a duration such as 500ms, 30s, 5m, 1h30m, 2d or PT5M, got nothing',
      ],
    ],
    [
      'a name of a hold that is a path',
      steps('{ hold: ../x }'),
      [
        '4:17: rules[0].steps[0].hold: expected a name of letters, digits, dots, hyphens and underscores, at most 100, got "../x"',
      ],
    ],
    [
      'something to look at that there is not',
      rule('on: createSending\nwhen: { transactonId: present }\nsteps: [{}]'),
      [
        '3:13: rules[0].when: "transactonId" is not possible; did you mean "transactionId"? Possible: transactionId, synchronizationId, user, path, header:NAME, query:NAME, body:MEMBER',
      ],
    ],
    [
      'a regular expression',
      rule('on: createSending\nwhen: { transactionId: { regex: a+ } }\nsteps: [{}]'),
      [
        '3:30: rules[0].when.transactionId: unknown key "regex"; possible: present, equals, prefix, glob, from, to',
      ],
    ],
    [
      'a glob with too many stars',
      rule(`on: createSending\nwhen: { user: { glob: '${'*a'.repeat(9)}' } }\nsteps: [{}]`),
      ['3:27: rules[0].when.user.glob: expected at most 8 stars, got 9'],
    ],
    [
      'a glob that is too long',
      rule(`on: createSending\nwhen: { user: { glob: ${'a'.repeat(201)} } }\nsteps: [{}]`),
      [`3:27: rules[0].when.user.glob: expected a text of at most 200 characters, got "${'a'.repeat(56)}...`],
    ],
    [
      'a chance that is none',
      rule('on: createSending\nchance: 0\nsteps: [{}]'),
      ['3:13: rules[0].chance: expected a number of more than 0, got 0'],
    ],
    [
      'a belief that nobody has',
      'expect: { sent: 1, belief: maybe }',
      ['1:28: expect.belief: "maybe" is not possible; possible: sent, not-sent, unknown'],
    ],
    [
      'a list instead of a scenario',
      '- on: createSending\n',
      ['1:1: expected keys with values, got [{"on":"createSending"}]'],
    ],
    ['nothing', '', ['1:1: expected keys with values, got null']],
  ])(
    'a mistake is told with file, line, column, what was seen and what is possible: %s',
    (_, text, expected) => {
      expect(problemsOf(text)).toEqual(expected.map(it => `broken.yaml:${it}`))
    },
  )

  test('an unknown operation, with all there are', () => {
    const [told, ...others] = problemsOf(rule('on: createSendin\nsteps: [{}]'))
    expect(others).toEqual([])
    expect(told).toBe(
      `broken.yaml:2:9: rules[0].on: "createSendin" is not possible; did you mean "createSending"? Possible: *, ${operationIds.join(', ')}`,
    )
  })

  test('an unknown fault, with all there are', () => {
    const [told, ...others] = problemsOf(steps('{ answer: { fault: rest } }'))
    expect(others).toEqual([])
    expect(told).toMatch(
      /^broken\.yaml:4:28: rules\[0\]\.steps\[0\]\.answer\.fault: "rest" is not possible; did you mean "reset"\? Possible: hang, close, reset, .*, lower-case-state$/,
    )
  })

  test('a misspelt key of an answer, of a fault and of a response', () => {
    expect(problemsOf(steps('{ answer: { falt: reset } }'))).toEqual([
      'broken.yaml:4:21: rules[0].steps[0].answer: unknown key "falt"; did you mean "fault"?',
    ])
    expect(problemsOf(steps('{ answer: { statu: 500 } }'))).toContainEqual(
      expect.stringContaining(
        'answer: unknown key "statu"; did you mean "status"? Possible: status, headers,',
      ),
    )
  })

  test('an unknown dial, with all there are', () => {
    const [told] = problemsOf('dials: { eror-body: full }')
    expect(told).toMatch(
      /^broken\.yaml:1:10: dials: unknown key "eror-body"; did you mean "error-body"\? Possible: .*, rate-limit/,
    )
  })

  test('several mistakes at once, in the order of the file, a sentence each', () => {
    const told = problemsOf(`${steps('{ state: DONE, times: 0 }', '{ hold: "" }')}extra: 1\n`)
    expect(told.map(it => it.split(': ')[0])).toEqual(
      ['4:18', '4:31', '5:17', '6:1'].map(it => `broken.yaml:${it}`),
    )
  })

  test('a great many mistakes, the first twenty', () => {
    const told = problemsOf(steps(...Array.from({ length: 150 }, () => '{ state: DONE }')))
    expect(told).toHaveLength(21)
    expect(told.at(-1)).toBe('and 130 more problems')
  })
})

describe('what contradicts itself is refused', () => {
  const at = (place: string, problem: string) => [`broken.yaml:${place}: ${problem}`]
  test.each([
    [
      'a state in phase before',
      steps('{ phase: before, state: FAILED }'),
      at('4:33', 'rules[0].steps[0].state: in phase before nothing is done, so there is no state to tell'),
    ],
    [
      'a truth in phase before',
      steps('{ phase: before, truth: sent }'),
      at('4:33', 'rules[0].steps[0].truth: in phase before nothing is done, so there is no truth to tell'),
    ],
    [
      'INDETERMINATE_FAILURE without its truth',
      steps('{ state: INDETERMINATE_FAILURE }'),
      at('4:18', 'rules[0].steps[0].state: INDETERMINATE_FAILURE needs its truth: sent or not-sent'),
    ],
    [
      'CREATED that is not sent',
      steps('{ state: CREATED, truth: not-sent }'),
      at(
        '4:34',
        'rules[0].steps[0].truth: CREATED is sent, or stopped, or never-starts at its time; only INDETERMINATE_FAILURE may be either',
      ),
    ],
    [
      'FAILED that is sent',
      steps('{ state: FAILED, truth: sent }'),
      at(
        '4:33',
        'rules[0].steps[0].truth: FAILED is always not-sent; only INDETERMINATE_FAILURE may be either',
      ),
    ],
    [
      'PENDING that is sent',
      steps('{ state: PENDING, truth: sent }'),
      at(
        '4:34',
        'rules[0].steps[0].truth: PENDING is always not-sent; only INDETERMINATE_FAILURE may be either',
      ),
    ],
    [
      'partial that is sent',
      steps('{ phase: partial, state: INDETERMINATE_FAILURE, truth: sent }'),
      at(
        '4:64',
        'rules[0].steps[0].truth: in phase partial nothing is sent; for truth sent leave the phase out',
      ),
    ],
    [
      'bound that is CREATED',
      steps('{ phase: bound, state: CREATED }'),
      at('4:32', 'rules[0].steps[0].state: phase bound leaves no CREATED; possible: PENDING'),
    ],
    [
      'a state of what is no sending',
      rule('on: getSending\nsteps: [{ state: FAILED }]'),
      at(
        '3:22',
        'rules[0].steps[0].state: state describes a sending that is created, so the rule must be on createSending only',
      ),
    ],
    [
      'bound of anything else',
      rule('on: "*"\nsteps: [{ phase: bound, times: 1 }]'),
      at(
        '3:22',
        'rules[0].steps[0].phase: phase bound describes a sending that is created, so the rule must be on createSending only',
      ),
    ],
    [
      'another state after CREATED',
      steps('{ answer: { fault: reset } }', '{ state: FAILED }'),
      at(
        '5:18',
        'rules[0].steps[1].state: FAILED can never be shown: with per: transaction the sending is CREATED since steps[0] and stays so; to count across transaction IDs use per: client-request',
      ),
    ],
    [
      'CREATED after partial',
      steps('{ phase: partial }', '{ phase: before, answer: { status: 503 } }', '{ state: CREATED }'),
      at(
        '6:18',
        'rules[0].steps[2].state: CREATED can never be shown: with per: transaction the sending is FAILED since steps[0] and stays so; to count across transaction IDs use per: client-request',
      ),
    ],
    [
      'bound after FAILED',
      steps('{ state: FAILED }', '{ phase: bound }'),
      at(
        '5:18',
        'rules[0].steps[1].phase: PENDING can never be shown: with per: transaction the sending is FAILED since steps[0] and stays so; to count across transaction IDs use per: client-request',
      ),
    ],
    [
      'another truth',
      steps(
        '{ state: INDETERMINATE_FAILURE, truth: sent }',
        '{ state: INDETERMINATE_FAILURE, truth: not-sent }',
      ),
      at(
        '5:18',
        'rules[0].steps[1].state: INDETERMINATE_FAILURE can never be shown: with per: transaction the sending is INDETERMINATE_FAILURE since steps[0] and stays so; to count across transaction IDs use per: client-request',
      ),
    ],
    [
      'late without a delay',
      steps('{ deliver: late }'),
      at('4:20', 'rules[0].steps[0].deliver: deliver: late needs a delay, which says how late'),
    ],
    [
      'twice before anything is done',
      steps('{ deliver: twice, phase: before }'),
      at(
        '4:20',
        'rules[0].steps[0].deliver: deliver needs phase after; in phase before nothing is delivered',
      ),
    ],
    [
      'a body of 204',
      steps('{ answer: { status: 204, body: problem } }'),
      at('4:40', 'rules[0].steps[0].answer.body: a response with status 204 has no body; expected empty'),
    ],
    [
      'two Retry-After',
      steps('{ answer: { status: 503, retryAfter: 1, headers: { retry-after: "2" } } }'),
      at(
        '4:73',
        'rules[0].steps[0].answer.headers.retry-after: it is given here and as retryAfter; say it once',
      ),
    ],
    [
      'a delay from more to less',
      steps('{ delay: { min: 2s, max: 1s } }'),
      at('4:18', 'rules[0].steps[0].delay: min and max are the wrong way round'),
    ],
    [
      'an empty range',
      rule("on: createSending\nwhen: { 'body:n': { from: 2, to: 1 } }\nsteps: [{}]"),
      at('3:23', 'rules[0].when.body:n: nothing lies between from 2 and to 1'),
    ],
    [
      'a range of two kinds',
      rule("on: createSending\nwhen: { 'body:n': { from: 2, to: 2026-01-01T00:00:00Z } }\nsteps: [{}]"),
      at('3:23', 'rules[0].when.body:n: from and to must both be numbers or both date-times'),
    ],
    [
      'a condition without parts',
      rule('on: createSending\nwhen: { user: {} }\nsteps: [{}]'),
      at(
        '3:19',
        'rules[0].when.user: a condition without any part; expected equals, prefix, glob, from, to or present',
      ),
    ],
    [
      'a value of what is absent',
      rule('on: createSending\nwhen: { user: { present: false, glob: a } }\nsteps: [{}]'),
      at('3:19', 'rules[0].when.user: what is not present has no glob'),
    ],
    [
      'keepalive-race in between',
      steps('{ phase: bound, times: 1, answer: { fault: keepalive-race } }'),
      at('4:52', 'rules[0].steps[0].answer.fault: keepalive-race needs phase before or after, not bound'),
    ],
    [
      'a rule that is never reached',
      `${rule('on: [createSending, getSending]\nsteps: [{}]')}  - on: createSending\n    steps: [{}]\n`,
      at(
        '4:5',
        'rules[1]: it can never apply: rules[0] takes every request that it is about, for ever; put it in front, or limit that rule',
      ),
    ],
  ])('what contradicts itself is refused: %s', (_, text, expected) => {
    expect(problemsOf(text)).toEqual(expected)
  })

  test('reset-upload where the body is needed, with every reason', () => {
    const text = rule(
      'on: createSending\nwhen: { transactionId: present }\nsteps:\n  - { answer: { fault: reset-upload } }',
    )
    const why = "rules[0].steps[0].answer.fault: reset-upload strikes before the request's body is read"
    expect(problemsOf(text)).toEqual([
      `broken.yaml:5:28: ${why}: it needs phase before`,
      `broken.yaml:5:28: ${why}, so attempts of a transaction cannot be counted: it needs per: space`,
      `broken.yaml:5:28: ${why}: the rule cannot have a condition on transactionId`,
    ])
  })

  test.each([
    ['the same state again', steps('{ state: FAILED }', '{ state: FAILED, delay: 1s }')],
    ['no state after a terminal one', steps('{ state: FAILED }', '{ answer: { fault: reset } }')],
    [
      'an error in front of what is CREATED',
      steps('{ answer: { fault: reset } }', '{ phase: before, answer: { status: 503 } }'),
    ],
    [
      'partial that the platform finishes',
      steps('{ phase: partial, state: PENDING, times: 1 }', '{ state: CREATED }'),
    ],
    [
      'another state for another transaction',
      rule('on: createSending\nper: client-request\nsteps: [{ state: FAILED }, { state: CREATED }]'),
    ],
    [
      'a rule behind one that ends',
      `${rule('on: "*"\nsteps: [{ times: 1 }]')}  - on: createSending\n    steps: [{}]\n`,
    ],
    [
      'a rule behind one that fires by chance',
      `${rule('on: "*"\nchance: 0.5\nsteps: [{}]')}  - on: createSending\n    steps: [{}]\n`,
    ],
    [
      'a rule on more than the one before',
      `${rule('on: createSending\nsteps: [{}]')}  - on: "*"\n    steps: [{}]\n`,
    ],
  ])('but not %s', (_, text) => {
    expect(problemsOf(text)).toEqual([])
  })
})

const headOfSteps = 'rules:\n  - on: createSending\n    steps:\n'
test.each([
  ['a key of a rule one column to the left', 'rules:\n  - on: createSending\n   steps: [{}]\n', '3:4'],
  ['a key of a rule to the right', 'rules:\n  - on: createSending\n      steps: [{}]\n', '3:7'],
  [
    'a key of a step one column to the left',
    `${headOfSteps}      - state: PENDING\n       for: 30s\n`,
    '5:8',
  ],
  [
    'a key of a step to the right',
    `${headOfSteps}    - phase: after\n        answer: { fault: reset }\n`,
    '5:9',
  ],
  ['a key below another one to the right', 'description: x\n\n rules:\n  - on: createSending\n', '3:2'],
  ['a rule to the left of the first', 'rules:\n    - on: "*"\n      steps: [{}]\n  - on: "*"\n', '4:3'],
])('a wrong indentation is told as such, once and at its line: %s', (_, text, place) => {
  const problem =
    'the indentation of this line does not fit the lines above: what belongs to one block begins in the same column'
  expect(problemsOf(text)).toEqual([`broken.yaml:${place}: ${problem}`])
})

test('a second colon in a line is told as such, and not as a wrong indentation', () => {
  expect(problemsOf('description: a: b\nrules: []\n')).toEqual([
    'broken.yaml:1:14: this is not YAML that can be read: a second colon stands on the line; put the value into quotes',
  ])
})

describe('T49: text that is no scenario is refused with a sentence, and blocks nobody', () => {
  const bomb = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a, *a]`).join('\n')}\n`
  const manyKeys = Array.from({ length: 6_000 }, (_, i) => `key${i}: 1`).join('\n')
  test.each([
    [
      'an alias bomb',
      bomb,
      '1:4: anchors and aliases have no place in a scenario; write the part out where it is needed',
    ],
    [
      'an alias of itself',
      'rules: &r [*r]\n',
      '1:8: anchors and aliases have no place in a scenario; write the part out where it is needed',
    ],
    [
      'a tag that makes a function',
      'rules: !!js/function "x"\n',
      '1:8: tags have no place in a scenario; put text into quotes if it must stay text',
    ],
    [
      'a tag of YAML itself',
      'rules: !!set {a, b}\n',
      '1:8: tags have no place in a scenario; put text into quotes if it must stay text',
    ],
    [
      'a directive',
      '%YAML 1.1\n---\nrules: []\n',
      '1:1: directives have no place in a scenario; it is YAML 1.2',
    ],
    [
      'a merge key',
      '<<: { tags: [a] }\n',
      '1:1: unknown key "<<"; possible: $schema, description, rules, expect, tags, dials',
    ],
    ['a key given twice', 'tags: [a]\ntags: [b]\n', '2:1: the key "tags" stands here a second time'],
    [
      'a key given twice far inside',
      steps('{ times: 1, times: 2 }'),
      '4:21: the key "times" stands here a second time',
    ],
    [
      'a key that is no text',
      '? [a]\n: 1\n',
      '1:3: this is not YAML that can be read: With stringKeys, all keys must be strings',
    ],
    ['__proto__', '"__proto__": { tags: [a] }\n', '1:1: the key "__proto__" cannot be used'],
    [
      'tabs',
      'rules:\n\t- on: createSending\n',
      '2:1: this is not YAML that can be read: the line begins with a tab; use spaces',
    ],
    [
      'two documents',
      'tags: [a]\n---\ntags: [b]\n',
      '2:1: a second document begins; expected one scenario in a file',
    ],
    ['ten megabytes', 'x'.repeat(10 << 20), '1:1: the text is longer than 256 KiB, the most that is read'],
    [
      'brackets without end',
      '['.repeat(200_000),
      '1:31: brackets are nested more than 30 levels deep; no more are read',
    ],
    [
      'braces without end',
      '{a: '.repeat(60_000),
      '1:121: brackets are nested more than 30 levels deep; no more are read',
    ],
    [
      'lists in lists without end',
      '- '.repeat(100_000),
      '1:1: a line begins after column 200, the last in which one may',
    ],
    [
      'questions without end',
      '? '.repeat(100_000),
      '1:1: a line begins after column 200, the last in which one may',
    ],
    [
      'ever deeper lines',
      Array.from({ length: 600 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      '202:1: a line begins after column 200, the last in which one may',
    ],
    [
      'very many lines',
      'a: 1\n'.repeat(50_000),
      '7143:4: the text has more than 50000 words and signs, the most that is read',
    ],
  ])('text that is no scenario is refused with a sentence, and blocks nobody: %s', (_, text, expected) => {
    expect(problemsOf(text)).toEqual([`broken.yaml:${expected}`])
  })

  test('very many unknown keys', () => {
    expect(problemsOf(manyKeys)).toHaveLength(21)
  })

  test('signs within text are text', () => {
    const text =
      'description: >-\n  *not an alias, &no anchor, !no tag\n  [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\ntags: []\n'
    expect(readScenario(text, 'x', 'x').description).toMatch(/^\*not an alias.*\[$/)
  })

  test.each([
    [
      'too many rules',
      `rules:\n${'  - { on: getMailing, chance: 0.5, steps: [{}] }\n'.repeat(101)}`,
      '2:3: rules: expected a list of at most 100',
    ],
    [
      'too many steps',
      steps(...Array.from({ length: 201 }, () => '{}')),
      '4:7: rules[0].steps: expected a list of at most 200',
    ],
  ])('text that is no scenario is refused with a sentence, and blocks nobody: %s', (_, text, expected) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(`broken.yaml:${expected}`)])
  })
})

describe('what is written as digits', () => {
  const odd = [
    '004711',
    '20261128093000001',
    '1.10',
    '1e5',
    '0x1F',
    '0o17',
    '12345e678',
    '.inf',
    '-0',
    '+5',
    'True',
  ]
  const plain = ['4711', '1.5', '-3', 'true']
  const conditionOf = (condition: string) =>
    readScenario(rule(`on: createSending\nwhen: { ${condition} }\nsteps: [{ phase: before }]`), 'x', 'x.yaml')
      .rules[0]!

  test.each(
    ['transactionId', 'synchronizationId', 'user', 'path', '"header:X-Version"', '"query:since"'].flatMap(
      subject => odd.map(letters => [subject, letters]),
    ),
  )('keeps its letters in a condition on a text: %s %s', (subject, letters) => {
    for (const condition of [letters, `{ equals: ${letters} }`]) {
      const { when, written } = conditionOf(`${subject}: ${condition}`)
      expect(when).toEqual([{ subject: subject.replaceAll('"', ''), equals: letters }])
      // What a control call shows, and takes again.
      expect(JSON.stringify(written)).toContain(JSON.stringify(letters))
    }
    expect(conditionOf(`${subject}: { prefix: ${letters}, glob: ${letters} }`).when).toEqual([
      { subject: subject.replaceAll('"', ''), prefix: letters, glob: letters },
    ])
  })

  test.each(odd)(
    'is refused in a condition on a member of the body, where it would be another value: %s',
    letters => {
      for (const condition of [letters, `{ equals: ${letters} }`])
        expect(() => conditionOf(`"body:version": ${condition}`)).toThrow(/: .{2,17} counts as \S+: write "/)
      expect(conditionOf(`"body:version": "${letters}"`).when).toEqual([
        { subject: 'body:version', equals: letters },
      ])
    },
  )

  test.each(plain)('is a number or Boolean of a member of the body where nothing is lost: %s', letters => {
    expect(conditionOf(`"body:version": ${letters}`).when).toEqual([
      { subject: 'body:version', equals: JSON.parse(letters) },
    ])
  })

  test('is refused with all of its digits', () => {
    expect(problemsOf(steps('{ delay: 20261128093000001, hold: 004711 }'))).toEqual([
      'broken.yaml:4:18: rules[0].steps[0].delay: expected a duration such as 2s, or min and max, or median and p99, got 20261128093000001',
      'broken.yaml:4:43: rules[0].steps[0].hold: expected a text, got 004711',
    ])
    expect(
      problemsOf(rule('on: createSending\nwhen: { "body:n": 004711, usr: x }\nsteps: [{ phase: before }]')),
    ).toEqual([
      'broken.yaml:3:23: rules[0].when.body:n: 004711 counts as 4711: write "004711" with its quotation marks for the text, or 4711',
      expect.stringContaining('"usr" is not possible; did you mean "user"?'),
    ])
  })

  test('is refused in JSON beyond 2^53, where its last digits are lost', () => {
    const when = (condition: unknown) => () =>
      ruleFrom({ on: 'createSending', when: condition, steps: [{ phase: 'before' }] }, 'the body')
    const lost = JSON.parse('20261128093000001')
    for (const condition of [{ transactionId: lost }, { 'body:n': { equals: lost } }])
      expect(when(condition)).toThrow(
        'a number beyond 2^53 loses its last digits; write it in quotation marks',
      )
    expect(when({ 'body:n': { from: lost } })).toThrow('expected a number up to 2^53')
    expect(when({ 'body:n': { equals: Number.MAX_SAFE_INTEGER } })).not.toThrow()
  })
})

describe('a JSON value of a control call', () => {
  test('a JSON value of a control call is read as a file is', () => {
    const value = { rules: [{ on: 'createSending', steps: [{ state: 'FAILED' }] }] }
    expect(scenarioFrom(value, 'x', 'a control call')).toEqual(
      readScenario(JSON.stringify(value), 'x', 'a control call'),
    )
  })

  test('a JSON value of a control call is refused with the path of the member', () => {
    const value = { rules: [{ on: 'createSending', steps: [{ state: 'FALED' }] }] }
    expect(() => scenarioFrom(value, 'x', 'the body')).toThrow(
      'the body: rules[0].steps[0].state: "FALED" is not possible; did you mean "FAILED"?',
    )
  })

  test('a JSON value of a control call may be one rule, whose paths begin within it', () => {
    expect(ruleFrom({ on: 'getSending', steps: [{ answer: { status: 404 } }] }, 'the body').on).toEqual([
      'getSending',
    ])
    expect(() => ruleFrom({ on: 'getSending', steps: [{ state: 'FAILED' }] }, 'the body')).toThrow(
      'the body: steps[0].state: state describes a sending that is created',
    )
  })

  test.each([undefined, null, 5, 'reset', [], [[]]].map(it => [it]))('that is %j is refused', value => {
    expect(() => scenarioFrom(value, 'x', 'the body')).toThrow(/^the body: expected keys with values/)
    expect(() => ruleFrom(value, 'the body')).toThrow(/^the body: expected keys with values/)
  })
})
