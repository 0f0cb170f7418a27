/** What a mock takes in at most, from anybody: nobody who can reach it can make it grow without end. */
export interface Limits {
  /** Bytes of a request's body. Control calls have limits of their own, since some take whole spaces. */
  readonly bodyLimit: number
  /** Bytes of a request line and its headers together. */
  readonly headerLimit: number
  /** Milliseconds in which the headers must have come. */
  readonly headerTimeout: number
  /** Milliseconds in which a request must have come whole. How long its answer takes is another matter. */
  readonly requestTimeout: number
  /** Connections at the same time, for each port. */
  readonly connectionLimit: number
  /** Requests of a space that are held or delayed at the same time, those whose client has left included. */
  readonly holdLimit: number
}

/** No client of the service comes near them, and ten thousand requests that hang in a load test fit in. */
export const usualLimits: Limits = {
  bodyLimit: 1 << 20,
  headerLimit: 16 << 10,
  headerTimeout: 10_000,
  requestTimeout: 30_000,
  connectionLimit: 20_000,
  holdLimit: 20_000,
}
