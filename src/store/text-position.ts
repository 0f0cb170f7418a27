/** A position in a text; both numbers start at 1. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

export function positionOf(text: string, offset: number): TextPosition {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}
