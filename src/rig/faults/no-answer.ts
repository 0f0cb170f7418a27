import { defineFault, type Fault, noSettings } from './fault.ts'

/** No byte of an answer. */
export const noAnswerFaults: readonly Fault[] = [
  defineFault({
    name: 'hang',
    group: 'no answer',
    description: 'Nothing, over an open connection; only a deadline of its own ends it for the client.',
    settings: noSettings,
    deliver: (_answer, wire) => wire.gone,
  }),
  defineFault({
    name: 'close',
    group: 'no answer',
    description: 'The connection is closed in order (FIN) without a byte of an answer.',
    settings: noSettings,
    deliver: (_answer, wire) => wire.end(),
  }),
  defineFault({
    name: 'reset',
    group: 'no answer',
    description: 'The connection is broken (TCP RST) without a byte of an answer.',
    settings: noSettings,
    deliver: (_answer, wire) => wire.reset(),
  }),
  defineFault({
    name: 'reset-upload',
    group: 'no answer',
    description: 'The connection is broken (TCP RST) while the client still sends the body of its request.',
    settings: noSettings,
    applies: 'before body',
    deliver: (_answer, wire) => wire.reset(),
  }),
  defineFault({
    name: 'keepalive-race',
    group: 'no answer',
    description:
      'A connection that has carried a request before is broken (TCP RST) as it is used again; a fresh one is not.',
    settings: noSettings,
    applies: 'on reused connection',
    deliver: (_answer, wire) => wire.reset(),
  }),
]
