/** Many clients at once, at full speed, in many spaces that come and go; it can be brought to a rest. */
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from './client.mjs'
import { controlActs } from './control-acts.mjs'
import { faultActs } from './fault-acts.mjs'
import { serviceActs } from './service-acts.mjs'
import { Space } from './space.mjs'
import { median } from './trend.mjs'

const acts = { ...serviceActs, ...faultActs, ...controlActs }
/** So many spaces are there from the first minute to the last, and one act in so many is done in them. */
const residents = 2
const actsToOneThere = 5
/** A space goes when so many sendings were made in it: what all of them hold at once has a limit. */
const mostMade = 25
/** Spaces that are removed at once when everybody goes home. */
const removedAtOnce = 16
/** What is shown of what went wrong. */
const mostTroubles = 20

/** Acts as often as they weigh, in an order that mixes them and is the same in every run. */
function deck(isWanted) {
  const cards = Object.entries(acts)
    .filter(([, act]) => isWanted(act))
    .flatMap(([name, { weight }]) =>
      Array.from({ length: weight }, (_, at) => ({ name, at: (at + 0.5) / weight })),
    )
  return cards.sort((a, b) => a.at - b.at).map(({ name }) => name)
}

export class Traffic {
  /** What went otherwise than it must, at most some of it, and how often. */
  troubles = []
  troubled = 0
  /** How often each act was done to its end. */
  done = new Map(Object.keys(acts).map(name => [name, 0]))
  #client
  /** Spaces that nobody uses at the moment. */
  #free = { staying: [], passing: [] }
  #begun = 0
  #clients
  #took = []
  #born = 0
  #running = []
  #isOver = true
  #hands = {
    staying: { deck: deck(act => !act.lasting), at: 0 },
    passing: { deck: deck(() => true), at: 0 },
  }

  /** @param {{ port: number, spaces: number, clients: number }} size */
  constructor({ port, spaces, clients }) {
    this.#client = new Client(port)
    this.#clients = Math.min(clients, spaces)
    for (let at = 0; at < spaces; at++) this.#giveBack(this.#newSpace(at < residents))
  }

  get requests() {
    return this.#client.count
  }

  /** Which acts were never done to their end. */
  get neverDone() {
    return [...this.done].filter(([, times]) => times === 0).map(([name]) => name)
  }

  start() {
    this.#isOver = false
    this.#took.length = 0
    this.#running = Array.from({ length: this.#clients }, () => this.#work())
  }

  /** Lets every client finish what it does; gives the times of plain reads since the start, in milliseconds. */
  async finish() {
    this.#isOver = true
    await Promise.all(this.#running)
    const took = this.#took.toSorted((a, b) => a - b)
    return took.length === 0 ? undefined : { median: median(took), p99: took[Math.floor(took.length * 0.99)] }
  }

  /** Everybody goes home: streams end, all spaces but the residents are removed, connections are closed. */
  async rest() {
    for (const space of this.#free.staying) space.leaveStreams()
    const going = this.#free.passing.splice(0)
    while (going.length > 0)
      await Promise.all(
        going.splice(0, removedAtOnce).map(space => this.#try('remove a space', () => this.#end(space))),
      )
    this.#client.rest()
  }

  async #work() {
    while (!this.#isOver) {
      const space = this.#take()
      const hand = space.stays ? this.#hands.staying : this.#hands.passing
      const name = hand.deck[hand.at++ % hand.deck.length]
      const isWell = await this.#try(name, async () => {
        // It opens the space, if that is new.
        await space.read()
        await acts[name].do(space)
        this.done.set(name, this.done.get(name) + 1)
      })
      // What a failed act has left armed would fire the next one.
      if (isWell && space.made < mostMade) this.#giveBack(space)
      else if (!isWell && space.stays) {
        await this.#try('reset a space', () => space.reset())
        this.#giveBack(space)
      } else await this.#try('remove a space', () => this.#end(space))
    }
  }

  #take() {
    const { staying, passing } = this.#free
    const isThere = ++this.#begun % actsToOneThere === 0
    return (isThere ? staying.shift() : undefined) ?? passing.shift() ?? staying.shift()
  }

  #giveBack(space) {
    this.#free[space.stays ? 'staying' : 'passing'].push(space)
  }

  /** A space goes, and another one comes. */
  async #end(space) {
    this.#giveBack(this.#newSpace(false))
    await space.remove()
  }

  #newSpace(stays) {
    return new Space(`demo+${stays ? 'stays' : 'passes'}-${++this.#born}`, stays, this.#client, this.#took)
  }

  async #try(name, work) {
    try {
      await work()
      return true
    } catch (error) {
      this.troubled++
      if (this.troubles.length < mostTroubles) this.troubles.push(`${name}: ${error.message}`)
      // A mock that has ended would be asked as fast as it refuses.
      await pause(10)
      return false
    }
  }
}
