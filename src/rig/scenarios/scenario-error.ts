/** A scenario that cannot be used. Each problem is a sentence that names the place, what was seen and what is possible. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const more = problems.length > mostTold ? [`and ${problems.length - mostTold} more problems`] : []
    const told = [...problems.slice(0, mostTold), ...more]
    super(told.join('\n'))
    this.problems = told
  }
}

const mostTold = 20
