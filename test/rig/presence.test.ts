import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { InProcessWire } from '../../src/http/in-process-transport.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a pause', () => {
  it('lasts as long as it was asked for', async () => {
    const paused = new InProcessWire().pause(300)
    await vi.advanceTimersByTimeAsync(299)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(vi.getTimerCount()).toBe(0)
    expect(await paused).toBe(true)
  })

  it('a pause may be longer than a timer can be', async () => {
    const days = 60 * 86_400_000
    let isOver = false
    void new InProcessWire().pause(days).then(() => {
      isOver = true
    })
    await vi.advanceTimersByTimeAsync(days - 1)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isOver).toBe(true)
  })

  it('a pause ends when the client leaves, and leaves no timer', async () => {
    const presence = new InProcessWire()
    const paused = [presence.pause(1_000), presence.pause(90 * 86_400_000)]
    await vi.advanceTimersByTimeAsync(30 * 86_400_000)
    const more = presence.pause(1_000)
    presence.disconnect('aborted')
    expect(vi.getTimerCount()).toBe(0)
    expect(await Promise.all([...paused, more])).toEqual([true, false, false])
  })

  it('a pause does not begin when the client has left', async () => {
    const presence = new InProcessWire()
    presence.disconnect('aborted')
    expect(await presence.pause(1_000)).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('a client leaves once; who took back its wish to know is not told', () => {
  const presence = new InProcessWire()
  const told: string[] = []
  presence.onDisconnect(() => told.push('first'))
  presence.onDisconnect(() => told.push('second'))()
  presence.disconnect('aborted')
  presence.disconnect('aborted')
  presence.onDisconnect(() => told.push('late'))
  expect(told).toEqual(['first', 'late'])
})
