import { andThen } from '../service/and-then.ts'
import type { Answer } from '../service/answer.ts'
import type { Call } from '../service/call.ts'
import type { Links } from '../service/links.ts'
import { Problem, problemAnswer, problems } from '../service/problem.ts'
import type { RateLimit, RateLimitHeaders } from '../service/rate-limit.ts'
import type { Service } from '../service/service.ts'
import type { Arrival } from './arrival.ts'
import { drawn } from './delays.ts'
import { faults } from './faults/registry.ts'
import { fractionOf, Passage, type Reply, type Visit } from './passage.ts'
import type { Decision } from './play.ts'
import { notProcessed, replaced } from './replaced.ts'
import { RequestFacts } from './request-facts.ts'
import type { FaultSpec, Step } from './scenarios/scenario.ts'
import { type FindScenario, namesScenario, select } from './selection.ts'
import type { Selected, SpaceRig } from './space-rig.ts'
import { remembers } from './transaction-memory.ts'

export interface ExchangeOptions {
  readonly service: Service
  readonly scenario: FindScenario
  readonly limit: RateLimit
  readonly platformSegment: string
  /** Whether answers carry X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint. */
  readonly hints: boolean
  /** Hears of errors that are ours, not a client's. */
  readonly report: (error: unknown) => void
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
    const passage = new Passage(rig, visit)
    try {
      const { method } = visit.request
      const reply =
        method === 'GET' || method === 'HEAD' ? this.#decided(passage, none) : this.#withBody(passage)
      return reply instanceof Promise ? reply.catch(error => this.#failed(passage, error)) : reply
    } catch (error) {
      return this.#failed(passage, error)
    }
  }

  #withBody(passage: Passage): Reply | Promise<Reply> {
    if (this.#isQuiet(passage, none)) return this.#read(passage)
    return andThen(this.#canStrikeEarly(passage), can =>
      can ? this.#disturbed(passage, none, true) : this.#read(passage),
    )
  }

  /**
   * A body that does not come whole, or is too long, uses up no step: such a request never came to be processed. The
   * service says so when it asks for the body.
   */
  #read(passage: Passage): Promise<Reply> {
    return passage.read().then(
      body => this.#decided(passage, body),
      () => this.#undisturbed(passage),
    )
  }

  #decided(passage: Passage, body: Uint8Array): Reply | Promise<Reply> {
    return this.#isQuiet(passage, body) ? this.#undisturbed(passage) : this.#disturbed(passage, body, false)
  }

  /** Nothing is armed, and the request names nothing: the usual case. */
  #isQuiet({ rig, visit }: Passage, body: Uint8Array): boolean {
    return !rig.isDisturbed && !namesScenario(rig, visit, body)
  }

  #facts(passage: Passage, body: Uint8Array): RequestFacts {
    const { visit, facts } = passage
    passage.facts = facts
      ? facts.withBody(body)
      : new RequestFacts(visit.request.method, visit.target, body, this.#options.platformSegment)
    return passage.facts
  }

  #undisturbed(passage: Passage): Reply | Promise<Reply> {
    return andThen(this.#truth(passage), answer => this.#tell(passage, answer, true))
  }

  /** What the service answers, as soon as that may be told. */
  #truth(passage: Passage): Answer | Promise<Answer> {
    return andThen(this.#serve(passage), answer =>
      andThen(safeToTell(passage, answer), () => {
        passage.answered(answer)
        return answer
      }),
    )
  }

  #serve(passage: Passage): Answer | Promise<Answer> {
    return remembers(passage.call.dials) ? this.#remembering(passage) : this.#served(passage)
  }

  async #remembering(passage: Passage): Promise<Answer> {
    const { rig, call } = passage
    const facts = this.#facts(passage, await bodyOrNone(call))
    const refusal = rig.memory.refusal(facts, call.dials)
    if (refusal) return refusal
    return rig.memory.told(await this.#served(passage), facts, call.dials)
  }

  #served({ visit: { request }, call }: Passage): Answer | Promise<Answer> {
    const { service, limit } = this.#options
    const headers = limit.take(call.space, call.dials)
    const answer = service.answer(request, call)
    return headers ? limited(answer, headers) : answer
  }

  #canStrikeEarly(passage: Passage): boolean | Promise<boolean> {
    const { rig } = passage
    const { operation } = this.#facts(passage, none)
    if (!operation) return false
    return andThen(this.#selected(passage, none), selected =>
      rig.strikesEarly(operation.id, selected, isEarly),
    )
  }

  #disturbed(passage: Passage, body: Uint8Array, onlyEarly: boolean): Reply | Promise<Reply> {
    return andThen(this.#selected(passage, body), selected =>
      this.#applied(passage, body, selected, onlyEarly),
    )
  }

  /** Nothing is waited for where the request names nothing: most are of operations that no rule is about. */
  #selected(passage: Passage, body: Uint8Array): undefined | Promise<Selected | undefined> {
    const { rig, visit } = passage
    if (!namesScenario(rig, visit, body)) return undefined
    return select(rig, visit, this.#facts(passage, body), this.#options.scenario)
  }

  #applied(
    passage: Passage,
    body: Uint8Array,
    selected: Selected | undefined,
    onlyEarly: boolean,
  ): Reply | Promise<Reply> {
    const { rig, visit, entry } = passage
    const facts = this.#facts(passage, body)
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
            fraction: fractionOf(passage),
            canStrike: step => canStrike(step, visit.arrival, onlyEarly),
          },
          operation,
        ),
        selected,
      )
    entry.considered = selected ?? (rig.armed && { scenario: rig.armed.scenario, by: 'space' })
    entry.decision = decision
    if (onlyEarly && !decision) return this.#read(passage)
    if (selected || decision) {
      const dials = selected ? rig.dials(selected.scenario) : rig.usualDials
      const links = rig.links(visit.base, dials)
      passage.turn(dials, links, decision?.plan)
    }
    return decision ? this.#struck(passage, decision) : this.#undisturbed(passage)
  }

  #struck(passage: Passage, decision: Decision): Reply | Promise<Reply> {
    const { delay, hold } = decision.step
    const wait = delay === undefined ? 0 : drawn(delay, fractionOf(passage))
    const isKept = wait > 0 || hold !== undefined
    return isKept ? this.#kept(passage, decision, wait) : this.#strike(passage, decision, 0)
  }

  /** It is held or delayed. */
  async #kept(passage: Passage, decision: Decision, delay: number): Promise<Reply> {
    const { rig, call } = passage
    const letGo = rig.keep()
    if (!letGo) return this.#tell(passage, noRoom(rig.holdLimit, call.links), false, decision.scenario)
    passage.waits()
    try {
      return await this.#strike(passage, decision, delay)
    } finally {
      letGo()
    }
  }

  #strike(passage: Passage, { scenario, step }: Decision, delay: number): Reply | Promise<Reply> {
    const { rig, visit, call } = passage
    return andThen(this.#worked(passage, step, delay), truth => {
      if (!truth) return this.#tell(passage, waitedInVain(call.links), false, scenario)
      const isToWait = delay > 0 && step.deliver !== 'late'
      const waited = isToWait ? rig.clock.after(delay, async () => {}, visit.arrival.left) : undefined
      return andThen(waited, () => this.#instead(passage, step, truth, scenario))
    })
  }

  /** What the step has told, the truth or something in its place. */
  #instead(passage: Passage, step: Step, truth: Answer, scenario: string): Reply {
    const { rig, call } = passage
    const isAfter = step.phase === 'after'
    // In phase before, where nothing was done, that is the one answer there is.
    const given = isAfter || step.phase === 'before' ? truth : notProcessed(call.links)
    // Delivered twice, it is told the answer to its twin; the journal has its own as the truth.
    const isTrue = isAfter && step.deliver !== 'twice'
    if (!step.answer) return this.#tell(passage, given, isTrue, scenario)
    if ('fault' in step.answer) return this.#faulted(passage, given, isTrue, step.answer, scenario)
    const instead = replaced(step.answer, call.links, rig.clock.isShifted)
    return this.#tell(passage, instead, false, scenario)
  }

  #faulted(passage: Passage, given: Answer, isTrue: boolean, spec: FaultSpec, scenario: string): Reply {
    const { visit } = passage
    const { settings } = spec
    const fault = faults.get(spec.fault)!
    const context = { base: visit.base, path: visit.target, fraction: fractionOf(passage) }
    if ('falsify' in fault)
      return this.#tell(passage, fault.falsify(given, settings, context), false, scenario)
    passage.strike = { fault, settings, context, report: this.#options.report }
    return this.#tell(passage, given, isTrue, scenario)
  }

  /** The work, when its time has come. Undefined when the space began anew meanwhile, and it was not done. */
  #worked(passage: Passage, step: Step, delay: number): Answer | undefined | Promise<Answer | undefined> {
    const { clock, holds } = passage.rig
    const { hold } = step
    if (step.deliver !== 'late' && hold === undefined) return this.#work(passage, step)
    const work = async () => this.#work(passage, step)
    if (step.deliver !== 'late') return holds.until(hold!, work)
    // Whoever releases a hold waits for the work, but not for another wait.
    const released = hold === undefined ? undefined : holds.until(hold, async () => {})
    return andThen(released, () => clock.after(delay, work))
  }

  #work(passage: Passage, step: Step): Answer | Promise<Answer> {
    if (step.phase === 'before') return this.#lost(passage)
    return andThen(this.#truth(passage), answer => (step.deliver === 'twice' ? this.#again(passage) : answer))
  }

  #lost(passage: Passage): Answer | Promise<Answer> {
    const { rig, call } = passage
    const body = remembers(call.dials) ? bodyOrNone(call) : undefined
    return andThen(body, bytes => {
      if (bytes) rig.memory.lost(this.#facts(passage, bytes))
      return notProcessed(call.links)
    })
  }

  /** The same request once more, as a proxy sends it that got no answer in time. */
  async #again({ rig, visit, entry, call }: Passage): Promise<Answer> {
    const body = await call.body()
    const again = new Passage(rig, { ...visit, body: async () => body }, entry.id)
    try {
      await again.read()
      again.turn(call.dials, call.links, undefined)
      const answer = await this.#truth(again)
      rig.journal.tell(again.entry, answer, true)
      return answer
    } finally {
      again.close('handed', 0)
    }
  }

  #failed(passage: Passage, error: unknown): Reply {
    const isKnown = error instanceof Problem
    if (!isKnown) this.#options.report(error)
    const problem = isKnown
      ? error
      : problems.notProcessed('The request could not be processed; nothing was changed')
    const { links, dials } = passage.call
    return this.#tell(passage, problemAnswer(problem, links, dials), true)
  }

  #tell(passage: Passage, answer: Answer, isTrue: boolean, scenario?: string): Reply {
    return passage.tell(answer, isTrue, this.#options.hints, scenario)
  }
}

/**
 * An answer may tell of what others have just put on record, and the disk may yet refuse that. So it waits until that is
 * safe; one with 201 tells of its own request, whose save it has waited for. Undefined when there is nothing to wait for.
 */
const safeToTell = ({ call }: Passage, { status }: Answer): Promise<void> | undefined =>
  status === 201 ? undefined : call.space.data.pending

/** None where it did not come whole, or is too long: that is for the service to say. */
async function bodyOrNone(call: Call): Promise<Uint8Array> {
  try {
    return await call.body()
  } catch {
    return none
  }
}

async function limited(told: Answer | Promise<Answer>, headers: RateLimitHeaders): Promise<Answer> {
  const answer = await told
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

const noRoom = (limit: number, links: Links) =>
  problemAnswer(
    problems.noRoom(
      `${limit} requests are held or delayed in this space already, which is the most (--hold-limit)`,
    ),
    links,
  )

const waitedInVain = (links: Links) =>
  problemAnswer(problems.notProcessed('The space was reset while this request was waiting'), links)

const faultOf = ({ answer }: Step) => (answer && 'fault' in answer ? faults.get(answer.fault) : undefined)

const isEarly = (step: Step): boolean => faultOf(step)?.early === true

function canStrike(step: Step, arrival: Arrival, onlyEarly: boolean): boolean {
  const fault = faultOf(step)
  if (onlyEarly && !fault?.early) return false
  return !fault?.onlyReused || arrival.position > 1
}
