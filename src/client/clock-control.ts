import type { ControlForms } from '../rig/control/forms.ts'
import type { Calls } from './calls.ts'
import type { ClockState } from './shapes.ts'

type Turn = ControlForms['POST /spaces/{space}/clock']['body']

/** The clock of a space. What falls due when it is moved has been done when the call is over. */
export class ClockControl {
  readonly #calls: Calls
  readonly #params: { readonly space: string }

  constructor(calls: Calls, space: string) {
    this.#calls = calls
    this.#params = { space }
  }

  /** How it stands. */
  state(): Promise<ClockState> {
    return this.#calls.ask('GET /spaces/{space}/clock', { params: this.#params })
  }

  /** The space's time. */
  async now(): Promise<Date> {
    return new Date((await this.state()).now)
  }

  /** Goes ahead. @param duration with its unit: `5m`, `1h30m`, `PT5M` */
  advance(duration: string): Promise<ClockState> {
    return this.#turn({ advance: duration })
  }

  /** Goes to a time, which may lie back. */
  set(time: Date | string): Promise<ClockState> {
    return this.#turn({ set: textOf(time) })
  }

  /** Stands still, at a time if one is given. */
  freeze(at?: Date | string): Promise<ClockState> {
    return this.#turn({ freeze: true, ...(at !== undefined && { set: textOf(at) }) })
  }

  /** Goes on, at the rate that it had. */
  resume(): Promise<ClockState> {
    return this.#turn({ resume: true })
  }

  /** Goes at another rate. @param seconds of the space for each real one, from 0.001 to 1000000 */
  rate(seconds: number): Promise<ClockState> {
    return this.#turn({ rate: seconds })
  }

  #turn(body: Turn): Promise<ClockState> {
    return this.#calls.ask('POST /spaces/{space}/clock', { params: this.#params, body })
  }
}

const textOf = (time: Date | string): string => (typeof time === 'string' ? time : time.toISOString())
