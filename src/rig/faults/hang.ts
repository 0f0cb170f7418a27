import { defineFault } from './fault.ts'
import { noSettings } from './part.ts'

export const hang = defineFault({
  name: 'hang',
  group: 'no answer',
  description: 'Nothing, over an open connection; only a deadline of its own ends it for the client.',
  settings: noSettings,
  deliver: (_answer, wire) => wire.gone,
})
