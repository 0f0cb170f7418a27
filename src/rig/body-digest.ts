import { hash } from 'node:crypto'
import { canonical, jsonObject } from './request-facts.ts'

/** What tells one request body from another, without the body. */
export interface BodyDigest {
  /** SHA-256 of the bytes as they came, in hexadecimal. */
  readonly sha256: string
  /**
   * SHA-256 of the payload: the JSON object with its members in one order and without white space, its transactionId
   * left out. Undefined for a body that is no JSON object.
   */
  readonly payloadSha256: string | undefined
  readonly transactionId: string | undefined
}

export function digestOf(body: Uint8Array): BodyDigest {
  const json = jsonObject(body)
  const { transactionId, ...payload } = json ?? {}
  return {
    sha256: hash('sha256', body),
    payloadSha256: json && hash('sha256', canonical(payload)),
    transactionId: typeof transactionId === 'string' ? transactionId : undefined,
  }
}
