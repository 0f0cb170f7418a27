import { describe, expect, test } from 'vitest'
import { type Choose, doCommute, type Step, searchOrders } from '../../../src/judge/orders/search.ts'
import { seededChance } from '../../../src/rig/chance.ts'

/** What a process of a small world does: reads a variable, or adds to one what it has read. */
interface Operation {
  readonly kind: 'read' | 'write'
  readonly variable: string
}

interface World {
  readonly processes: readonly (readonly Operation[])[]
  /** Whether one process may be killed. */
  readonly mayKill: boolean
}

/** Plays a world; the outcome is all that the processes read, and what the variables are at the end. */
const playWorld =
  ({ processes, mayKill }: World) =>
  async (choose: Choose): Promise<string | undefined> => {
    const variables = new Map<string, string>()
    const places = processes.map(() => 0)
    const seen = processes.map(() => '')
    let killed: number | undefined
    const isAlive = (at: number) => at !== killed && places[at]! < processes[at]!.length
    for (;;) {
      const possible = processes.flatMap((operations, at): Step[] => {
        if (!isAlive(at)) return []
        const { kind, variable } = operations[places[at]!]!
        const own = `/process${at}`
        return [
          {
            label: `p${at}.${places[at]}`,
            reads: kind === 'read' ? [`/${variable}`] : [],
            writes: kind === 'write' ? [own, `/${variable}`] : [own],
          },
        ]
      })
      if (possible.length === 0) break
      const kills = processes.flatMap((_, at): Step[] =>
        mayKill && killed === undefined && isAlive(at)
          ? [{ label: `k${at}`, reads: [], writes: [`/process${at}`, '/kill'], isOptional: true }]
          : [],
      )
      const step = choose([...possible, ...kills])
      if (!step) return undefined
      const at = Number(step.label.slice(1).split('.')[0])
      if (step.label.startsWith('k')) {
        killed = at
        continue
      }
      const { kind, variable } = processes[at]![places[at]!++]!
      const value = variables.get(variable) ?? ''
      if (kind === 'read') seen[at] += `${variable}=${value};`
      else variables.set(variable, `(${value}${at}:${seen[at]})`)
    }
    return JSON.stringify([[...variables].sort(), seen, killed])
  }

/** The same for every order, one by one. */
async function outcomesOfAll(world: World): Promise<Map<string, number>> {
  const outcomes = new Map<string, number>()
  const prefixes: number[][] = [[]]
  for (let prefix = prefixes.pop(); prefix; prefix = prefixes.pop()) {
    const taken: number[] = []
    const outcome = await playWorld(world)(possible => {
      const at = prefix![taken.length] ?? 0
      if (taken.length >= prefix!.length)
        for (let other = 1; other < possible.length; other++) prefixes.push([...taken, other])
      taken.push(at)
      return possible[at]
    })
    outcomes.set(outcome!, (outcomes.get(outcome!) ?? 0) + 1)
  }
  return outcomes
}

async function outcomesOfSearch(world: World) {
  const outcomes: string[] = []
  const search = await searchOrders(playWorld(world), outcome => outcomes.push(outcome))
  return { search, outcomes }
}

const drawWorld = (seed: number): World => {
  const chance = seededChance(seed, 'worlds')
  const draw = (below: number, ...purpose: (string | number)[]) =>
    Math.floor(chance.fraction(...purpose) * below)
  const count = 2 + draw(2, 'processes')
  return {
    mayKill: draw(2, 'kill') === 1,
    processes: Array.from({ length: count }, (_, process) =>
      Array.from({ length: 1 + draw(count === 2 ? 4 : 2, 'length', process) }, (_, at) => ({
        kind: draw(2, 'kind', process, at) === 1 ? ('read' as const) : ('write' as const),
        variable: 'xyz'[draw(3, 'variable', process, at)]!,
      })),
    ),
  }
}

describe('searchOrders', () => {
  test('searchOrders reaches every outcome that some order has, in 150 drawn worlds', async () => {
    for (let seed = 0; seed < 150; seed++) {
      const world = drawWorld(seed)
      const { outcomes, search } = await outcomesOfSearch(world)
      const all = await outcomesOfAll(world)
      expect({ seed, outcomes: [...new Set(outcomes)].sort() }).toEqual({
        seed,
        outcomes: [...all.keys()].sort(),
      })
      expect(search).toMatchObject({ isComplete: true, runs: outcomes.length })
    }
  })

  test('searchOrders plays one order of steps that all commute', async () => {
    const world: World = {
      mayKill: false,
      processes: ['x', 'y', 'z'].map(variable => [
        { kind: 'write', variable },
        { kind: 'read', variable },
        { kind: 'write', variable },
      ]),
    }
    expect((await outcomesOfSearch(world)).search.runs).toBe(1)
    expect([...(await outcomesOfAll(world)).values()]).toEqual([1680])
  })

  test('searchOrders plays each order of steps that do not commute once', async () => {
    const write = { kind: 'write', variable: 'x' } as const
    const { outcomes } = await outcomesOfSearch({
      mayKill: false,
      processes: [
        [write, write],
        [write, write],
      ],
    })
    expect(outcomes).toHaveLength(6)
    expect(new Set(outcomes).size).toBe(6)
  })

  test('searchOrders takes an optional step after each step that it does not commute with', async () => {
    const write = { kind: 'write', variable: 'x' } as const
    const { outcomes } = await outcomesOfSearch({ mayKill: true, processes: [[write, write, write]] })
    // Killed before each of the three, or never.
    expect(outcomes).toHaveLength(4)
  })

  test('searchOrders ends early when it is told to, and says that it is not complete', async () => {
    const write = { kind: 'write', variable: 'x' } as const
    const world: World = {
      mayKill: false,
      processes: [
        [write, write],
        [write, write],
      ],
    }
    let runs = 0
    const search = await searchOrders(
      playWorld(world),
      () => runs++,
      () => runs >= 2,
    )
    expect(search).toMatchObject({ runs: 2, isComplete: false })
  })

  test('searchOrders tries a step that another one makes impossible', async () => {
    const outcomes: string[] = []
    const play = async (choose: Choose) => {
      const first = choose(
        ['answer', 'time limit'].map(label => ({ label, reads: [], writes: ['/process0'] })),
      )
      return first && choose([{ label: 'end', reads: [], writes: ['/process0'] }]) && first.label
    }
    await searchOrders(play, outcome => outcomes.push(outcome))
    expect(outcomes).toEqual(['answer', 'time limit'])
  })

  /** Two steps that do not commute, of which the first one has another name in some runs. */
  const wavering = (isOther: (run: number) => boolean) => {
    let runs = 0
    const played: string[] = []
    const play = async (choose: Choose) => {
      const name = isOther(runs++) ? 'b' : 'a'
      const first = choose([name, 'c'].map(label => ({ label, reads: [], writes: ['/'] })))
      const last = first && choose([{ label: first.label === 'c' ? name : 'c', reads: [], writes: ['/'] }])
      return last && played.push(`${first.label}${last.label}`)
    }
    return { play, played }
  }

  test('searchOrders tries an order again that could not be followed, and plays all of them', async () => {
    const { play, played } = wavering(run => run === 1)
    const search = await searchOrders(play, () => {})
    expect(search).toMatchObject({ runs: 2, lost: 0, divergence: undefined, isComplete: true })
    expect(played).toEqual(['ac', 'ca'])
  })

  test('searchOrders counts an order that can never be followed, says why, and is not complete', async () => {
    const { play, played } = wavering(run => run > 0)
    const search = await searchOrders(play, () => {})
    expect(search).toMatchObject({ runs: 1, lost: 1, divergence: 'a c or b c', isComplete: false })
    expect(played).toEqual(['ac'])
  })

  test('searchOrders throws what a run throws', async () => {
    const play = () => Promise.reject(new Error('no such client'))
    await expect(searchOrders(play, () => {})).rejects.toThrow('no such client')
  })
})

describe('doCommute', () => {
  const step = (reads: readonly string[], writes: readonly string[]): Step => ({ label: '', reads, writes })

  test.each([
    ['two reads of one file', step(['/store/a'], []), step(['/store/a'], []), true],
    ['a read and a write of one file', step(['/store/a'], []), step([], ['/store/a']), false],
    ['writes of two files', step([], ['/store/a']), step([], ['/store/b']), true],
    ['a look at a folder and a write in it', step(['/store/'], []), step([], ['/store/a']), false],
    ['time that passes and anything', step([], ['/']), step(['/service'], []), false],
    ['files whose names begin alike', step([], ['/store/a']), step([], ['/store/ab']), true],
  ])('doCommute knows whether two steps commute: %s', (_, one, other, expected) => {
    expect(doCommute(one, other)).toBe(expected)
    expect(doCommute(other, one)).toBe(expected)
  })
})
