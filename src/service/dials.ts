/** Values of all dials: what this space does where the document is silent. */
export type DialValues = Readonly<Record<string, string>>
