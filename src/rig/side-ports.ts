import type { SideMode, SidePort } from './side-port.ts'

/** The side ports of all spaces. A reset of the space leaves its port as it is: clients know its number. */
export class SidePorts {
  readonly #ports = new Map<string, Promise<SidePort>>()
  #open: ((mode: SideMode) => Promise<SidePort>) | undefined

  /** From now on a listening server opens side ports, undefined when there is none any more. */
  serveBy(open: ((mode: SideMode) => Promise<SidePort>) | undefined): void {
    this.#open = open
  }

  /** Whether there is a listening server that a port could lead to. */
  get isPossible(): boolean {
    return this.#open !== undefined
  }

  of(space: string): Promise<SidePort> | undefined {
    return this.#ports.get(space)
  }

  /**
   * The side port of the space in this mode, opened if need be.
   * @throws an error when it cannot listen, or `isPossible` is false
   */
  async put(space: string, mode: SideMode): Promise<SidePort> {
    const open = this.#open
    const known = this.#ports.get(space)
    if (known) {
      const port = await known
      await port.switch(mode)
      return port
    }
    if (!open) throw new Error('a side port needs a mock that listens on a port')
    const opening = open(mode)
    this.#ports.set(space, opening)
    opening.catch(() => this.#ports.delete(space))
    return opening
  }

  /** @returns whether there was one */
  async close(space: string): Promise<boolean> {
    const known = this.#ports.get(space)
    if (!known) return false
    this.#ports.delete(space)
    await (await known).close()
    return true
  }

  /** Closes those of spaces that are no more. */
  async closeUnless(isThere: (space: string) => boolean): Promise<void> {
    await Promise.all([...this.#ports.keys()].filter(it => !isThere(it)).map(space => this.close(space)))
  }

  async closeAll(): Promise<void> {
    await this.closeUnless(() => false)
  }
}
