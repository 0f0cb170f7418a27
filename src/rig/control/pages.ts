import type { Problem } from '../../service/problem.ts'
import type { ControlCall, Tools } from './route.ts'

/** What a person looks at, below `/_mock`. */
export interface Pages {
  /** Undefined when there is no page at the address. @throws Problem for a page of what is not there */
  page(request: Request, call: ControlCall): Promise<Response | undefined>
  /** Tells a person what a program is told by the problem's JSON. */
  problem(problem: Problem, request: Request, call: ControlCall): Promise<Response>
  /** Asks for the token. @param wrong whether one was given that is not right */
  signIn(request: Request, call: ControlCall, to: string, wrong: boolean): Promise<Response>
}

/** What pages are made of. */
export interface PageTools extends Tools {
  /** Whether control calls are answered at this address; else only what the service's answers link to is shown. */
  readonly hasCalls: boolean
}
