import { defineFault } from './fault.ts'
import { noSettings } from './part.ts'

export const close = defineFault({
  name: 'close',
  group: 'no answer',
  description: 'The connection is closed in order (FIN) without a byte of an answer.',
  settings: noSettings,
  deliver: (_answer, wire) => wire.end(),
})
