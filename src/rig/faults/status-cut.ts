import { STATUS_CODES } from 'node:http'
import { headOf } from './answer-bytes.ts'
import { defineFault } from './fault.ts'
import { noSettings } from './part.ts'

export const statusCut = defineFault({
  name: 'status-cut',
  group: 'cut',
  description: 'The connection ends in the middle of the status line, as in "HTTP/1.1 201 Cre".',
  settings: noSettings,
  async deliver(answer, wire) {
    const reason = STATUS_CODES[answer.status] ?? ''
    const numbered = 'HTTP/1.1 201 '.length
    await wire.write(headOf(answer).subarray(0, numbered + Math.floor(reason.length / 2)))
    await wire.end()
  },
})
