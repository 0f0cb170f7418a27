import { cutHead, headOf } from './answer-bytes.ts'
import { defineFault } from './fault.ts'
import { noSettings } from './part.ts'

export const headersCut = defineFault({
  name: 'headers-cut',
  group: 'cut',
  description:
    'The connection ends within the headers, in the name of Location where there is one. Some clients take it for an answer with an empty body.',
  settings: noSettings,
  async deliver(answer, wire) {
    await wire.write(cutHead(headOf(answer)))
    await wire.end()
  },
})

export const headersThenReset = defineFault({
  name: 'headers-then-reset',
  group: 'cut',
  description: 'All headers arrive, then the connection is broken (TCP RST) before the body.',
  settings: noSettings,
  async deliver(answer, wire) {
    const head = headOf(answer)
    // Without a body to come, the whole head would be a whole answer.
    await wire.write(answer.body.length === 0 ? cutHead(head) : head)
    await wire.reset()
  },
})
