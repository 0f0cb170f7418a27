import { describe, expect, it } from 'vitest'
import { judged } from '../../soak/series.mjs'
import { median, trendOf } from '../../soak/trend.mjs'

/** Noise that is the same in every run: between -1 and 1, without a pattern that a line could follow. */
const noise = (at: number) => Math.sin(at * 12.9898 + 78.233) * Math.cos(at * 4.1414)
const made = (count: number, value: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => value(at))
const bound = { absolute: 6, relative: 0.1 }

describe('a series is flat', () => {
  it.each([
    ['when it stays', made(24, () => 30)],
    ['when it only trembles', made(24, at => 30 + 2 * noise(at))],
    ['when it fills up in the first half', made(24, at => 30 + 60 * Math.min(at, 11) + noise(at))],
    ['when it falls', made(24, at => 100 - 3 * at)],
    ['when two measurements were taken at a bad moment', made(24, at => ([17, 22].includes(at) ? 300 : 30))],
    ['when it goes up and down', made(24, at => 30 + 2 * (at % 4))],
    ['in a short run, with few measurements', made(10, at => 30 + 2 * noise(at))],
  ])('a series is flat: %s', (_, values) => {
    expect(trendOf(values, bound)).toMatchObject({ grows: false })
  })
})

describe('a series grows', () => {
  it.each([
    ['steadily', made(24, at => 30 + at)],
    ['amid noise', made(24, at => 30 + at + 2 * noise(at))],
    ['though now and then it falls', made(24, at => 30 + at - (at % 5 === 0 ? 3 : 0))],
    ['late', made(24, at => 30 + Math.max(0, at - 12) * 2)],
    ['in steps', made(24, at => 30 + 4 * Math.floor(at / 3))],
    ['in a short run', made(10, at => 30 + 2 * at + noise(at))],
  ])('a series grows: %s', (_, values) => {
    expect(trendOf(values, bound)).toMatchObject({ grows: true })
  })
})

it('growth is what the line gains over the second half, which the larger bound is held against', () => {
  const values = made(24, at => 100 + 2 * at)
  // Twelve measurements from 124 to 146, in the middle 135.
  expect(trendOf(values, { absolute: 22, relative: 0 })).toEqual({
    level: 135,
    growth: 22,
    allowed: 22,
    grows: false,
  })
  expect(trendOf(values, { absolute: 21, relative: 0 })).toMatchObject({ grows: true })
  expect(trendOf(values, { absolute: 21, relative: 0.2 })).toMatchObject({ allowed: 27, grows: false })
})

it('too few measurements, or what is no number, are refused rather than judged', () => {
  expect(() => trendOf([1, 2, 3], bound)).toThrow('3 measurements show no trend')
  expect(() => trendOf([1, 2, 3, Number.NaN, 5, 6], bound)).toThrow('a measurement is NaN')
})

it.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
  expect(median(values)).toBe(expected)
})

describe('a soak', () => {
  const mega = 1024 * 1024
  /** As measured on the mock at rest, with `more` of something in each interval. */
  const samples = (more: Partial<Record<string, number>> = {}, requests = 10_000) =>
    made(24, at => at).map(at => {
      const level = {
        heap: 32 * mega,
        rss: 125 * mega,
        handles: 26,
        resources: 4,
        files: 3 * mega,
        cpu: 700,
        latency: 12,
      }
      const grown = Object.entries(level).map(([key, value]) => [
        key,
        value * (1 + 0.02 * noise(at)) + (more[key] ?? 0) * requests * at,
      ])
      return Object.fromEntries(grown) as Record<string, number>
    })
  const found = (given: Record<string, number>[], isShort = false) =>
    judged(given, isShort)
      .filter(({ grows }) => grows)
      .map(({ sentence }) => sentence.replace(/:.*/, ''))

  it('a soak passes where nothing grows', () => {
    expect(found(samples())).toEqual([])
  })

  it('a short soak passes where the heap comes and goes within five intervals, and fails where less goes than came', () => {
    const saw = (more: number) =>
      made(20, at => 34 + 3 * (at % 5) + more * at).map(megabytes => ({ heap: megabytes * 1024 * 1024 }))
    expect(found(saw(0), true)).toEqual([])
    expect(found(saw(2), true)).toEqual(['heap MB'])
  })

  it.each([
    ['100 bytes of heap for each request', 'heap MB', { heap: 100 }],
    ['500 bytes of memory outside of the heap for each request', 'RSS MB', { rss: 500 }],
    ['a socket for one request in ten thousand', 'handles', { handles: 1 / 10_000 }],
    ['a timer for one request in five thousand', 'resources', { resources: 1 / 5_000 }],
    ['50 bytes on disk for each request', 'files MB', { files: 50 }],
    ['five microseconds more for each thousand requests', 'CPU µs/request', { cpu: 5 / 1_000 }],
    ['four milliseconds more for each ten thousand requests', 'read p50 ms', { latency: 4 / 10_000 }],
  ])('a soak finds a leak of %s', (_, title, more) => {
    expect(found(samples(more))).toEqual([title])
  })

  it.each(['cpu', 'latency'])('a soak allows %s to move as much as other work of a machine moves it', key => {
    const level = key === 'cpu' ? 700 : 12
    const moved = samples().map((sample, at) => ({ ...sample, [key]: level * (1 + 0.2 * noise(at)) }))
    expect(found(moved)).toEqual([])
  })

  it('a soak leaves out what the system does not tell, and says so', () => {
    const told = judged(
      samples().map(({ files, ...rest }) => rest),
      false,
    )
    expect(told.map(({ sentence }) => sentence)).toContain('files MB: not measured')
  })

  it('of seconds judges memory as any other, and what depends on other work of the machine not at all', () => {
    expect(found(samples({ latency: 4 / 10_000, heap: 100 }), true)).toEqual(['heap MB'])
  })
})
