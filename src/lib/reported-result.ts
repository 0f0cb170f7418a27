/** A result of an exam or an exploration, with the text that the command line prints. */
export type Reported<Result> = Result & {
  /** What was found and what to do, for people. It is no part of the result's JSON. */
  readonly report: string
}

/** @param report makes the text when it is read */
export const withReport = <Result extends object>(result: Result, report: () => string): Reported<Result> =>
  Object.defineProperty(result, 'report', { get: report }) as Reported<Result>
