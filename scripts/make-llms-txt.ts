import { readFileSync } from 'node:fs'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

/** llms.txt: what the project is, and each page of the documentation with what it is for, from README.md and docs/README.md. */
export function makeLlmsTxt(): string {
  const [title, about] = read('README.md').split('\n\n')
  const sections = read('docs/README.md')
    .split(/^(?=## )/m)
    .map(sectionLines)
    .filter(lines => lines.length > 0)
  return `${[title, `> ${plain(about!)}`, ...sections.map(lines => lines.join('\n'))].join('\n\n')}\n`
}

/** The rows of a section's table as a list of links. */
function sectionLines(section: string): string[] {
  const heading = /^## .+/.exec(section)?.[0] ?? '## Start'
  const links = [...section.matchAll(/^\| (.+?) \| .*?\[[^\]]*\]\(([^)]+)\).* \|$/gm)].map(
    ([, purpose, path]) => `- [${titleOf(path!)}](${pathOf(path!)}): ${plain(purpose!)}`,
  )
  return links.length === 0 ? [] : [heading, '', ...links]
}

/** From docs/README.md to a path below the repository. */
const pathOf = (path: string) => (path.startsWith('../') ? path.slice(3) : `docs/${path}`)

const titleOf = (path: string) =>
  (path.endsWith('.md') && /^# (.+)$/m.exec(read(pathOf(path)))?.[1]) || path.replace('../', '')

const plain = (text: string) => text.replaceAll('**', '').replaceAll(/\s+/g, ' ').trim()
