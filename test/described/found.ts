/** What was answered in the test that is running and no document describes, in sentences. */
const undescribed = new Set<string>()

export const tellUndescribed = (sentence: string): void => void undescribed.add(sentence)

/** What was found so far, which then counts as told. */
export function takeUndescribed(): string[] {
  const sentences = [...undescribed]
  undescribed.clear()
  return sentences
}
