import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { Server } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { MemoryBudget } from '../../src/store/memory-budget.ts'
import { boundHandshakes, handshakeBytes } from '../../src/tls/handshakes.ts'
import { NameCertificates } from '../../src/tls/https.ts'

describe('certificates for names that clients ask for', () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `host-${n}`)

  /** Makes certificates that are their names, and counts the most that are made in one turn of the event loop. */
  function counting() {
    const made: string[] = []
    const madeIn = new Map<number, number>()
    let turn = 0
    let isOver = false
    const count = () => {
      turn++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const certificates = new NameCertificates(async name => {
      made.push(name)
      madeIn.set(turn, (madeIn.get(turn) ?? 0) + 1)
      return name
    })
    const stop = () => {
      isOver = true
    }
    return { certificates, made, madeIn, stop }
  }

  it('are made one in a turn of the event loop, however many new names come together', async () => {
    const { certificates, made, madeIn, stop } = counting()
    expect(await Promise.all(names(50).map(name => certificates.for(name)))).toEqual(names(50))
    stop()
    expect(made).toEqual(names(50))
    expect(Math.max(...madeIn.values())).toBe(1)
  })

  it('are kept for the 200 names that were asked for last', async () => {
    const { certificates, made, stop } = counting()
    for (const name of names(200)) await certificates.for(name)
    await certificates.for('host-0')
    await certificates.for('host-200')
    await certificates.for('host-0')
    await certificates.for('host-1')
    stop()
    expect(made.slice(200)).toEqual(['host-200', 'host-1'])
  })

  it('are refused to new names while a hundred wait, and not to those that are known', async () => {
    const { certificates, stop } = counting()
    await certificates.for('known')
    const waiting = names(100).map(name => certificates.for(name))
    expect(() => certificates.for('one-more')).toThrow(
      'clients ask for certificates of more than 100 new host names at a time',
    )
    expect(await certificates.for('known')).toBe('known')
    await Promise.all(waiting)
    expect(await certificates.for('one-more')).toBe('one-more')
    stop()
  })
})

describe('handshakes that are not done', () => {
  /** A server as far as it counts handshakes; its connections. */
  function counted(budget: MemoryBudget) {
    const server = new EventEmitter() as Server
    boundHandshakes(server, budget)
    const open = () => {
      const connection = new PassThrough()
      server.emit('connection', connection)
      return connection
    }
    return { server, open }
  }

  it('count until they are done or their connections close', async () => {
    const budget = new MemoryBudget()
    const { server, open } = counted(budget)
    const [one, other] = [open(), open()]
    expect(budget.use().kinds.requests).toBe(2 * handshakeBytes)
    server.emit('secureConnection', { _parent: one })
    expect(budget.use().kinds.requests).toBe(handshakeBytes)
    other.destroy()
    await expect.poll(() => budget.use().kinds.requests, { interval: 1 }).toBe(0)
  })

  it('are closed, the oldest first, where memory is short; some may stand in any case', () => {
    const budget = new MemoryBudget(48 * handshakeBytes)
    const { open } = counted(budget)
    const connections = Array.from({ length: 60 }, open)
    const closed = connections.map(({ destroyed }) => destroyed)
    expect(closed.indexOf(false)).toBe(15)
    expect(closed.lastIndexOf(true)).toBe(14)
    budget.add('rows', 48 * handshakeBytes)
    for (let n = 0; n < 60; n++) connections.push(open())
    expect(connections.filter(({ destroyed }) => !destroyed)).toHaveLength(20)
  })
})
