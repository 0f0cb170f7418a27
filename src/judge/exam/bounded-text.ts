/** What a client prints, up to a limit: its beginning and its end, which say most. */
export class BoundedText {
  readonly #most: number
  #start = ''
  #end = ''
  #length = 0

  /** @param most characters kept of each end */
  constructor(most: number) {
    this.#most = most
  }

  add(text: string): void {
    this.#length += text.length
    const room = this.#most - this.#start.length
    this.#start += text.slice(0, room)
    if (text.length > room) this.#end = (this.#end + text.slice(Math.max(0, room))).slice(-this.#most)
  }

  /** How many characters are left out. */
  get missing(): number {
    return this.#length - this.#start.length - this.#end.length
  }

  get text(): string {
    if (this.missing === 0) return this.#start + this.#end
    return `${this.#start}\n[${this.missing} characters left out]\n${this.#end}`
  }
}
