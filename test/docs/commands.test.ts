import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readCommandLine } from '../../src/cli/command-line.ts'
import { temporaryDirectory } from '../process.ts'

const pages = ['README.md', ...readdirSync('docs').map(name => `docs/${name}`)].filter(it =>
  it.endsWith('.md'),
)

/** The lines of a page's shell blocks that start the mock or one of its commands, with the words behind its name. */
const commandsOf = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .flatMap(([, block]) => block!.replaceAll(/ *\\\n */g, ' ').split('\n'))
    .flatMap(line => {
      const start =
        /^(?:npm start --|npx mailing-sync-mock|mailing-sync-mock|docker run .*? mailing-sync-mock) (?<words>[^&>]+)/
      const words = start.exec(line)?.groups?.words?.trim()
      return words === undefined ? [] : [[page, line, words] as const]
    })

const commands = pages.flatMap(commandsOf)

it.each(commands)('the command line of %s is taken: %s', async (_, line, words) => {
  using folder = temporaryDirectory()
  writeFileSync(folder.at('settings.yaml'), 'port: 5000\n')
  // The mock reads this file at once; the one of the page is written by another command.
  const argv = words
    .replace(/(?<!verify .*)--config \S+/, () => `--config ${folder.at('settings.yaml')}`)
    .split(' ')
    .map(word => word.replaceAll(/["']/g, ''))
  expect((await readCommandLine(argv, {}, '1.0.0')).run).toBeTypeOf('string')
  // What runs in a container is reached only over the port that is published.
  const [, outside, inside] = / -p 127\.0\.0\.1:(\d+):(\d+) .*--port/.exec(line) ?? []
  if (inside !== undefined) {
    expect(argv).toEqual(expect.arrayContaining(['--host', '0.0.0.0', '--port', inside]))
    expect(outside).toBe(inside)
  }
})

it('the command lines of the pages are found', () => {
  expect(commands.length).toBeGreaterThan(30)
  expect(new Set(commands.map(([page]) => page))).toContain('docs/container.md')
})
