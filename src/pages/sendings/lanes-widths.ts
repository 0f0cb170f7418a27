/** Pixels of a character, on average and with some to spare: nobody can measure here. */
const perCharacter = { chip: 7.6, capital: 9, small: 6.4 }
/** What stands around the words of a chip, and between two of them. */
const aroundChip = 12
const betweenChips = 4

/** Room that a text takes in pixels, at the sizes that the lanes are written in. */
export function textWidth(text: string, size: 'chip' | 'small'): number {
  if (size === 'small') return text.length * perCharacter.small
  const capitals = text.replaceAll(/[^A-Z_]/g, '').length
  return capitals * perCharacter.capital + (text.length - capitals) * perCharacter.chip
}

/** Room that chips beside one another take. */
export const chipsWidth = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + textWidth(text, 'chip') + aroundChip + betweenChips, 0)
