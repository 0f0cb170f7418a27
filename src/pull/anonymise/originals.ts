import type { Fixture } from '../../store/rows.ts'

/** So many words in a row are compared. */
const longestRun = 6

/**
 * What must not come out again: every text of a fixture that says something about somebody. Invented texts are held
 * against it, since a drawn word may happen to be one of them.
 */
export class Originals {
  readonly #runs = new Set<string>()

  constructor(fixture: Fixture) {
    for (const text of textsOf(fixture)) this.#runs.add(wordsOf(text).join(' '))
    this.#runs.delete('')
  }

  /** Whether an original stands in a text, word for word, whatever its case. */
  areIn(text: string): boolean {
    const words = wordsOf(text)
    for (let from = 0; from < words.length; from++)
      for (let run = words[from]!, to = from + 1; ; run += ` ${words[to++]}`) {
        if (this.#runs.has(run)) return true
        if (to >= words.length || to - from >= longestRun) break
      }
    return this.#runs.has(words.join(' '))
  }
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

function* textsOf({ customers, lists, mailings, sendings, platformMailings }: Fixture): Iterable<string> {
  for (const { name } of customers) yield name
  for (const { name, testProfiles, testMailGroups } of lists) {
    yield name
    for (const { description } of testProfiles) yield description
    for (const group of testMailGroups) {
      yield group.name
      for (const email of group.emails) yield* [email, ...email.split('@')]
    }
  }
  for (const { draft, approved } of mailings)
    for (const version of [draft, approved]) if (version) yield* [version.name, version.subject]
  for (const { transactionId } of sendings) if (transactionId !== null) yield transactionId
  for (const { name, subject } of platformMailings) yield* [name, subject]
}
