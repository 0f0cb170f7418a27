import type { Answer } from '../../service/answer.ts'
import { bodyOf, cutHead, headOf } from './answer-bytes.ts'
import { defineFault, type Wire } from './fault.ts'
import { type PartSettings, partOf, partSettings } from './part.ts'

export const chunkCut = defineFault({
  name: 'chunk-cut',
  group: 'cut',
  description: 'A chunked body of which the connection ends (FIN) before the last chunk.',
  settings: partSettings,
  async deliver(answer, wire, settings) {
    await writeChunk(answer, wire, settings)
    await wire.end()
  },
})

export const badChunk = defineFault({
  name: 'bad-chunk',
  group: 'wrong',
  description: 'A chunked body whose second chunk has a size that is no number.',
  settings: partSettings,
  async deliver(answer, wire, settings) {
    await writeChunk(answer, wire, settings, 'zz\r\n')
    await wire.end()
  },
})

/** Head and one good chunk; an answer without a body is cut in its head. */
async function writeChunk(answer: Answer, wire: Wire, { bytes }: PartSettings, more = ''): Promise<void> {
  const head = headOf(answer, { 'Transfer-Encoding': 'chunked' })
  const body = bodyOf(answer)
  if (body.length === 0) return wire.write(cutHead(head))
  const part = partOf(body, bytes)
  // A chunk of no bytes would be the last one.
  const chunk = part.length === 0 ? [] : [`${part.length.toString(16)}\r\n`, part, '\r\n']
  return wire.write(Buffer.concat([head, ...chunk.map(piece => Buffer.from(piece)), Buffer.from(more)]))
}
