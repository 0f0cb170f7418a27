import { defineFault } from './fault.ts'
import { noSettings } from './part.ts'

/** A TLS alert behind a UTF-16 mark: what one sees where something else than HTTP listens. */
const noHttp = Buffer.from([0xff, 0xfe, 0x00, 0x16, 0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46, 0x0d, 0x0a])

export const garbage = defineFault({
  name: 'garbage',
  group: 'wrong',
  description: 'Bytes that are not HTTP, then the end of the connection.',
  settings: noSettings,
  async deliver(_answer, wire) {
    await wire.write(noHttp)
    await wire.end()
  },
})
