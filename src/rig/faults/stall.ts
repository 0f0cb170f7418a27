import { defineFault } from './fault.ts'
import { partSettings, writePart } from './part.ts'

export const stall = defineFault({
  name: 'stall',
  group: 'slow',
  description: 'Headers and a part of the body, then nothing more, over an open connection.',
  settings: partSettings,
  async deliver(answer, wire, settings) {
    await writePart(answer, wire, settings)
    await wire.gone
  },
})
