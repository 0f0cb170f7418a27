/** What was measured, by row and subject, one figure for each round. */
export class Measurements {
  #rows = new Map()

  /**
   * @param {string} key of the row
   * @param {{ name: string, unit: string, lessIsBetter?: boolean }} row
   * @param {string} subject
   * @param {{ value: number, cpu?: number, busy?: number }} figure
   * @param {string | undefined} wrong why it does not count, where it does not
   */
  add(key, { name, unit, lessIsBetter = false }, subject, figure, wrong) {
    const kept = this.#rows.get(key) ?? { key, row: name, unit, lessIsBetter, wrong: [], rounds: {} }
    this.#rows.set(key, kept)
    kept.rounds[subject] ??= []
    kept.rounds[subject].push(figure)
    if (wrong) kept.wrong.push(`${subject}: ${wrong}`)
    const shown = figure.value < 10 ? figure.value.toFixed(2) : Math.round(figure.value)
    process.stderr.write(`${name}  ${subject}  ${shown} ${unit}${wrong ? `  WRONG: ${wrong}` : ''}\n`)
  }

  all() {
    return [...this.#rows.values()]
  }
}
