/**
 * Verifies targets that differ in several ways at once: one run takes long, and a difference is found whatever else differs.
 * Cases that stand near each other, which are alike, are in different groups, so a check that takes one for another shows.
 * If a group does not show exactly what is expected, each of its cases has a run of its own.
 * @param size how many cases are in one run; the slow tests give each case its own
 * @param run verifies a target with all these differences
 * @returns the run that a case was in, with all its cases
 */
export function together<Case, Result>(
  cases: readonly Case[],
  size: number,
  run: (some: readonly Case[]) => Promise<Result>,
  isAsExpected: (result: Result, some: readonly Case[]) => boolean,
): (it: Case) => Promise<readonly [Result, readonly Case[]]> {
  const groups = Math.ceil(cases.length / size)
  const runs = new Map<number, Promise<Result>>()
  return async it => {
    const at = cases.indexOf(it)
    if (at >= 0) {
      const number = at % groups
      const group = cases.filter((_, n) => n % groups === number)
      const done = runs.get(number) ?? run(group)
      runs.set(number, done)
      const result = await done
      if (isAsExpected(result, group)) return [result, group]
    }
    return [await run([it]), [it]]
  }
}

/** What to do about a lie that is caught in other clauses than its own. @param told what differs, in each run of it */
export const caughtElsewhere = (
  told: readonly {
    readonly clause: string
    readonly expected: string | null
    readonly seen: string | null
  }[],
): string =>
  `this lie shows in other clauses than its own: let it change what breaks its own clause alone, or name the clause where it shows. It showed as ${JSON.stringify(told.map(it => [it.clause, it.expected, it.seen]))}`
