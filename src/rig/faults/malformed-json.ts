import { bodyOf, withBody } from './answer-bytes.ts'
import { defineFault } from './fault.ts'
import { noSettings, partOf } from './part.ts'

const begun = '{"id":'

export const malformedJson = defineFault({
  name: 'malformed-json',
  group: 'wrong',
  description: 'The true status and headers over half of the JSON, with a Content-Length that fits it.',
  settings: noSettings,
  falsify(answer) {
    const body = bodyOf(answer)
    // Half a JSON object is never JSON; of anything else it might be.
    const half = body[0] === 0x7b ? partOf(body) : Buffer.from(begun)
    return withBody({ ...answer, status: answer.status === 204 ? 200 : answer.status }, half)
  },
})
