import { z } from 'zod'
import type { ClientEnd } from '../judge/terms.ts'
import { verdictShape } from '../judge/verdict-shape.ts'
import { forFurtherQuery } from '../judge/verdict-text.ts'
import { realTime } from '../rig/clock.ts'
import { beliefs } from '../rig/scenarios/terms.ts'
import { letSocketsRun } from '../rig/sockets.ts'
import { wholeNumber } from './requests.ts'
import { route, type SpaceCall, textAnswer, textFormat, WrittenAnswer } from './route.ts'
import { document, members } from './schemas.ts'

/** What only the person or program that ran the client knows. */
export const endQuery = {
  believes: z
    .enum(beliefs)
    .optional()
    .describe(
      'What the client believes, now that it has ended. Without it, questions about its end stay open',
    ),
  expected: wholeNumber(0, 1_000)
    .optional()
    .describe(
      'How many mailings were meant to be sent in the space, 0 for none; together with believes 1 unless given, or unknown where requests are no longer on record',
    ),
  workers: wholeNumber(1, 1_000)
    .optional()
    .describe(
      'How many workers the client had at a time; together with believes 1 unless given. Without it, a response counts for the next request only on the same connection',
    ),
}

export const verdictQuery = members({ ...endQuery, ...textFormat.shape })

const verdictDocument = document(verdictShape)

export const verdictRoutes = [
  route('GET /spaces/{space}/verdict', 'getVerdict', {
    rel: 'verdict',
    summary: 'The judge’s reading of what a client did in a space',
    description:
      'Conduct against the rules that the service’s document has for clients, with evidence; and, apart from it, harm. What the server cannot know is open. What is due by now is on record before this answers.',
    query: verdictQuery,
    answer: verdictDocument,
    text: true,
    handle: verdictAnswer,
  }),
]

/** The verdict as a document, or as text if requested. `Server-Timing` says how long the judge took. */
async function verdictAnswer(call: SpaceCall<z.output<typeof verdictQuery>>): Promise<WrittenAnswer> {
  await letSocketsRun()
  const rig = await call.rig()
  const began = realTime()
  const end = clientReport(call.query)
  call.tools.run.noteEnd(rig, end)
  const { verdict, text } = await call.tools.verdict(rig, end)
  const timing = `judge;dur=${(realTime() - began).toFixed(1)}`
  if (call.wantsText) {
    const hasQuery = new URL(call.request.url).search !== ''
    return textAnswer(hasQuery ? forFurtherQuery(text()) : text(), { 'Server-Timing': timing })
  }
  const shown: z.input<typeof verdictDocument> = {
    ...verdict,
    _links: call.spaceLinks('/verdict', 'requests', 'platform', 'space'),
  }
  return new WrittenAnswer(shown, { 'Server-Timing': timing })
}

/** The same as values; undefined ones were not given, or mean what the judge takes them for. */
export type ClientReport = { readonly [Name in keyof typeof endQuery]?: ClientEnd[Name] | undefined }

/** What a query says of the client. With what it believes, it had one worker, unless told. How many mailings it was to send the judge asks. */
export function clientReport(query: unknown): ClientReport {
  const { believes, expected, workers } = (query ?? {}) as ClientReport
  return believes ? { believes, expected, workers: workers ?? 1 } : { expected, workers }
}
