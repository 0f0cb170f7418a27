/** A space as one worker uses it: nobody else asks anything in it meanwhile, so that every answer is known beforehand. */

const integration = '/integrations/mailing-platform/mailing-synchronizations'
/** Of the packaged fixture; it is ready for sending, and nothing was sent of it. */
export const synchronization = `${integration}/22222222-0000-4000-8000-000000000001`
export const sendings = `${synchronization}/sendings`

/** An answer that nobody asked for. */
export class Unexpected extends Error {}

export class Space {
  #client
  /** Milliseconds of each plain read, for whoever measures. */
  #took
  #transactions = 0
  /** Event streams that are open, by what ends them. */
  #streams = []
  /** Sendings that were made here. */
  made = 0

  /**
   * @param {string} name also its user's
   * @param {boolean} stays whether it is there from the first minute to the last; then nothing is made in it for good
   */
  constructor(name, stays, client, took) {
    this.name = name
    this.stays = stays
    this.#client = client
    this.#took = took
  }

  get client() {
    return this.#client
  }

  get controlPath() {
    return `/_mock/spaces/${this.name}`
  }

  freshTransaction() {
    return `soak-${++this.#transactions}`
  }

  /** A request to the service, by the space's user. */
  ask(asked) {
    return this.#client.ask({ user: this.name, ...asked })
  }

  /** The plain read: its time is what is measured. */
  async read() {
    const start = performance.now()
    const told = await this.ask({ path: synchronization })
    this.#took.push(performance.now() - start)
    must(told, 200)
  }

  send(transactionId, more = {}) {
    return this.ask({ method: 'POST', path: sendings, body: { transactionId }, ...more })
  }

  async create() {
    this.made++
    must(await this.send(this.freshTransaction()), 201)
  }

  /** A control call about this space; gives its JSON. */
  async control(method, rest, body, status = method === 'GET' || method === 'PUT' ? 200 : undefined) {
    const told = await this.#client.ask({ method, path: this.controlPath + rest, body })
    if (status === undefined) mustBeWell(told)
    else must(told, status)
    return told.text === '' ? undefined : JSON.parse(told.text)
  }

  arm(rule) {
    return this.control('POST', '/faults', rule, 201)
  }

  /** Begins anew, and so do its transaction IDs' meanings. */
  async reset() {
    await this.control('POST', '/reset', undefined)
    this.made = 0
  }

  /** Opens a stream of events, which stays until somebody leaves. */
  async watch() {
    this.#streams.push(await this.#client.open({ path: `${this.controlPath}/events` }))
  }

  leaveStreams() {
    for (const leave of this.#streams.splice(0)) leave()
  }

  /** It never was; a space that nobody has asked anything of is not there anyway. */
  async remove() {
    this.leaveStreams()
    const told = await this.#client.ask({ method: 'DELETE', path: this.controlPath })
    if (told.status !== 404) must(told, 204)
  }
}

/** @throws Unexpected unless it is a whole answer with this status */
export function must(told, status) {
  if (told.status !== status || told.trouble) throw new Unexpected(`expected ${status}, got ${shown(told)}`)
}

/** @throws Unexpected unless it succeeded */
export function mustBeWell(told) {
  if (told.trouble || !(told.status < 300)) throw new Unexpected(`expected success, got ${shown(told)}`)
}

/** @throws Unexpected when a whole answer came */
export function mustBreak(told) {
  if (!told.trouble || told.trouble.startsWith('nothing'))
    throw new Unexpected(`expected a broken answer, got ${shown(told)}`)
}

const shown = ({ status, text, trouble }) =>
  `${trouble ?? 'a whole answer'}, status ${status}: ${text.slice(0, 300)}`
