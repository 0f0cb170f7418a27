/** What a fixture could not take over as it was, each once with how often: for whoever relies on the copy. */
export class Notes {
  readonly #counts = new Map<string, number>()

  add(sentence: string): void {
    this.#counts.set(sentence, (this.#counts.get(sentence) ?? 0) + 1)
  }

  lines(): string[] {
    return [...this.#counts].map(([sentence, count]) =>
      count === 1 ? sentence : `${sentence} (${count} times)`,
    )
  }
}
