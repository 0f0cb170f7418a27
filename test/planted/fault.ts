/** A fault that is planted into the source to see whether the tests catch it. */
export interface Fault {
  readonly name: string
  /** What the product does wrong with it, in one sentence. */
  readonly breaks: string
  readonly kind:
    | 'wrong field'
    | 'wrong status'
    | 'wrong order'
    | 'wrong figure'
    | 'skipped rule'
    | 'lost write'
    | 'skipped check'
    | 'leaked space'
    | 'leaked secret'
    | 'no strike'
    | 'wrong bytes'
    | 'wrong time'
    | 'wrong verdict'
    | 'unescaped HTML'
    | 'wrong exit code'
    | 'wrong precedence'
    | 'missing limit'
  /** Where it stands, in words that survive moves and renames. */
  readonly place: string
  /** Text that occurs exactly once in `src`. */
  readonly find: string
  /** What stands in its place. It passes the type checker. */
  readonly plant: string
  /** Test files, of which one catches it; the cheap ones first, at most three. */
  readonly tests: readonly string[]
  /** Whether the tests start the built program, which then has to be built with the fault: that takes its time. */
  readonly isBuilt?: true
}
