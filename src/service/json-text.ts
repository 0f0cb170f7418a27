/** Texts of which every character stands for itself in JSON. */
const plain = /^[ !#-[\]-~]*$/

/** A text, or null, as JSON. Nearly every one needs no escapes, and finding that out is cheaper than looking for them. */
export const quoted = (text: string | null): string =>
  text !== null && plain.test(text) ? `"${text}"` : JSON.stringify(text)
