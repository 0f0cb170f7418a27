import { type Answer, answerOf, respond } from '../service/answer.ts'
import type { Call } from '../service/call.ts'
import { bodyOf } from '../service/input.ts'
import type { Links } from '../service/links.ts'
import { Problem, problemResponse, problems } from '../service/problem.ts'
import type { RateLimit, RateLimitHeaders } from '../service/rate-limit.ts'
import type { Service } from '../service/service.ts'
import type { Account } from '../store/spaces.ts'
import type { Arrival } from './arrival.ts'
import { drawn } from './delays.ts'
import type { FaultContext, WireFault } from './faults/fault.ts'
import { faults } from './faults/registry.ts'
import { hint } from './hints.ts'
import type { Delivered, Entry } from './journal.ts'
import type { Decision } from './play.ts'
import { notProcessed, replaced } from './replaced.ts'
import { RequestFacts } from './request-facts.ts'
import type { FaultSpec, Scenario, Step } from './scenarios/scenario.ts'
import type { Selected, SpaceRig } from './space-rig.ts'

/** One request of a known user to the service. */
export interface Visit {
  readonly request: Request
  /** Path and query. */
  readonly target: string
  readonly account: Account
  /** Base of all links, without a slash at the end. */
  readonly base: string
  readonly header: Call['header']
  readonly headers: Entry['asked']['headers']
  readonly arrival: Arrival
}

/** What goes out from a space: an answer, and what is to happen to it on the wire. */
export interface Reply {
  readonly answer: Answer
  readonly strike?: Strike
  /** To be told how the answer left. */
  readonly close: (delivered: Delivered, bytesSent: number) => void
}

/** A fault that acts on the connection. */
export interface Strike {
  readonly fault: WireFault
  readonly settings: unknown
  readonly context: FaultContext
}

export interface ExchangeOptions {
  readonly service: Service
  /** @throws an error whose message lists the names there are */
  readonly scenario: (name: string) => Scenario | Promise<Scenario>
  readonly limit: RateLimit
  readonly platformSegment: string
  /** Whether answers carry X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint. */
  readonly hints: boolean
  /** Hears of errors that are ours, not a client's. */
  readonly report: (error: unknown) => void
}

/** What a request is known by on its way. */
interface Going {
  readonly rig: SpaceRig
  readonly visit: Visit
  readonly entry: Entry
  readonly call: Call
}

const none = new Uint8Array()

/**
 * One request from its arrival in a space to the answer that goes out: decided on, worked on, told. The work and the
 * telling are apart, so that either can fail without the other.
 */
export class Exchange {
  readonly #options: ExchangeOptions

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  enter(rig: SpaceRig, visit: Visit): Reply | Promise<Reply> {
    const { request, account, header, base, arrival } = visit
    const id = rig.nextId()
    const entry = rig.open({
      id,
      user: account.user.name,
      method: request.method,
      target: visit.target,
      headers: visit.headers,
      connection: arrival.connection,
      position: arrival.position,
      remotePort: arrival.remotePort,
    })
    const dials = rig.dials(rig.armed?.scenario)
    const call: Call = {
      space: rig.space,
      rights: account.user.rights,
      links: rig.links(base, dials),
      cause: id,
      header,
      dials,
      body: bodyOf(request, header),
    }
    const going: Going = { rig, visit, entry, call }
    try {
      const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
      const reply = hasBody ? this.#withBody(going) : this.#decided(going, none)
      return reply instanceof Promise ? reply.catch(error => this.#failed(going, error)) : reply
    } catch (error) {
      return this.#failed(going, error)
    }
  }

  async #withBody(going: Going): Promise<Reply> {
    const { rig, entry, call } = going
    if (await this.#strikesEarly(going)) return this.#disturbed(going, this.#facts(going, none), true)
    // What is wrong with the body is for the service to say, when it asks for it.
    const body = await call.body().catch(() => none)
    rig.journal.read(entry, body)
    return this.#decided(going, body)
  }

  #decided(going: Going, body: Uint8Array): Reply | Promise<Reply> {
    if (this.#isQuiet(going, body)) return this.#undisturbed(going)
    return this.#disturbed(going, this.#facts(going, body), false)
  }

  #facts({ visit }: Going, body: Uint8Array): RequestFacts {
    return new RequestFacts(visit.request.method, visit.target, body, this.#options.platformSegment)
  }

  /** Nothing is armed, and the request names nothing: the usual case, found out without reading anything. */
  #isQuiet({ rig, visit }: Going, body: Uint8Array): boolean {
    return (
      !rig.isDisturbed &&
      visit.header('x-mock-scenario') === undefined &&
      scenarioOfTestSynchronization(rig, visit.target) === undefined &&
      (body.length === 0 || !Buffer.from(body.buffer, body.byteOffset, body.length).includes('mock:'))
    )
  }

  #undisturbed(going: Going): Reply | Promise<Reply> {
    const response = this.#serve(going)
    return response instanceof Promise
      ? response.then(answered => this.#truth(going, answered))
      : this.#truth(going, response)
  }

  #truth(going: Going, response: Response): Reply | Promise<Reply> {
    const answer = answerOf(response)
    if (answer instanceof Promise) return answer.then(read => this.#tellTruth(going, read))
    return this.#tellTruth(going, answer)
  }

  #tellTruth(going: Going, answer: Answer): Reply {
    going.rig.journal.answered(going.entry, answer)
    return this.#tell(going, answer, true)
  }

  #serve({ visit, call }: Going): Response | Promise<Response> {
    const { service, limit } = this.#options
    const headers = limit.take(call.space, call.dials)
    const response = service.fetch(visit.request, call)
    return headers ? limited(response, headers) : response
  }

  async #strikesEarly(going: Going): Promise<boolean> {
    if (this.#isQuiet(going, none)) return false
    const facts = this.#facts(going, none)
    const { operation } = facts
    if (!operation) return false
    return going.rig.strikesEarly(operation.id, await this.#select(going, facts), isEarly)
  }

  /** @param isEarly whether only a fault that strikes before the body is read may strike */
  async #disturbed(going: Going, facts: RequestFacts, isEarly: boolean): Promise<Reply> {
    const { rig, visit, entry } = going
    const selected = await this.#select(going, facts)
    const dials = rig.dials((selected ?? { scenario: rig.armed?.scenario }).scenario)
    const { operation } = facts
    // From here to the claim nothing is awaited: simultaneous requests get different steps.
    const decision =
      operation &&
      rig.decide(
        facts.attempt(
          {
            now: rig.clock.now(),
            user: visit.account.user.name,
            header: visit.header,
            fraction: fractionOf(going),
            canStrike: step => canStrike(step, visit.arrival, isEarly),
          },
          operation,
        ),
        selected,
      )
    entry.considered = selected ?? (rig.armed && { scenario: rig.armed.scenario, by: 'space' })
    entry.decision = decision
    const links = rig.links(visit.base, dials)
    const call = { ...going.call, dials, links, ...(decision && { plan: decision.plan }) }
    const turned = { ...going, call }
    if (decision) return this.#struck(turned, decision)
    if (isEarly) return this.#withBodyAfterAll(turned)
    return this.#undisturbed(turned)
  }

  /** A fault could have struck before the body, but did not: now everything else may. */
  async #withBodyAfterAll(going: Going): Promise<Reply> {
    const body = await going.call.body().catch(() => none)
    going.rig.journal.read(going.entry, body)
    return this.#disturbed(going, this.#facts(going, body), false)
  }

  async #struck(going: Going, { scenario, step }: Decision): Promise<Reply> {
    const { rig, visit, call } = going
    const fraction = fractionOf(going)
    const delay = step.delay === undefined ? 0 : drawn(step.delay, fraction)
    const truth = await this.#worked(going, step, delay)
    if (!truth) return this.#tell(going, await waitedInVain(call.links), false, scenario)
    if (delay > 0 && step.deliver !== 'late') await rig.clock.after(delay, async () => {}, visit.arrival.left)

    const given = step.phase === 'after' ? truth : await notProcessed(call.links)
    if (!step.answer) return this.#tell(going, given, given === truth, scenario)
    if (!('fault' in step.answer))
      return this.#tell(going, await replaced(step.answer, call.links, rig.clock.isShifted), false, scenario)
    const context: FaultContext = { base: visit.base, path: visit.target, fraction }
    return this.#faulted(going, given, given === truth, step.answer, context, scenario)
  }

  #faulted(
    going: Going,
    given: Answer,
    isTrue: boolean,
    { fault: name, settings }: FaultSpec,
    context: FaultContext,
    scenario: string,
  ): Reply {
    const fault = faults.get(name)!
    if ('falsify' in fault) return this.#tell(going, fault.falsify(given, settings, context), false, scenario)
    return { ...this.#tell(going, given, isTrue, scenario), strike: { fault, settings, context } }
  }

  /** The work, when its time has come. Undefined when the space began anew meanwhile, and it was not done. */
  async #worked(going: Going, step: Step, delay: number): Promise<Answer | undefined> {
    const { rig } = going
    const work = () => this.#work(going, step)
    if (step.deliver !== 'late') return step.hold === undefined ? work() : rig.holds.until(step.hold, work)
    // Whoever releases a hold waits for the work, but not for another wait.
    if (step.hold !== undefined) await rig.holds.until(step.hold, async () => {})
    return rig.clock.after(delay, work)
  }

  async #work(going: Going, step: Step): Promise<Answer> {
    const { rig, entry, call } = going
    if (step.phase === 'before') return notProcessed(call.links)
    const answer = await answerOf(await this.#serve(going))
    rig.journal.answered(entry, answer)
    return step.deliver === 'twice' ? this.#again(going) : answer
  }

  /** The same request once more, as a proxy sends it that got no answer in time. */
  async #again(going: Going): Promise<Answer> {
    const { rig, entry, call } = going
    const id = rig.nextId()
    const twin = rig.open({ ...entry.asked, id, twinOf: entry.asked.id })
    const { plan: _, ...rest } = call
    try {
      const body = await call.body()
      rig.journal.read(twin, body)
      const again = { ...going, visit: { ...going.visit, request: asSent(going.visit, body) } }
      const answer = await answerOf(await this.#serve({ ...again, call: { ...rest, cause: id } }))
      rig.journal.answered(twin, answer)
      rig.journal.tell(twin, answer, true)
      return answer
    } finally {
      rig.journal.close(twin, 'handed', 0)
      rig.leave()
    }
  }

  async #select({ rig, visit }: Going, facts: RequestFacts): Promise<Selected | undefined> {
    const named = visit.header('x-mock-scenario')
    if (named !== undefined) return { by: 'header', scenario: await this.#named(named, 'X-Mock-Scenario') }
    const ofTransaction = facts.transactionId && scenarioInTransactionId(facts.transactionId)
    if (ofTransaction !== undefined && ofTransaction !== '')
      return { by: 'transactionId', scenario: await this.#named(ofTransaction, 'transactionId') }
    const bound = scenarioOfTestSynchronization(rig, visit.target)
    if (bound !== undefined)
      return { by: 'test synchronization', scenario: await this.#named(bound, 'synchronization') }
    return undefined
  }

  /** @throws Problem 400 listing the scenarios there are: a fault that silently does not strike proves nothing */
  async #named(name: string, field: string): Promise<Scenario> {
    try {
      return await this.#options.scenario(name)
    } catch (error) {
      throw problems.field(field, (error as Error).message)
    }
  }

  async #failed(going: Going, error: unknown): Promise<Reply> {
    const isKnown = error instanceof Problem
    if (!isKnown) this.#options.report(error)
    const problem = isKnown
      ? error
      : problems.notProcessed('The request could not be processed; nothing was changed')
    const { links, dials } = going.call
    return this.#tell(going, await answerOf(problemResponse(problem, links, dials)), true)
  }

  #tell(going: Going, answer: Answer, isTrue: boolean, scenario?: string): Reply {
    const { rig, entry, visit, call } = going
    const told = this.#options.hints
      ? { ...answer, headers: { ...answer.headers, ...hints(answer, entry, visit, call, scenario) } }
      : answer
    rig.journal.tell(entry, told, isTrue)
    return {
      answer: told,
      close: (delivered, bytesSent) => {
        rig.journal.close(entry, delivered, bytesSent)
        rig.leave()
      },
    }
  }
}

/** Chance of this request: the same for the same space, seed and request. */
const fractionOf =
  ({ rig, entry }: Going) =>
  (purpose: string): number =>
    rig.space.chance.fraction('scenario', entry.asked.id, purpose)

function hints(
  answer: Answer,
  entry: Entry,
  visit: Visit,
  { space }: Call,
  scenario: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { 'X-Mock-Request-Id': entry.asked.id }
  if (scenario !== undefined) headers['X-Mock-Scenario'] = scenario
  if (answer.status >= 400 && answer.status < 500) headers['X-Mock-Hint'] = hint(answer, visit.target, space)
  return headers
}

async function limited(response: Response | Promise<Response>, headers: RateLimitHeaders): Promise<Response> {
  const answer = await answerOf(await response)
  return respond({ ...answer, headers: { ...answer.headers, ...headers } })
}

const waitedInVain = (links: Links) =>
  answerOf(
    problemResponse(problems.notProcessed('The space was reset while this request was waiting'), links),
  )

const isEarly = (step: Step): boolean => faultOf(step)?.early === true

const faultOf = ({ answer }: Step) => (answer && 'fault' in answer ? faults.get(answer.fault) : undefined)

function canStrike(step: Step, arrival: Arrival, onlyEarly: boolean): boolean {
  const fault = faultOf(step)
  if (onlyEarly && !fault?.early) return false
  return !fault?.onlyReused || arrival.position > 1
}

/** `mock:<name>:<anything>`; what merely begins like it names a scenario as well, and is loud when there is none. */
function scenarioInTransactionId(transactionId: string): string | undefined {
  if (!transactionId.startsWith('mock:')) return undefined
  const end = transactionId.indexOf(':', 5)
  return transactionId.slice(5, end < 0 ? undefined : end) || '(none)'
}

const uuidLength = 36

/** The scenario that the synchronization of this path is bound to. */
function scenarioOfTestSynchronization({ space }: SpaceRig, target: string): string | undefined {
  const { testSynchronizations } = space.data.tables
  if (testSynchronizations.size === 0) return undefined
  const at = target.indexOf('chronizations/')
  if (at < 0) return undefined
  const start = at + 'chronizations/'.length
  return testSynchronizations.get(target.slice(start, start + uuidLength))?.scenario
}

/** The request as it was sent, to be read once more. */
function asSent({ request }: Visit, body: Uint8Array): Request {
  return new Request(request.url, {
    method: request.method,
    headers: request.headers,
    body: body as Uint8Array<ArrayBuffer>,
  })
}
