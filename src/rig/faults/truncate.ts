import { defineFault } from './fault.ts'
import { partSettings, writePart } from './part.ts'

export const truncate = defineFault({
  name: 'truncate',
  group: 'cut',
  description: 'The connection ends in order (FIN) before as many bytes came as Content-Length promised.',
  settings: partSettings,
  async deliver(answer, wire, settings) {
    await writePart(answer, wire, settings)
    await wire.end()
  },
})

export const truncateEof = defineFault({
  name: 'truncate-eof',
  group: 'cut',
  description:
    'A body without a length, ended too early by the end of the connection. No client can tell; most take it for complete.',
  settings: partSettings,
  async deliver(answer, wire, settings) {
    await writePart(answer, wire, settings, {}, 'close')
    await wire.end()
  },
})

export const resetMidBody = defineFault({
  name: 'reset-mid-body',
  group: 'cut',
  description: 'The connection is broken (TCP RST) in the middle of the body.',
  settings: partSettings,
  async deliver(answer, wire, settings) {
    await writePart(answer, wire, settings)
    await wire.reset()
  },
})
