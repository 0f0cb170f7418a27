import { z } from 'zod'
import { noSpace } from './request-documents.ts'
import { wholeNumber } from './requests-query.ts'
import { route } from './route.ts'
import { document, members } from './shapes.ts'
import { type VerdictEnd, verdictShape } from './verdict-shape.ts'

const query = members({
  believes: z
    .enum(['sent', 'not-sent', 'unknown'])
    .optional()
    .describe(
      'What the client believes, now that it has ended. Without it, questions about its end stay open',
    ),
  expected: wholeNumber(0, 1_000)
    .prefault('1')
    .describe(
      'How many mailings were meant to be sent in the space, 0 for none; only together with believes',
    ),
  workers: wholeNumber(1, 1_000)
    .prefault('1')
    .describe('How many workers the client had at a time; only together with believes'),
  format: z
    .enum(['json', 'text'])
    .optional()
    .describe('text: for a person; the Accept header can ask as well'),
})

export const verdictRoutes = [
  route({
    id: 'getVerdict',
    method: 'GET',
    path: '/spaces/{space}/verdict',
    rel: 'verdict',
    summary: 'The judge’s reading of what a client did in a space',
    description:
      'Conduct against the rules that the service’s document has for clients, with evidence; and, apart from it, harm. What the server cannot know is open. What is due by now is on record before this answers. With `Accept: text/plain` or `format=text` it is text.',
    query,
    answer: document(verdictShape),
    also: noSpace,
    async handle(call) {
      const rig = await call.rig()
      const { format, believes, expected, workers } = call.query
      const end: VerdictEnd | undefined = believes && { believes, expected, workers }
      const { verdict, text } = await call.tools.verdict(rig, end)
      if (format === 'text' || (format === undefined && prefersText(call.header('accept'))))
        return new Response(text(), { headers: { 'Content-Type': 'text/plain; charset=utf-8' } })
      return {
        ...verdict,
        _links: {
          self: call.spaceLink(rig.space.name, '/verdict'),
          requests: call.spaceLink(rig.space.name, '/requests'),
          platform: call.spaceLink(rig.space.name, '/platform'),
          space: call.spaceLink(rig.space.name),
        },
      }
    },
  }),
]

const prefersText = (accept: string | undefined) => /^\s*text\/plain\b/i.test(accept ?? '')
