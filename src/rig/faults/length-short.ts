import { bodyOf, headOf } from './answer-bytes.ts'
import { defineFault } from './fault.ts'
import { partOf, partSettings } from './part.ts'

/** What follows an answer without a body, since there is none of its own to follow. */
const leftover = Buffer.from('{}')

export const lengthShort = defineFault({
  name: 'length-short',
  group: 'cut',
  description:
    'Content-Length promises fewer bytes than come. Some clients stop there and are content, others stumble over the rest.',
  settings: partSettings,
  async deliver(answer, wire, { bytes }) {
    const body = bodyOf(answer)
    const promised = partOf(body, bytes).length
    const head = headOf(answer, { 'Content-Length': String(promised) })
    await wire.write(Buffer.concat([head, body.length === 0 ? leftover : body]))
    await wire.end()
  },
})
