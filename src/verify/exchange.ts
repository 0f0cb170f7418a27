/** One request and its answer, as evidence. Credentials are never in it. */
export interface Exchange {
  /** Counts from 1 in the order in which they were asked. */
  readonly number: number
  readonly method: string
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string | null
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** What the body says, undefined where it is no JSON. */
  readonly json: unknown
}

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300
/** Refused as the mistake of a client; not for want of credentials. */
export const isRefused = ({ status }: Exchange): boolean => status >= 400 && status < 500 && status !== 401
export const isClientError = ({ status }: Exchange): boolean => status >= 400 && status < 500

/** The media type of the answer without its parameters, in lower case. */
export const mediaTypeOf = ({ headers }: Exchange): string =>
  (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
