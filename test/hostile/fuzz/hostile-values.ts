import fc from 'fast-check'

/** Texts that break whoever is careless with texts. */
const hostileTexts: readonly string[] = [
  '',
  ' ',
  '.',
  '..',
  '../../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '%',
  '%E0%A4%A',
  '/',
  '\\',
  '\u0000',
  'a\r\nX-Injected: 1',
  '\u001b[31m',
  '\u2028',
  '\u202eexe',
  '\ud800',
  '\udfff\ud800',
  '\ufeff',
  '😀',
  'a\u0308',
  'ä',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'NaN',
  'Infinity',
  '-0',
  '1e400',
  '9'.repeat(400),
  '*'.repeat(50),
  '*a'.repeat(8),
  'a'.repeat(201),
  'x'.repeat(5_000),
  '<script>hit(1)</script>',
  '"onmouseover="hit(1)',
  "'; DROP TABLE sendings; --",
  '$\u007b7*7}',
  '{{attribute}}',
  '=cmd()',
  '(a+)+$',
  'CON',
  'null',
  'true',
  'undefined',
  '[object Object]',
  ';a=b',
  ',',
  '#',
  '?',
  '&',
  '=',
  '+',
]

const hostileNumbers: readonly number[] = [
  0,
  -0,
  -1,
  1.5,
  1e21,
  Number.MAX_SAFE_INTEGER + 2,
  Number.MAX_VALUE,
  Number.MIN_VALUE,
  2 ** 31,
  2 ** 32,
  -(2 ** 53),
]

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 30 }),
)

const nested = (levels: number): unknown => {
  let value: unknown = 0
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value }
  return value
}

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(...hostileNumbers, null, true, false, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(5, 60, 70, 500).map(nested),
  fc
    .constantFrom('__proto__', 'constructor', 'toString')
    .map(name => JSON.parse(`{"${name}":{"polluted":1}}`)),
)
