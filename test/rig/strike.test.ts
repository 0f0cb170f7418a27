import { expect, it } from 'vitest'
import { z } from 'zod'
import { InProcessWire } from '../../src/http/in-process-transport.ts'
import { applyFault, type WatchedWire } from '../../src/http/wire.ts'
import type { WireFault } from '../../src/rig/faults/fault.ts'
import { faults } from '../../src/rig/faults/fault-registry.ts'
import type { Delivery } from '../../src/rig/request-record.ts'
import { answer, context } from './faults/fault-server.ts'

/** A fault struck in the process: how its answer left, what the client saw, and what was reported. */
async function struck(fault: WireFault, settings: unknown = {}) {
  const closings: [Delivery, number][] = []
  const reported: unknown[] = []
  const wire = new InProcessWire()
  const seen = wire.response.then(response => response.text()).catch((error: Error) => error.message)
  const close = (delivered: Delivery, bytes: number) => void closings.push([delivered, bytes])
  const report = (error: unknown) => void reported.push(error)
  const how = { fault, settings, context: context(), report }
  await applyFault({ answer, pendingFault: how, close }, how, wire as WatchedWire)
  return { closings, reported, seen: await seen }
}

const failing = (before: string): WireFault => ({
  name: 'failing',
  description: 'Writes something and fails',
  group: 'cut',
  settings: z.strictObject({}),
  async deliver(_, wire) {
    if (before !== '') await wire.write(before)
    throw new Error('the fault is broken')
  },
})

it('a fault that does its work closes the request once, as it left', async () => {
  const { closings, reported, seen } = await struck(faults.get('reset') as WireFault)
  expect([closings, reported, seen]).toEqual([[['none', 0]], [], 'fetch failed'])
})

it.each([
  ['before it wrote anything', '', [['none', 0]], 'fetch failed'],
  ['in the middle', 'HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{', [['cut', 44]], 'terminated'],
])(
  'a fault that fails %s is reported, and its client is not left waiting',
  async (_, before, expected, told) => {
    const { closings, reported, seen } = await struck(failing(before))
    expect([closings, seen]).toEqual([expected, told])
    expect(reported).toEqual([expect.objectContaining({ message: 'the fault is broken' })])
  },
)
