import { type Fault, faultDefiner } from './fault.ts'

const define = faultDefiner('no answer')

/** No byte of an answer. */
export const noAnswerFaults: readonly Fault[] = [
  define({
    name: 'hang',
    description:
      'Nothing arrives, and the connection stays open; the client needs a deadline of its own to end the wait.',
    deliver: (_answer, wire) => wire.gone,
  }),
  define({
    name: 'close',
    description: 'The connection is closed in order (FIN) without a byte of a response.',
    deliver: (_answer, wire) => wire.end(),
  }),
  define({
    name: 'reset',
    description: 'The connection is broken (TCP RST) without a byte of a response.',
    deliver: (_answer, wire) => wire.reset(),
  }),
  define({
    name: 'reset-upload',
    description: 'The connection is broken (TCP RST) while the client still sends the body of its request.',
    applies: 'before body',
    deliver: (_answer, wire) => wire.reset(),
  }),
  define({
    name: 'keepalive-race',
    description:
      'A connection that has carried a request before is broken (TCP RST) as it is used again; a fresh one is not.',
    applies: 'on reused connection',
    deliver: (_answer, wire) => wire.reset(),
  }),
]
