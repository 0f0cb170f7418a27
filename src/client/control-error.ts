/** What is wrong with one member of a control call. */
export interface InvalidMember {
  readonly field: string
  readonly problem: string
}

/** A control call that was refused, or that nobody answered. Its message says what is wrong and what is possible. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** Of the answer; undefined where there was none. */
  readonly status: number | undefined
  /** Each member of the call that is wrong; empty where it is the call as a whole. */
  readonly invalidFields: readonly InvalidMember[]

  constructor(
    message: string,
    more: {
      readonly status?: number
      readonly invalidFields?: readonly InvalidMember[]
      readonly cause?: unknown
    } = {},
  ) {
    super(message, 'cause' in more ? { cause: more.cause } : undefined)
    this.status = more.status
    this.invalidFields = more.invalidFields ?? []
  }
}

/** Why there is no answer, from whatever `fetch` rejects with: its own message is only "fetch failed". */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = (cause as Error & { readonly code?: unknown }).code
  return cause.message || (typeof code === 'string' ? code : error.message)
}

/** The refusal that an answer tells of. @param what the call, such as `POST /_mock/reset` */
export async function refusalIn(response: Response, what: string, place: string): Promise<ControlError> {
  const { status, headers } = response
  // Control calls know no users: who asks for one is the imitated service, reached beside the control API.
  const isControl = !headers.get('www-authenticate')?.startsWith('Basic')
  const problem =
    isControl && headers.get('content-type')?.startsWith('application/problem+json')
      ? (jsonObject(await response.text()) as ProblemBody | undefined)
      : undefined
  if (!problem)
    return new ControlError(
      `${what} was answered ${status}, and not by the control API of a mailing-sync-mock: is ${place} its address?`,
      { status },
    )
  const { title, detail, generalErrors = [], invalidFields = [] } = problem
  const wrong = [...generalErrors, ...invalidFields.map(it => `${it.field}: ${it.problem}`)]
  const sentence = detail ?? (wrong.length > 0 ? wrong.join('; ') : title)
  const cure = status === 401 ? ' (connect() takes it as token)' : ''
  return new ControlError(`${what} was refused (${status}): ${sentence}${cure}`, { status, invalidFields })
}

/** `application/problem+json` as the control API has it. */
interface ProblemBody {
  readonly title: string
  readonly detail?: string
  readonly generalErrors?: readonly string[]
  readonly invalidFields?: readonly InvalidMember[]
}

/** The object that a text is as JSON; undefined where it is none. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
