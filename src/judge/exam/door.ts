import type { SideMode, SidePort } from '../../rig/side-port.ts'

/**
 * What becomes of a client's connections for a while, before a request could come over them. Of refused ones nobody is
 * told, so that they are refused for a time; `for` is in milliseconds of the service's clock.
 */
export type Stretch =
  | { readonly mode: 'reset-at-accept' | 'reset-at-data' | 'silent'; readonly connections: number }
  | { readonly mode: 'refuse'; readonly for: number }

/** The port of a case at which connections meet trouble, one stretch after the other; then they reach the service. */
export class Door {
  readonly #port: SidePort
  readonly #stretches: readonly Stretch[]
  readonly #speed: number
  #at = 0
  #met = 0
  #timer: NodeJS.Timeout | undefined
  #trouble: string | undefined

  private constructor(port: SidePort, stretches: readonly Stretch[], speed: number) {
    this.#port = port
    this.#stretches = stretches
    this.#speed = speed
    port.onConnection = mode => {
      if (mode !== 'pass') this.#meet()
    }
    this.#wait()
  }

  /**
   * @param open opens a port that leads to the service, unless its mode is another
   * @param speed so many times as fast as real time the service's clock runs
   * @throws an error when it cannot listen
   */
  static async open(
    stretches: readonly Stretch[],
    open: (mode: SideMode) => Promise<SidePort>,
    speed: number,
  ): Promise<Door> {
    return new Door(await open(stretches[0]?.mode ?? 'pass'), stretches, speed)
  }

  get port(): number {
    return this.#port.port
  }

  /** How many connections met trouble; those that were refused are not known. */
  get struck(): number {
    return [...this.#port.struck].reduce((sum, [mode, count]) => sum + (mode === 'pass' ? 0 : count), 0)
  }

  /** Connections on which the client waits for an answer that will not come. */
  get waiting(): number {
    return this.#port.waiting
  }

  /** Why connections no longer reach the service, where that is not the case's own doing. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#port.close()
  }

  #meet(): void {
    const now = this.#stretches[this.#at]
    if (now && 'connections' in now && ++this.#met >= now.connections) this.#goOn()
  }

  #goOn(): void {
    this.#at++
    this.#met = 0
    this.#port.switch(this.#stretches[this.#at]?.mode ?? 'pass').then(
      () => this.#wait(),
      (error: Error) => {
        this.#trouble = error.message
      },
    )
  }

  #wait(): void {
    const now = this.#stretches[this.#at]
    if (now && 'for' in now) this.#timer = setTimeout(() => this.#goOn(), now.for / this.#speed)
  }
}
