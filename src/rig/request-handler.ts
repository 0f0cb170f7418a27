import { STATUS_CODES } from 'node:http'
import type { RateLimit } from '../service/access.ts'
import type { DialValues } from '../service/dials.ts'
import type { Links } from '../service/links.ts'
import type { ServiceCall } from '../service/operation.ts'
import { operations } from '../service/operations.ts'
import {
  isOfService,
  Problem,
  type ProblemName,
  problemAnswer,
  problemKinds,
  problems,
  toProblem,
} from '../service/problem.ts'
import { requestPath } from '../service/request-input.ts'
import { type Answer, applyDials, mapMaybeAsync, withoutBody } from '../service/response.ts'
import type { Service } from '../service/service.ts'
import { getOrMake } from '../store/maps.ts'
import { sampleDelay } from './chance.ts'
import { realClock } from './clock.ts'
import { type IncomingRequest, type Reply, RequestContext } from './request-context.ts'
import type { RequestFacts } from './request-facts.ts'
import type { Decision } from './scenarios/play.ts'
import type { AnswerSpec, Scenario, Step } from './scenarios/scenario.ts'
import type { SelectedScenario, SpaceRig } from './space-rig.ts'

/** The 500 of spec 4.1/7: the answer when the work was not completed. */
const notProcessedAnswer = (call: ServiceCall): Answer =>
  applyDials(call, cachedProblem(500, 'The request could not be processed', call.links))

/**
 * The answer that a step gives instead of the true one.
 * @param isShifted whether the space's clock differs from the client's; Retry-After is then given in seconds
 */
function substituteAnswer(spec: AnswerSpec, links: Links, isShifted: boolean): Answer {
  const { status, headers, body } = spec
  const whole = answerWithBody(status, body, links)
  if (spec.retryAfter === undefined && Object.keys(headers).length === 0) return whole
  const retryAfter = retryAfterHeader(spec.retryAfter, isShifted)
  return {
    ...whole,
    headers: { ...whole.headers, ...(retryAfter !== undefined && { 'Retry-After': retryAfter }), ...headers },
  }
}

function answerWithBody(status: number, body: AnswerSpec['body'], links: Links): Answer {
  if (body === 'empty')
    return { status, headers: status === 204 || status === 304 ? {} : { 'Content-Length': '0' }, body: '' }
  if (body === 'problem') return cachedProblem(status, `A scenario answers ${status}`, links)
  if (body === 'gateway-html')
    return { status, headers: { 'Content-Type': 'text/html' }, body: gatewayPage(status) }
  return { status, headers: { 'Content-Type': 'text/plain;charset=UTF-8' }, body: body.text }
}

/** Problem answers of scenarios by detail: there are few, and creating one takes as long as the rest of a fault. */
const problemCache = new WeakMap<Links, Map<string, Answer>>()

function cachedProblem(status: number, detail: string, links: Links): Answer {
  const ofLinks = getOrMake(problemCache, links, () => new Map<string, Answer>())
  return getOrMake(ofLinks, detail, () => createProblem(status, detail, links))
}

function createProblem(status: number, detail: string, links: Links): Answer {
  const names = Object.keys(problemKinds) as ProblemName[]
  const name = names.find(it => problemKinds[it].status === status && isOfService(it))
  if (name) return problemAnswer(new Problem(name, detail, { status }), links)
  return {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
    body: JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status] ?? 'Unknown', detail }),
  }
}

/** The page of a gateway in front of the service that gets no valid answer in time. */
function gatewayPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>gateway</center>\r\n</body>\r\n</html>\r\n`
}

function retryAfterHeader(given: AnswerSpec['retryAfter'], isShifted: boolean): string | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'number') return String(given)
  if ('text' in given) return given.text
  if (isShifted) return String(Math.max(0, Math.ceil(given.dateIn / 1000)))
  return new Date(realClock.now() + given.dateIn).toUTCString()
}

/** @throws an error whose message lists the names there are */
type FindScenario = (name: string) => Scenario | Promise<Scenario>

type MaybeDecision = Decision | undefined

/** The ways in which a request can choose a scenario, the first of which wins. */
export const selectionChannels = ['header', 'transaction-id', 'synchronization'] as const
export type SelectionChannel = (typeof selectionChannels)[number]

/**
 * The scenario that a request names, or that its synchronization is bound to; the first match wins. Undefined if the
 * scenario of the space applies.
 * @throws Problem 400 that lists the existing scenarios: a fault that silently does not apply proves nothing
 */
async function selectScenario(
  rig: SpaceRig,
  incoming: IncomingRequest,
  facts: RequestFacts,
  { scenario: find, channels }: Pick<RequestHandlerOptions, 'scenario' | 'channels'>,
): Promise<SelectedScenario | undefined> {
  const named = incoming.header('x-mock-scenario')
  if (named !== undefined && channels.has('header'))
    return { by: 'header', scenario: await findOrRefuse(find, named, 'X-Mock-Scenario') }
  const byId = channels.has('transaction-id') ? scenarioNameIn(facts.transactionId) : undefined
  if (byId !== undefined)
    return { by: 'transactionId', scenario: await findOrRefuse(find, byId, 'transactionId') }
  const bound = scenarioOfTestSynchronization(rig, incoming.target)
  if (bound === undefined || !channels.has('synchronization')) return undefined
  return { by: 'test synchronization', scenario: await findOrRefuse(find, bound, 'synchronization') }
}

/** Whether a request may name a scenario itself. */
const namesScenario = (context: RequestContext): boolean =>
  context.incoming.header('x-mock-scenario') !== undefined ||
  scenarioOfTestSynchronization(context.rig, context.incoming.target) !== undefined ||
  (context.facts.body.length > 0 && scenarioNameIn(context.facts.transactionId) !== undefined)

async function findOrRefuse(find: FindScenario, name: string, field: string): Promise<Scenario> {
  try {
    return await find(name)
  } catch (error) {
    throw toProblem(error) ?? problems.field(field, (error as Error).message)
  }
}

/**
 * The name in a transaction ID of the form `mock:<name>:<anything>`. Every other ID, also one that only begins with `mock:`,
 * is an ordinary one.
 */
export const scenarioNameIn = (transactionId: string | undefined): string | undefined =>
  /^mock:([^:]+):./.exec(transactionId ?? '')?.[1]

const synchronizationPath = 'chronizations/'
const uuidLength = 36

function scenarioOfTestSynchronization({ space }: SpaceRig, target: string): string | undefined {
  const { testSynchronizations } = space.data.tables
  if (testSynchronizations.size === 0) return undefined
  const path = requestPath(target)
  const at = path.indexOf(synchronizationPath)
  if (at < 0) return undefined
  const start = at + synchronizationPath.length
  return testSynchronizations.get(path.slice(start, start + uuidLength))?.scenario
}

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

  handle(rig: SpaceRig, incoming: IncomingRequest): Reply | Promise<Reply> {
    const context = new RequestContext(rig, incoming)
    try {
      if (isWithoutRoom(context)) return this.#refuse(context, noRoom(rig))
      const reply = this.#process(context)
      return reply instanceof Promise ? reply.catch(error => this.#respondToError(context, error)) : reply
    } catch (error) {
      return this.#respondToError(context, error)
    }
  }

  /** Usually nothing is armed: then it waits for the body alone, or for nothing. */
  #process(context: RequestContext): Reply | Promise<Reply> {
    return mapMaybeAsync(this.#decide(context), decision =>
      decision ? this.#play(context, decision) : this.#respondTruly(context),
    )
  }

  #respondTruly(context: RequestContext): Reply | Promise<Reply> {
    return mapMaybeAsync(this.#trueAnswer(context), answer => this.#respond(context, answer, true))
  }

  /**
   * The step that the request claims, if there is one: before its body is read where a fault applies then, else with its
   * body. An incomplete or too long request claims none; the service refuses it when it asks for the body.
   */
  #decide(context: RequestContext): MaybeDecision | Promise<MaybeDecision> {
    if (context.isBodyRead) return this.#choose(context)
    const withBody = () =>
      context.readBody().then(
        () => this.#choose(context),
        () => undefined,
      )
    return mapMaybeAsync(this.#choose(context), decision => decision ?? withBody())
  }

  /** At once, unless the request names a scenario: a promise for each step took 3 % of the time of a fault. */
  #choose(context: RequestContext): MaybeDecision | Promise<MaybeDecision> {
    if (!canBeDisturbed(context)) return undefined
    const { rig, incoming, facts, isBodyRead } = context
    if (!isBodyRead && !facts.operation) return undefined
    if (!namesScenario(context)) return this.#claim(context, undefined)
    return selectScenario(rig, incoming, facts, this.#options).then(it => this.#claim(context, it))
  }

  /** Claims the step of the scenario or one-shot fault that applies to the request, and records the decision. */
  #claim(context: RequestContext, selected: SelectedScenario | undefined): MaybeDecision {
    const { rig, incoming, record, facts, fraction, call, isBodyRead } = context
    const { operation } = facts
    if (!isBodyRead && !rig.canApplyBeforeBody(operation!.id, selected)) return undefined
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
    const decision = attempt && rig.decide(attempt, selected)
    record.applicableScenario =
      selected ?? (rig.activeScenario && { scenario: rig.activeScenario.scenario, by: 'space' })
    record.decision = decision
    if (decision || (selected && isBodyRead)) context.choose(selected?.scenario, decision)
    return decision
  }

  /** The answer of the service, once it is safe to send. */
  #trueAnswer(context: RequestContext): Answer | Promise<Answer> {
    const { call } = context
    return mapMaybeAsync(this.#limitedAnswer(context), answer => {
      // What it shows, or refuses after a save, may still be undone.
      const { durable } = call.space.data
      return durable ? durable.then(() => context.recordTrueAnswer(answer)) : context.recordTrueAnswer(answer)
    })
  }

  #limitedAnswer(context: RequestContext): Answer | Promise<Answer> {
    const { call } = context
    const rateHeaders = this.#options.limit.take(call.space, call.dials)
    const given = remembersTransactions(call.dials)
      ? this.#rememberedAnswer(context)
      : this.#serviceAnswer(context)
    if (!rateHeaders) return given
    return mapMaybeAsync(given, answer => ({ ...answer, headers: { ...answer.headers, ...rateHeaders } }))
  }

  #serviceAnswer({ incoming, call }: RequestContext): Answer | Promise<Answer> {
    return this.#options.service(incoming.request.method, incoming.target, call)
  }

  async #rememberedAnswer(context: RequestContext): Promise<Answer> {
    const { rig, call, facts } = context
    await bodyOrNone(call)
    const mayCreate = call.rights.includes(operations.createSending.right)
    const refusal = mayCreate && rig.memory.refusal(facts, rig.space, call.dials)
    if (refusal) return applyDials(call, problemAnswer(refusal, call.links, call.dials))
    return rig.memory.adjustAnswer(await this.#serviceAnswer(context), facts, call.dials)
  }

  /** Does what the step says: holds or delays the request, does the work, and answers. */
  #play(context: RequestContext, { scenario, step }: Decision): Reply | Promise<Reply> {
    const delay = step.delay === undefined ? 0 : sampleDelay(step.delay, context.fraction)
    const waits = delay > 0 || step.hold !== undefined
    if (waits || step.deliver === 'late') return this.#playLater(context, step, scenario, delay, waits)
    return mapMaybeAsync(this.#work(context, step), truth =>
      this.#respondForStep(context, step, truth, scenario),
    )
  }

  async #playLater(context: RequestContext, step: Step, scenario: string, delay: number, waits: boolean) {
    const { rig, incoming } = context
    const letGo = waits ? rig.reserveWait() : undefined
    if (waits && !letGo) return this.#refuse(context, noRoom(rig), scenario)
    if (waits) context.watchForDisconnect()
    try {
      const truth = await this.#workWhenDue(context, step, delay)
      if (!truth) return this.#refuse(context, resetWhileWaiting(), scenario)
      if (delay > 0 && step.deliver !== 'late')
        await rig.clock.after(delay, async () => {}, incoming.arrival.clientLeft)
      return this.#respondForStep(context, step, truth, scenario)
    } finally {
      letGo?.()
    }
  }

  /** Does the work when it is due. Undefined if the space was reset first and the work was not done. */
  async #workWhenDue(context: RequestContext, step: Step, delay: number): Promise<Answer | undefined> {
    const { clock, holds } = context.rig
    const { hold } = step
    const work = async () => this.#work(context, step)
    if (step.deliver !== 'late') return hold === undefined ? work() : holds.runWhenReleased(hold, work)
    // The call that releases a hold waits for the work, but not for a delay after the hold.
    if (hold !== undefined) await holds.runWhenReleased(hold, async () => {})
    return clock.after(delay, work)
  }

  #work(context: RequestContext, step: Step): Answer | Promise<Answer> {
    if (step.phase === 'before') return loseRequest(context)
    const answer = this.#trueAnswer(context)
    return step.deliver === 'twice' ? mapMaybeAsync(answer, () => this.#deliverAgain(context)) : answer
  }

  /** Delivers the same request again, like a proxy that got no answer in time. */
  async #deliverAgain(context: RequestContext): Promise<Answer> {
    const { rig, incoming, record, call, facts } = context
    const again = new RequestContext(rig, { ...incoming, body: async () => facts.body }, record.id)
    try {
      await again.readBody()
      again.call = { ...again.call, dials: call.dials, links: call.links }
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
      const instead = substituteAnswer(step.answer, call.links, rig.clock.isShifted)
      return this.#respond(context, instead, false, scenario)
    }
    const { fault, settings } = step.answer
    const faultContext = { base: incoming.base, path: incoming.target, fraction }
    if ('falsify' in fault)
      return this.#respond(context, fault.falsify(given, settings, faultContext), false, scenario)
    context.pendingFault = { fault, settings, context: faultContext, report: this.#options.report }
    // Faults write the bytes themselves, and none may follow the head of an answer to HEAD.
    const sent = incoming.request.method === 'HEAD' ? withoutBody(given) : given
    return this.#respond(context, sent, isTrue, scenario)
  }

  #respondToError(context: RequestContext, error: unknown): Reply {
    return this.#refuse(context, problemOf(error, this.#options.report))
  }

  #refuse(context: RequestContext, problem: Problem, scenario?: string): Reply {
    const { call } = context
    return this.#respond(context, applyDials(call, problemAnswer(problem, call.links)), false, scenario)
  }

  #respond(context: RequestContext, answer: Answer, isTrue: boolean, scenario?: string): Reply {
    return context.setResponse(answer, isTrue, this.#options.hints, scenario)
  }
}

/** The problem that an error is for the client. Any other error is an internal one, which is reported. */
export function problemOf(error: unknown, report: (error: unknown) => void, sentence?: string): Problem {
  const known = toProblem(error)
  if (known) return known
  report(error)
  return problems.notProcessed(sentence ?? 'The request could not be processed; nothing was changed')
}

/** Whether a deployment with these dials remembers transactions that created no sending. */
const remembersTransactions = (dials: DialValues): boolean =>
  dials['rejected-transaction'] !== 'free' || dials['repeat-after-500-status'] !== '201'

/** Whether something is armed or the request names a scenario. Usually not. */
const canBeDisturbed = (context: RequestContext): boolean => context.rig.isDisturbed || namesScenario(context)

/** Whether memory is too short for this request: a change, or a read that counts steps or comes with too many others. */
const isWithoutRoom = ({ rig, record: { method } }: RequestContext): boolean =>
  method === 'GET' || method === 'HEAD'
    ? rig.budget.isCrowded || (rig.isDisturbed && !rig.budget.hasRoom(0))
    : !rig.budget.hasRoom(0)

function loseRequest(context: RequestContext): Answer | Promise<Answer> {
  const { rig, call } = context
  const answer = notProcessedAnswer(call)
  if (!remembersTransactions(call.dials)) return answer
  return bodyOrNone(call).then(() => {
    rig.memory.recordLost(context.facts)
    return answer
  })
}

/** Waits for the body. If it is incomplete or too long there is none; the service refuses the request for that. */
async function bodyOrNone(call: ServiceCall): Promise<void> {
  try {
    await call.body()
  } catch {}
}

const noRoom = ({ holdLimit, budget }: SpaceRig) =>
  problems.noRoom(
    budget.hasRoom(0)
      ? `${holdLimit} requests are held or delayed in this space already, which is the most (--hold-limit)`
      : budget.fullSentence,
  )

const resetWhileWaiting = () => problems.notProcessed('The space was reset while this request was waiting')
