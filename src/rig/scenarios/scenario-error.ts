/** One thing that is wrong in a scenario that came as a value. */
export interface WrongMember {
  /** Such as `rules[0].steps[1].phase`; empty for the whole. */
  readonly field: string
  readonly problem: string
}

/** A scenario that cannot be used. Each problem is a sentence that names the place, what was seen and what is possible. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly string[]
  /** The same by the members that they are about; none where it is no value that is wrong, but a file. */
  readonly members: readonly WrongMember[]

  constructor(problems: readonly string[], members: readonly WrongMember[] = []) {
    const more = problems.length > mostTold ? [`and ${problems.length - mostTold} more problems`] : []
    const told = [...problems.slice(0, mostTold), ...more]
    super(told.join('\n'))
    this.problems = told
    this.members = [
      ...members.slice(0, mostTold),
      ...(members.length > 0 ? more.map(problem => ({ field: '', problem })) : []),
    ]
  }
}

const mostTold = 20
