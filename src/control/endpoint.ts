import type { Context } from 'hono'
import type { Arrival } from '../rig/arrival.ts'

/** What is known about a request to `/_mock` besides the request itself. */
export interface ControlCall {
  /** Base of all links, without a slash at the end. */
  readonly base: string
  /** The address by which the request came, as a browser has it, without a slash at the end; the pages are below it. */
  readonly cameBy: string
  readonly header: (name: string) => string | undefined
  readonly arrival: Arrival
}

/** Path of `/_mock` as a browser sees it, with the prefix of a proxy. */
export const controlRoot = ({ cameBy }: Pick<ControlCall, 'cameBy'>): string =>
  `${new URL(cameBy).pathname.replace(/\/$/, '')}/_mock`

/** Links to the descriptions of problems. @param base without a slash at the end; empty for relative links */
export const problemLinks = (base: string) => ({
  problem: (name: string) => `${base}/_mock/problems/${name}`,
})

export interface ControlEnv {
  readonly Bindings: ControlCall
  readonly Variables: {
    /** Whether the request is for an open endpoint. */
    readonly isOpen?: true
    /** The methods of the calls at the address of a request that none of them answers. */
    readonly methods?: readonly string[]
  }
}

/** A request to `/_mock` while it is answered. */
export type ControlContext = Context<ControlEnv>

/** What answers at an address of `/_mock`, and what it demands of a request. */
export interface Endpoint {
  /** GET answers HEAD as well. Every other method changes something, so it is for programs and our own pages. */
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  /** Below `/_mock`, parameters in braces. */
  readonly path: string
  /** An example of its body. */
  readonly example?: object | undefined
  /** Whether it needs no token, if the mock has one. */
  readonly isOpen?: true | undefined
  /** Whether pages of other sites are refused, although it changes nothing. */
  readonly isForOwnPages?: true | undefined
  /** Whether answers of the service link to it. If control calls have a port of their own, the service's port has it too. */
  readonly isLinkedByService?: true | undefined
  /** @throws Problem, which is answered as a page or as JSON */
  answer(c: ControlContext): Response | Promise<Response>
}
