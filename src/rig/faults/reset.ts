import { defineFault } from './fault.ts'
import { noSettings } from './part.ts'

export const reset = defineFault({
  name: 'reset',
  group: 'no answer',
  description: 'The connection is broken (TCP RST) without a byte of an answer.',
  settings: noSettings,
  deliver: (_answer, wire) => wire.reset(),
})

export const resetUpload = defineFault({
  name: 'reset-upload',
  group: 'no answer',
  description: 'The connection is broken (TCP RST) while the client still sends the body of its request.',
  settings: noSettings,
  early: true,
  deliver: (_answer, wire) => wire.reset(),
})

export const keepaliveRace = defineFault({
  name: 'keepalive-race',
  group: 'no answer',
  description:
    'A connection that has carried a request before is broken (TCP RST) as it is used again; a fresh one is not.',
  settings: noSettings,
  onlyReused: true,
  deliver: (_answer, wire) => wire.reset(),
})
