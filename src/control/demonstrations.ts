const clients = ['wrong', 'right'] as const

/** The space of a client of "Break it", beside the space whose fixture it uses. */
export const demonstrationSpace = (home: string, client: (typeof clients)[number]): string =>
  `${home}+break-it-${client}`

/** Whether a space is one of "Break it": its clients are no clients under test. */
export const isDemonstration = (space: string): boolean =>
  clients.some(client => space.endsWith(demonstrationSpace('', client)))
