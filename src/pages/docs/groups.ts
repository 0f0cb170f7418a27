/** Nouns that are told of together with others, or in a word that is not their own. */
const groups: Readonly<Record<string, string>> = {
  '': 'Mock',
  health: 'Mock',
  reset: 'Mock',
  operations: 'Mock',
  'openapi.json': 'Mock',
  control: 'Mock',
  scenario: 'Scenarios',
  'exam-cases': 'Exams',
}

/**
 * What a control call is about: the noun in its path, whether of one space or of all.
 * @param path as the document has it, such as `/_mock/spaces/{space}/side-port`
 */
export function controlGroup(path: string): string {
  const [noun = ''] = path.replace(/^\/_mock\/?(?:spaces\/\{space\}\/)?/, '').split('/')
  return groups[noun] ?? noun[0]!.toUpperCase() + noun.slice(1).replaceAll('-', ' ')
}
