import { setTimeout as pause } from 'node:timers/promises'
import type { Capsule, CapsuleChange, CapsuleRequest } from '../../control/capsule/capsule-file.ts'
import { caseChange, changeCase, examPath } from '../../judge/exam/case-changes.ts'
import type { Arrival } from '../../rig/arrival.ts'
import type { SpaceClock } from '../../rig/clock.ts'
import { type GatedStep, type StepKind, stepKinds } from '../../rig/history.ts'
import { JournalView } from '../../rig/journal-view.ts'
import { bodyEndedEarly } from '../../rig/request-body.ts'
import { type IncomingRequest, type Reply, RequestContext } from '../../rig/request-context.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import { saveClock } from '../../rig/rigs.ts'
import type { Scenarios } from '../../rig/scenarios/library.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { problems } from '../../service/problem.ts'
import { getOrMake } from '../../store/maps.ts'
import type { Account } from '../../store/tenant-directory.ts'
import { nextTurn } from '../../store/turns.ts'
import { UserError } from '../../store/user-error.ts'
import type { AssembledMock } from '../assemble-mock.ts'
import { type Difference, firstDifference } from './difference.ts'
import type { RecordedTime } from './recorded-time.ts'

/** A promise with its end in hand. */
class Gate<Value = void> {
  isOpen = false
  isReached = false
  readonly promise: Promise<Value>
  #resolve!: (value: Value) => void
  #reject!: (error: unknown) => void

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.promise.catch(() => {})
  }

  open(value: Value): void {
    this.isOpen = true
    this.#resolve(value)
  }

  fail(error: unknown): void {
    this.isOpen = true
    this.#reject(error)
  }
}

/** One request that is played again, between its arrival and its end. */
interface PlayedRequest {
  readonly recorded: CapsuleRequest
  readonly body: Gate<Uint8Array>
  readonly left: Gate
  reply: Reply | undefined
}

/** Turns of the event loop, and then milliseconds, until a step that does not come is a difference. */
const patience = { turns: 200, milliseconds: 5_000 }

/** Plays the steps of a capsule in a mock of its own, each at its recorded time, until one comes out differently. */
export class Player {
  readonly #capsule: Capsule
  readonly #mock: AssembledMock
  readonly #time: RecordedTime
  readonly #scenarios: Scenarios
  rig: SpaceRig
  #view: JournalView
  difference: Difference | undefined
  readonly #played = new Map<number, PlayedRequest>()
  readonly #changes = new Map<number, Promise<number>>()
  readonly #records = new Map<number, RequestRecord>()
  readonly #gates = new Map<string, Gate>()
  readonly #requests: ReadonlyMap<number, CapsuleRequest>
  readonly #changesOf: ReadonlyMap<number, CapsuleChange>
  /** Numbers of the requests of which the service was asked in a step of its own. */
  readonly #asked: ReadonlySet<number>
  #isLive = false

  private constructor(
    capsule: Capsule,
    mock: AssembledMock,
    time: RecordedTime,
    scenarios: Scenarios,
    rig: SpaceRig,
  ) {
    this.#capsule = capsule
    this.#mock = mock
    this.#time = time
    this.#scenarios = scenarios
    this.rig = rig
    this.#view = new JournalView(rig)
    this.#requests = new Map(capsule.requests.map(it => [it.number, it]))
    this.#changesOf = new Map(capsule.changes.map(it => [it.number, it]))
    const { steps } = capsule.history
    this.#asked = new Set(steps.flatMap(([code, number]) => (stepKinds[code] === 'asked' ? [number] : [])))
    this.#attach(rig)
  }

  static async start(
    capsule: Capsule,
    mock: AssembledMock,
    time: RecordedTime,
    scenarios: Scenarios,
  ): Promise<Player> {
    const { spaces, rigs } = mock
    const space = await spaces.getOrOpen(capsule.space)
    // Cursors and tokens tell it.
    space.data.continueFrom(capsule.beginning.origin)
    const rig = await rigs.of(space)
    const { rejectedLogins } = rigs
    rejectedLogins.latest = capsule.rejectedLogins.map(({ userName, recordId, isOfSpace, ...login }) => ({
      ...login,
      userName: userName ?? undefined,
      account: isOfSpace
        ? { user: capsule.beginning.fixture.users[0]!, spaceName: capsule.space }
        : undefined,
      ...(recordId !== null && { recordId }),
    }))
    return new Player(capsule, mock, time, scenarios, rig)
  }

  #attach(rig: SpaceRig): void {
    this.rig = rig
    this.#view = new JournalView(rig)
    this.#records.clear()
    rig.use.madeAt = this.#capsule.beginning.at[0]
    rig.replay = { turn: (record, kind) => this.#turn(record, kind) }
  }

  /** @param count of steps */
  async play(count: number): Promise<void> {
    const { steps } = this.#capsule.history
    await this.#startClock()
    for (const [code, number, clock] of steps.slice(0, count)) {
      await this.#step(stepKinds[code]!, number, clock)
      if (this.difference) return
    }
    const isWhole = count === steps.length
    if (isWhole) this.#time.move(this.#clock, this.#capsule.takenAt[1], this.#capsule.takenAt[0])
    this.#compareHistory(count)
    if (isWhole && !this.difference) await this.#compareEnd()
  }

  goLive(): void {
    this.#isLive = true
    this.rig.replay = undefined
    for (const gate of this.#gates.values()) gate.open()
    const { clock } = this.rig
    clock.continueWith({ now: () => Date.now() })
  }

  get #clock(): SpaceClock {
    return this.rig.clock
  }

  /** A running clock that a control call gave the space was saved before anything else happened. */
  async #startClock(): Promise<void> {
    const { requests, changes, history } = this.#capsule
    const [[code = 0, number = 0] = []] = history.steps
    const age =
      stepKinds[code] === 'change'
        ? changes.find(it => it.number === number)?.age
        : Number(/^r(\d+)-/.exec(requests.find(it => it.number === number)?.id ?? '')?.[1] ?? 0)
    if (age !== undefined && this.rig.space.data.age < age) await saveClock(this.rig)
  }

  async #step(kind: StepKind, number: number, clock: number): Promise<void> {
    const recorded = this.#requests.get(number)
    const change = this.#changesOf.get(number)
    switch (kind) {
      case 'opened':
        return this.#open(this.#expectRequest(recorded, number), clock)
      case 'read':
        return this.#read(this.#expectRequest(recorded, number), clock)
      case 'decided':
      case 'claimed':
      case 'asked':
        return this.#pass(this.#expectRequest(recorded, number), kind, clock)
      case 'left':
        return this.#leave(this.#expectRequest(recorded, number), clock)
      case 'closed':
        return this.#close(this.#expectRequest(recorded, number), clock)
      case 'change':
        return this.#change(this.#expectChange(change, number), clock)
      case 'changed':
        return this.#changed(this.#expectChange(change, number), clock)
      case 'platform':
        this.#time.move(this.#clock, clock)
        return this.rig.advancePlatform(clock)
    }
  }

  #expectRequest(recorded: CapsuleRequest | undefined, number: number): CapsuleRequest {
    if (recorded) return recorded
    throw new UserError(`the capsule contradicts itself: it has no request ${number}`)
  }

  #expectChange(change: CapsuleChange | undefined, number: number): CapsuleChange {
    if (change) return change
    throw new UserError(`the capsule contradicts itself: it has no change ${number}`)
  }

  async #open(recorded: CapsuleRequest, clock: number): Promise<void> {
    const [real] = recorded.moments.arrived
    this.#time.move(this.#clock, clock, real)
    if (recorded.twinOf === null) this.#send(recorded)
    else
      await this.#openGate(
        recorded.id,
        'repeated',
        this.#capsule.requests.find(it => it.id === recorded.twinOf)!.number,
      )
    await this.#until(() => this.rig.journal.count >= recorded.number, recorded.id, 'the request arrives')
    const record = this.#recordOf(recorded)
    if (!record) return
    record.arrived = momentOf(recorded.moments.arrived)
    this.#compare(recorded.id, 'its ID', recorded.id, record.id)
  }

  #send(recorded: CapsuleRequest): void {
    const played: PlayedRequest = { recorded, body: new Gate(), left: new Gate(), reply: undefined }
    this.#played.set(recorded.number, played)
    const { method, truth, moments } = recorded
    const isRead = method === 'GET' || method === 'HEAD'
    // It was refused before its client was asked for the body.
    const awaitsContinue =
      !isRead && truth !== null && moments.read === null && !this.#asked.has(recorded.number)
    const incoming = incomingRequest(played, this.#accountOf(recorded.user), awaitsContinue)
    // It had wrong credentials, so that the service was never asked.
    if (recorded.told?.status === 401 && recorded.truth === null && recorded.decision === null) {
      const context = new RequestContext(this.rig, incoming)
      const { status, body } = recorded.told
      const headers = recorded.told.headers as Record<string, string>
      const { 'X-Mock-Request-Id': refusalId } = headers
      if (refusalId !== undefined) context.record.refusalId = refusalId
      context.setResponse({ status, headers, body: body?.text ?? '' }, true, false)
      played.reply = context
      return
    }
    const reply = this.#mock.requests.handle(this.rig, incoming)
    if (reply instanceof Promise)
      void reply.then(it => {
        played.reply = it
        if (this.#isLive) it.close('aborted', 0)
      })
    else played.reply = reply
  }

  #accountOf(userName: string): Account {
    const user = this.#capsule.beginning.fixture.users.find(({ name }) => name === userName)
    if (!user)
      throw new UserError(`the capsule contradicts itself: its space has no user ${JSON.stringify(userName)}`)
    return { user, spaceName: this.#capsule.space }
  }

  async #read(recorded: CapsuleRequest, clock: number): Promise<void> {
    const { moments, body } = recorded
    this.#time.move(this.#clock, clock, moments.read?.[0])
    this.#played.get(recorded.number)?.body.open(bytesOf(body))
    await this.#until(() => this.#recordOf(recorded)?.read !== undefined, recorded.id, 'its body is read')
    const record = this.#recordOf(recorded)
    if (record?.read && moments.read) record.read = momentOf(moments.read)
  }

  async #pass(recorded: CapsuleRequest, kind: GatedStep, clock: number): Promise<void> {
    this.#time.move(this.#clock, clock)
    const played = this.#played.get(recorded.number)
    // The body did not come as a whole, or was too long.
    if (played && !played.body.isOpen && kind !== 'claimed' && recorded.moments.read === null)
      played.body.fail(bodyProblem(recorded, this.#capsule.environment.bodyLimit))
    await this.#openGate(recorded.id, kind, recorded.number)
    await nextTurn()
  }

  async #openGate(id: string, kind: GatedStep, number: number): Promise<void> {
    const key = `${kind} ${number}`
    const gate = getOrMake(this.#gates, key, () => new Gate())
    await this.#until(() => gate.isReached, id, stepWords[kind])
    this.#gates.delete(key)
    gate.open()
  }

  async #turn({ number }: RequestRecord, kind: GatedStep): Promise<void> {
    if (this.#isLive) return
    const gate = getOrMake(this.#gates, `${kind} ${number}`, () => new Gate())
    gate.isReached = true
    await gate.promise
  }

  async #leave(recorded: CapsuleRequest, clock: number): Promise<void> {
    this.#time.move(this.#clock, clock, recorded.moments.left?.[0])
    this.#played.get(recorded.number)?.left.open()
    await this.#until(() => this.#recordOf(recorded)?.left !== undefined, recorded.id, 'its client leaves')
    const record = this.#recordOf(recorded)
    if (record?.left && recorded.moments.left) record.left = momentOf(recorded.moments.left)
  }

  async #close(recorded: CapsuleRequest, clock: number): Promise<void> {
    const { moments, delivered, bytesSent, id } = recorded
    this.#time.move(this.#clock, clock, moments.ended?.[0])
    const played = this.#played.get(recorded.number)
    if (played) {
      if (!played.body.isOpen && moments.read === null)
        played.body.fail(bodyProblem(recorded, this.#capsule.environment.bodyLimit))
      await this.#until(() => played.reply !== undefined, id, 'it is answered')
      played.reply?.close(delivered, bytesSent)
      if (recorded.received === false) played.reply?.unreadNote?.()()
    } else await this.#until(() => this.#recordOf(recorded)?.ended !== undefined, id, 'it ends')
    this.#played.delete(recorded.number)
    const record = this.#recordOf(recorded)
    if (!record || this.difference) return
    if (moments.ended) record.ended = momentOf(moments.ended)
    restoreDates(record, recorded)
    this.#compareRequest(record, recorded)
  }

  /** Everything but what it brings about later. */
  #compareRequest(record: RequestRecord, recorded: CapsuleRequest): void {
    const { base, moments, effects, twin, ...one } = recorded
    const other = this.#view.viewExchange(record)
    for (const name of comparedMembers) this.#compare(recorded.id, name, one[name], other[name])
  }

  async #change(change: CapsuleChange, clock: number): Promise<void> {
    this.#time.move(this.#clock, clock, change.at[0])
    if (change.path.startsWith('/side-port')) {
      this.#changes.set(change.number, Promise.resolve(change.status ?? 200))
      return
    }
    const { rig } = this
    const before = rig.journal.history.changes.length
    const answered = change.path === examPath ? this.#changeCase(change) : this.#call(change)
    // It is awaited only when it is its turn to be answered.
    answered.catch(() => {})
    this.#changes.set(change.number, answered)
    await this.#until(
      () => rig.journal.history.changes.length > before || rig.journal.hasEnded,
      `change ${change.number}`,
      'the call begins',
    )
  }

  async #changeCase({ body, number }: CapsuleChange): Promise<number> {
    const { data } = caseChange.safeParse(body)
    if (!data) throw new UserError(`the capsule contradicts itself: no exam makes change ${number}`)
    const name = 'arm' in data ? data.arm : null
    const scenario = name === null ? undefined : await this.#scenarios.get(name)
    await changeCase(this.rig, data, { scenario, time: this.#time.skipping })
    return 204
  }

  async #call(change: CapsuleChange): Promise<number> {
    const address = `http://mock/_mock/spaces/${encodeURIComponent(this.#capsule.space)}${change.path}`
    const { status } = await this.#mock.control(
      new Request(address, {
        method: change.method,
        headers: { 'Content-Type': 'application/json', 'User-Agent': change.by },
        ...(change.body !== null && { body: JSON.stringify(change.body) }),
      }),
    )
    return status
  }

  async #changed(change: CapsuleChange, clock: number): Promise<void> {
    this.#time.move(this.#clock, clock)
    const answered = this.#changes.get(change.number)
    if (!answered) return
    let status: number | undefined
    answered.then(
      it => {
        status = it
      },
      () => {
        status = 0
      },
    )
    const at = `change ${change.number}`
    await this.#until(() => status !== undefined, at, 'the call is answered')
    this.#changes.delete(change.number)
    this.#compare(at, `the answer to ${change.method} ${change.path}`, change.status, status)
    const space = this.#mock.spaces.getOpen(this.#capsule.space)
    const rig = space && (await this.#mock.rigs.of(space))
    if (rig && rig !== this.rig) this.#attach(rig)
  }

  /** Whether the space took the same steps. Their times were given, but for a few that may be a millisecond off. */
  #compareHistory(count: number): void {
    if (this.difference) return
    // What a second delivery does by itself comes at once.
    const isByItself = (code: number, number: number) =>
      this.#requests.get(number)?.twinOf && ['read', 'closed'].includes(stepKinds[code]!)
    const stepsOf = (steps: readonly (readonly [code: number, number: number, clock: number])[]) =>
      steps
        .filter(([code, number]) => isCompared(code) && !isByItself(code, number))
        .map(([code, number]) => `${stepKinds[code]} ${number}`)
    const recorded = stepsOf(this.#capsule.history.steps.slice(0, count))
    const played = stepsOf(
      this.rig.journal.history.steps.map(({ kind, number, clock }) => [
        stepKinds.indexOf(kind),
        number,
        clock,
      ]),
    )
    this.#compare('the order', 'the steps', recorded, played)
  }

  async #compareEnd(): Promise<void> {
    const { ledgerOf } = await import('../../rig/ledger.ts')
    const { ledger } = this.#capsule
    const played = JSON.parse(JSON.stringify({ ...ledgerOf(this.rig) })) as typeof ledger
    this.#compare('the end', 'the ledger', ledger, played)
  }

  #recordOf({ number }: CapsuleRequest): RequestRecord | undefined {
    const known = this.#records.get(number)
    if (known) return known
    const record = this.rig.journal.entries().findLast(it => it.number === number)
    if (record) this.#records.set(number, record)
    return record
  }

  /** Waits for what follows from the step, which takes a few turns of the event loop. */
  async #until(isMet: () => boolean, at: string, what: string): Promise<void> {
    for (let turn = 0; turn < patience.turns; turn++) {
      if (isMet()) return
      await nextTurn()
    }
    const end = performance.now() + patience.milliseconds
    while (!isMet()) {
      if (performance.now() > end) {
        this.difference ??= { at, what, recorded: 'it did', now: 'it does not' }
        return
      }
      await pause(2)
    }
  }

  #compare(at: string, what: string, recorded: unknown, now: unknown): void {
    if (this.difference) return
    const difference = firstDifference(recorded, now, what)
    if (difference) this.difference = { at, ...difference }
  }
}

const stepWords = {
  decided: 'it is held against what is armed',
  claimed: 'a step is claimed',
  asked: 'the service is asked',
  repeated: 'it is delivered again',
}

const comparedMembers = ['operation', 'clockEpoch', 'decision', 'truth', 'told', 'delivered'] as const

/** Changes and what the platform was asked for meanwhile may come in one turn. */
const isCompared = (code: number): boolean => !['platform', 'change', 'changed'].includes(stepKinds[code]!)

const momentOf = ([real, clock]: readonly [number, number]) => ({ real, clock })

const bytesOf = (body: CapsuleRequest['body']): Buffer =>
  Buffer.from(body?.text ?? '', body?.encoding === 'base64' ? 'base64' : 'utf8')

const bodyProblem = ({ told }: CapsuleRequest, limit: number) =>
  told?.status === 413 ? problems.bodyTooLarge(limit) : bodyEndedEarly()

function incomingRequest(
  { recorded, body, left }: PlayedRequest,
  account: Account,
  awaitsContinue: boolean,
): IncomingRequest {
  const { method, target, headers, base, connection } = recorded
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const header = (name: string) => {
    const value = lower.get(name)
    return Array.isArray(value) ? value.join(', ') : value
  }
  const arrival: Arrival = {
    connection: connection?.number ?? 0,
    position: connection?.position ?? 1,
    remotePort: connection?.remotePort ?? undefined,
    unfitTls: connection?.unfitTls,
    clientLeft: left.promise,
    awaitsContinue,
  }
  return {
    request: { method, url: `http://mock${target}`, headers: new Headers() } as Request,
    target,
    account,
    base,
    header,
    headers,
    arrival,
    body: () => body.promise,
  }
}

/**
 * Headers with a date by the machine's time may be some milliseconds off, or say the same in seconds. The recorded ones take their
 * place.
 */
function restoreDates(record: RequestRecord, { told, moments }: CapsuleRequest): void {
  const { response } = record
  if (!response || !told) return
  const [began] = moments.arrived
  const timeOf = (value: string) => (/^\d+$/.test(value) ? began + Number(value) * 1_000 : Date.parse(value))
  for (const name of ['Retry-After', 'Date']) {
    const [one, other] = [told.headers[name], response.headers[name]]
    if (typeof one !== 'string' || other === undefined || one === other) continue
    if (Math.abs(timeOf(one) - timeOf(other)) <= 2_000 || (one === '0' && timeOf(other) <= began + 2_000))
      record.response = { ...response, headers: { ...response.headers, [name]: one } }
  }
}
