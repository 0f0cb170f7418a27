import type { Content } from './content.ts'
import type { User } from './rows.ts'
import { homeOf } from './space-names.ts'

/** A user with the space that its name leads to. */
export interface Account {
  readonly user: User
  readonly spaceName: string
}

/** Longest user name that is looked at. Far beyond what a test would make up, far below what could fill a memory. */
const longestUserName = 200

/** The spaces that have a beginning of their own, and their users: a user name leads to one space. */
export class Homes {
  readonly #contents = new Map<string, Content>()
  readonly #users = new Map<string, { user: User; home: string }>()
  #edition = 0

  has(name: string): boolean {
    return this.#contents.has(name)
  }

  names(): string[] {
    return [...this.#contents.keys()]
  }

  /** The content that a space of this name begins with: its own, or that of the space it is a copy of. */
  beginning(name: string): Content | undefined {
    return this.#contents.get(homeOf(name))
  }

  /** Changes whenever users come or go. */
  get edition(): number {
    return this.#edition
  }

  /** Who this user name belongs to, and which space it leads to. Undefined when nobody has it. */
  account(userName: string): Account | undefined {
    if (userName.length > longestUserName) return undefined
    const plus = userName.indexOf('+')
    const known = this.#users.get(plus < 0 ? userName : userName.slice(0, plus))
    if (!known) return undefined
    if (plus < 0) return { user: known.user, spaceName: known.home }
    const tag = userName.slice(plus)
    return tag.length > 1 ? { user: known.user, spaceName: known.home + tag } : undefined
  }

  /** A user of this content whose name leads to another space already. */
  userElsewhere({ users, fixture }: Content): Account | undefined {
    for (const { name } of users) {
      const known = this.#users.get(name)
      if (known && known.home !== fixture.space) return { user: known.user, spaceName: known.home }
    }
    return undefined
  }

  settle(content: Content): void {
    this.#edition++
    const home = content.fixture.space
    this.#contents.set(home, content)
    for (const user of content.users) this.#users.set(user.name, { user, home })
  }

  /** Its users lead nowhere from now on. */
  unsettle(home: string): void {
    this.#edition++
    for (const [name, { home: theirs }] of [...this.#users]) if (theirs === home) this.#users.delete(name)
    this.#contents.delete(home)
  }
}
