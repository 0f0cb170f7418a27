import type { RateLimit } from '../service/access.ts'
import { applyDials } from '../service/answer-form.ts'
import type { DialValues } from '../service/dials.ts'
import { BodyNeeded } from '../service/operation.ts'
import { operations } from '../service/operations.ts'
import { type Problem, problems, toProblem } from '../service/problem.ts'
import { problemAnswer } from '../service/problem-answer.ts'
import { type Answer, withoutBody } from '../service/response.ts'
import type { Service } from '../service/service.ts'
import { StorageError } from '../store/disk.ts'
import { sampleDelay } from './chance.ts'
import { type ToldResponse, tellResponse } from './faults/fault.ts'
import { headerText } from './hints.ts'
import { type IncomingRequest, type Reply, RequestContext } from './request-context.ts'
import type { Decision, SelectedScenario, Step } from './scenarios/scenario.ts'
import {
  type FindScenario,
  namesScenario,
  type SelectionChannel,
  selectScenario,
} from './scenarios/selection.ts'
import type { SpaceRig } from './space-rig.ts'
import { notProcessedAnswer, substituteAnswer } from './substitute-answer.ts'

export interface RequestHandlerOptions {
  readonly service: Service
  readonly scenario: FindScenario
  /** The ways in which requests choose scenarios. */
  readonly channels: ReadonlySet<SelectionChannel>
  readonly limit: RateLimit
  /** Whether answers carry X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint. */
  readonly hints: boolean
  /** Called with internal errors. */
  readonly report: (error: unknown) => void
}

/**
 * Processes one request from its arrival in a space to its answer: decides, works, answers. Work and answer are separate
 * steps, so that either can fail without the other.
 */
export class RequestHandler {
  readonly #options: RequestHandlerOptions

  constructor(options: RequestHandlerOptions) {
    this.#options = options
  }

  /** At once where nothing has to be awaited: Node's adapter is faster without a promise. */
  handle(rig: SpaceRig, incoming: IncomingRequest): Reply | Promise<Reply> {
    const context = new RequestContext(rig, incoming)
    return isPlainRead(context) ? this.#read(context) : this.#answer(context)
  }

  #read(context: RequestContext): Reply | Promise<Reply> {
    try {
      if (isWithoutRoom(context)) return this.#refuse(context, noRoom(context.rig))
      const answer = this.#askService(context)
      const { durable } = context.call.space.data
      if (!durable) return this.#respondTruly(context, answer)
      return durable.then(
        () => this.#respondTruly(context, answer),
        error => this.#respondToError(context, error),
      )
    } catch (error) {
      return this.#respondToError(context, error)
    }
  }

  async #answer(context: RequestContext): Promise<Reply> {
    try {
      if (isWithoutRoom(context)) return this.#refuse(context, noRoom(context.rig))
      if (this.#isRefusedUnread(context)) return this.#respondTruly(context, this.#askService(context))
      const decision = await this.#decide(context)
      if (decision) return await this.#play(context, decision)
      return this.#respond(context, await this.#trueAnswer(context), true)
    } catch (error) {
      return this.#respondToError(context, error)
    }
  }

  /**
   * Whether the service refuses a request whatever its body says. Asked only where the client waits to be asked for the body, and
   * nothing is armed or named that could apply to it.
   */
  #isRefusedUnread(context: RequestContext): boolean {
    const { incoming, facts, call } = context
    if (!incoming.arrival.awaitsContinue || canBeDisturbed(context)) return false
    if (facts.operation && !operations[facts.operation.id].body) return false
    try {
      context.rig.clock.at(context.record.arrived.clock, () => this.#options.service(incoming.request, call))
      return true
    } catch (error) {
      if (error instanceof BodyNeeded) return false
      throw error
    }
  }

  /**
   * The step that the request claims, if there is one: before its body is read where a fault applies then, else with its
   * body. An incomplete or too long request claims none; the service refuses it when it asks for the body.
   */
  async #decide(context: RequestContext): Promise<Decision | undefined> {
    const { rig, record } = context
    if (!context.isBodyRead) {
      const decision = mayApplyBeforeBody(context) ? await this.#choose(context) : undefined
      if (decision) return decision
      await context.readBody()
      if (rig.replay) await rig.replay.turn(record, 'decided')
      noteStep(context, 'decided')
    }
    return context.isBodyRead && canBeDisturbed(context) ? this.#choose(context) : undefined
  }

  async #choose(context: RequestContext): Promise<Decision | undefined> {
    const { scenario, channels } = this.#options
    const selected = namesScenario(context) ? await selectScenario(context, scenario, channels) : undefined
    const { rig, record } = context
    if (rig.replay) await rig.replay.turn(record, 'claimed')
    const now = noteStep(context, 'claimed')
    return rig.clock.at(now, () => this.#claim(context, selected))
  }

  /** Claims the step of the scenario or one-shot fault that applies to the request, and records the decision. */
  #claim(context: RequestContext, selected: SelectedScenario | undefined): Decision | undefined {
    const { rig, incoming, record, facts, fraction, call, isBodyRead } = context
    const { operation } = facts
    if (!isBodyRead && !rig.scenarios.canApplyBeforeBody(operation!.id, selected)) return undefined
    // The service refuses this user, so no step is used up.
    if (operation && !call.rights.includes(operations[operation.id].right)) {
      context.choose(selected?.scenario, undefined)
      return undefined
    }
    // Nothing is awaited between here and the claim, so that simultaneous requests get different steps.
    const attempt = operation && {
      facts,
      operation: operation.id,
      transactionId: facts.transactionId,
      now: rig.clock.now(),
      user: incoming.account.user.name,
      header: incoming.header,
      fraction,
      isBodyRead,
      isConnectionReused: incoming.arrival.position > 1,
    }
    const decision = attempt && rig.scenarios.claim(attempt, selected)
    record.applicableScenario =
      selected ?? (rig.scenarios.active && { scenario: rig.scenarios.active.scenario, by: 'space' })
    record.decision = decision
    rig.keptJournal?.note(record, false)
    if (decision || (selected && isBodyRead)) context.choose(selected?.scenario, decision)
    return decision
  }

  /** The answer of the service, once all that it shows is durable. */
  async #trueAnswer(context: RequestContext): Promise<Answer> {
    // A fault may apply before the body is read.
    if (!context.isBodyRead) await context.readBody()
    const { rig, record } = context
    if (rig.replay) await rig.replay.turn(record, 'asked')
    const answer = this.#askService(context, noteStep(context, 'asked'))
    const { durable } = context.call.space.data
    if (durable) await durable
    return context.recordTrueAnswer(answer)
  }

  /**
   * What the service answers within the limit of requests, where refused transactions may be remembered.
   * @param now the time of the space, which stands still meanwhile; that of its arrival unless given
   */
  #askService(context: RequestContext, now = context.record.arrived.clock): Answer {
    return context.rig.clock.at(now, () => this.#answerOfService(context))
  }

  #answerOfService(context: RequestContext): Answer {
    const { incoming, call } = context
    const { service, limit } = this.#options
    const rateHeaders = limit.take(call.space, call.dials)
    const answer = remembersTransactions(call.dials)
      ? this.#rememberedAnswer(context)
      : service(incoming.request, call)
    return rateHeaders ? { ...answer, headers: { ...answer.headers, ...rateHeaders } } : answer
  }

  #rememberedAnswer({ rig, incoming, call, facts }: RequestContext): Answer {
    const mayCreate = call.rights.includes(operations.createSending.right)
    const refusal = mayCreate && rig.memory.refusal(facts, rig.space, call.dials)
    if (refusal) return applyDials(call, problemAnswer(refusal, call.links, call.dials))
    return rig.memory.adjustAnswer(this.#options.service(incoming.request, call), facts, call.dials)
  }

  /** Does what the step says: holds or delays the request, does the work, and answers. */
  async #play(context: RequestContext, { scenario, step }: Decision): Promise<Reply> {
    const { rig, incoming } = context
    const delay = step.delay === undefined ? 0 : sampleDelay(step.delay, context.fraction)
    const waits = delay > 0 || step.hold !== undefined
    if (!waits && step.deliver !== 'late')
      return this.#respondForStep(context, step, await this.#work(context, step), scenario)
    const releaseWait = waits ? rig.reserveWait() : undefined
    if (waits && !releaseWait) return this.#refuse(context, noRoom(rig), scenario)
    if (waits) context.watchForDisconnect()
    try {
      const truth = await this.#workWhenDue(context, step, delay)
      if (!truth) return this.#refuse(context, resetWhileWaiting(), scenario)
      if (delay > 0 && step.deliver !== 'late')
        await rig.clock.after(delay, async () => {}, incoming.arrival.clientLeft, waitStart(context, step))
      return this.#respondForStep(context, step, truth, scenario)
    } finally {
      releaseWait?.()
    }
  }

  /** Does the work when it is due. Undefined if the space was reset first and the work was not done. */
  async #workWhenDue(context: RequestContext, step: Step, delay: number): Promise<Answer | undefined> {
    const { clock, holds } = context.rig
    const { hold } = step
    const work = () => this.#work(context, step)
    if (step.deliver !== 'late') return hold === undefined ? work() : holds.runWhenReleased(hold, work)
    // The call that releases a hold waits for the work, but not for a delay after the hold.
    if (hold !== undefined) await holds.runWhenReleased(hold, async () => {})
    return clock.after(delay, work, undefined, waitStart(context, step))
  }

  async #work(context: RequestContext, step: Step): Promise<Answer> {
    if (step.phase === 'before') {
      if (remembersTransactions(context.call.dials)) await recordLost(context)
      return notProcessedAnswer(context.call)
    }
    const answer = await this.#trueAnswer(context)
    return step.deliver === 'twice' ? this.#deliverAgain(context) : answer
  }

  /** Delivers the same request again, like a proxy that got no answer in time. */
  async #deliverAgain(context: RequestContext): Promise<Answer> {
    const { rig, incoming, record, facts } = context
    if (rig.replay) await rig.replay.turn(record, 'repeated')
    const again = new RequestContext(rig, { ...incoming, body: async () => facts.body }, record.id)
    try {
      await again.readBody()
      again.useDialsOf(context)
      const answer = await this.#trueAnswer(again)
      return again.setResponse(answer, true, false).answer
    } finally {
      again.close('handed', 0)
    }
  }

  #respondForStep(context: RequestContext, step: Step, truth: Answer, scenario: string): Reply {
    const { rig, call, incoming, fraction } = context
    const isAfter = step.phase === 'after'
    // In phase `before` nothing was done; this is the only answer.
    const given = isAfter || step.phase === 'before' ? truth : notProcessedAnswer(call)
    // With `deliver: twice` the client gets the answer to the second delivery; the journal keeps this one as the truth.
    const isTrue = isAfter && step.deliver !== 'twice'
    if (!step.answer) return this.#respond(context, given, isTrue, scenario)
    if (!('fault' in step.answer)) {
      const instead = substituteAnswer(step.answer, call, rig.clock)
      return this.#respond(context, instead, false, scenario)
    }
    const { fault, settings } = step.answer
    const faultContext = { base: incoming.base, path: incoming.target, fraction }
    if ('falsify' in fault)
      return this.#respond(context, fault.falsify(given, settings, faultContext), false, scenario)
    context.pendingFault = { fault, settings, context: faultContext, report: this.#options.report }
    // Faults write the bytes themselves, and none may follow the head of an answer to HEAD.
    const sent = incoming.request.method === 'HEAD' ? withoutBody(given) : given
    const response = tellResponse(fault, sent, settings)
    return this.#respond(context, response, isTrue && response === sent, scenario)
  }

  #respondTruly(context: RequestContext, answer: Answer): Reply {
    return this.#respond(context, context.recordTrueAnswer(answer), true)
  }

  #respondToError(context: RequestContext, error: unknown): Reply {
    return this.#refuse(context, problemOf(error, this.#options.report))
  }

  #refuse(context: RequestContext, problem: Problem, scenario?: string): Reply {
    const { call } = context
    return this.#respond(
      context,
      applyDials(call, problemAnswer(problem, call.links, call.dials)),
      false,
      scenario,
    )
  }

  #respond(context: RequestContext, answer: ToldResponse, isTrue: boolean, scenario?: string): Reply {
    return context.setResponse(answer, isTrue, this.#options.hints, scenario)
  }
}

/** The problem that an error is for the client. Any other error is an internal one, which is reported. */
export function problemOf(error: unknown, report: (error: unknown) => void, sentence?: string): Problem {
  const known = toProblem(error)
  if (known) return known
  report(error)
  return problems.notProcessed(
    sentence ?? 'The request could not be processed; nothing was changed',
    error instanceof StorageError ? headerText(error.message) : undefined,
  )
}

/** Puts a step of a request on record. @returns the time of the space then */
function noteStep(context: RequestContext, kind: 'decided' | 'claimed' | 'asked'): number {
  const { rig, record } = context
  const now = rig.clock.now()
  context.stepAt = now
  rig.journal.history.note(kind, record.number, now)
  return now
}

/** When a wait of a request begins: with its latest step, so that the order of waits is the same when they are played again. */
const waitStart = ({ stepAt }: RequestContext, { hold }: Step): number | undefined =>
  hold === undefined ? stepAt : undefined

/** Whether a deployment with these dials remembers transactions that created no sending. */
const remembersTransactions = (dials: DialValues): boolean =>
  dials['rejected-transaction'] !== 'free' || dials['repeat-after-500-status'] !== '201'

/** Whether something is armed or the request names a scenario. Usually not. */
const canBeDisturbed = (context: RequestContext): boolean =>
  context.rig.scenarios.isAnyArmed || namesScenario(context)

/** Whether a fault may apply before the body of the request is read. */
function mayApplyBeforeBody(context: RequestContext): boolean {
  const { operation } = context.facts
  return (
    operation !== undefined &&
    (namesScenario(context) || context.rig.scenarios.canApplyBeforeBody(operation.id, undefined))
  )
}

/** Whether nothing has to be awaited but what other requests have saved. */
const isPlainRead = (context: RequestContext): boolean => context.isBodyRead && !canBeDisturbed(context)

/** Whether memory is too short for this request: a change, or a read that counts steps or comes with too many others. */
const isWithoutRoom = ({ rig, record: { method } }: RequestContext): boolean =>
  method === 'GET' || method === 'HEAD'
    ? rig.budget.isCrowded || (rig.scenarios.isAnyArmed && !rig.budget.hasRoom(0))
    : !rig.budget.hasRoom(0)

/** Remembers the transaction of a request that never reaches the service. */
async function recordLost(context: RequestContext): Promise<void> {
  if (!context.isBodyRead) await context.readBody()
  context.rig.memory.recordLost(context.facts)
}

const noRoom = ({ holdLimit, budget }: SpaceRig) =>
  problems.noRoom(
    budget.hasRoom(0)
      ? `${holdLimit} requests are held or delayed in this space already, and no more are allowed (--hold-limit)`
      : budget.fullSentence,
  )

const resetWhileWaiting = () => problems.notProcessed('The space was reset while this request was waiting')
