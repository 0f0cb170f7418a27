import { knownState } from '../store/format.ts'
import { getOrMake } from '../store/maps.ts'
import type { SendingState } from '../store/rows.ts'
import type { ToldResponse } from './faults/fault.ts'

/** An answer as it is recorded: a long body is cut. */
export interface RecordedResponse extends ToldResponse {
  /** Length of the whole body in bytes, if it is cut here. */
  readonly wholeBytes?: number
  /** The end of a body that is cut here, where a collection has its links. */
  readonly ending?: string
}

/** Maximum length of a recorded body in bytes. */
export const maxRecordedBody = 16 << 10

/** A copy in memory of its own: as a part of Node's pool it would keep all of the pool. */
export const copyBeginning = (body: Uint8Array) =>
  Buffer.from(new Uint8Array(body.subarray(0, maxRecordedBody)).buffer)

/** Bytes: some links of a collection. */
const maxEnding = 2 << 10

const cut = (body: Buffer) => ({
  body: copyBeginning(body),
  wholeBytes: body.length,
  ending: body.toString('latin1', body.length - maxEnding),
})

/** What is recorded of long bodies. A collection that did not change is answered with the same bytes again. */
export type RecordedBodies = WeakMap<Buffer, ReturnType<typeof cut>>

/**
 * The answer itself, or a copy with the beginning and the end of a long body.
 * @param bodies so that one copy serves all records of the same bytes
 */
export function recordedResponse(answer: ToldResponse, bodies: RecordedBodies): RecordedResponse {
  const { body } = answer
  if (body.length <= maxRecordedBody) return answer
  return { ...answer, ...(typeof body === 'string' ? cut(Buffer.from(body)) : getOrMake(bodies, body, cut)) }
}

export const responseBytes = ({ wholeBytes, body }: RecordedResponse): number =>
  wholeBytes ?? Buffer.byteLength(body)

/**
 * Whether a response is what the service answered. Of the headers only Content-Type counts: a client cannot believe a sending under
 * another one.
 */
export const isTrueResponse = (response: RecordedResponse, truth: RecordedResponse | undefined): boolean =>
  response === truth ||
  (truth !== undefined &&
    response.status === truth.status &&
    response.headers['Content-Type'] === truth.headers['Content-Type'] &&
    responseBytes(response) === responseBytes(truth) &&
    String(response.body) === String(truth.body))

/** The JSON object in an answer, if it has one and its body is recorded whole. */
export function bodyJson({ body, wholeBytes }: Pick<RecordedResponse, 'body' | 'wholeBytes'>) {
  if (wholeBytes !== undefined || body.length === 0) return undefined
  try {
    const value: unknown = JSON.parse(String(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** The state of the sending in an answer. */
export const responseState = (response: RecordedResponse): SendingState | undefined =>
  knownState(bodyJson(response)?.state)
