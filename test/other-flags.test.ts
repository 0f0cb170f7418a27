import { expect, test } from 'vitest'
import { otherFlags, readCommandLine } from '../src/cli/command-line.ts'

const read = (line: string) => readCommandLine(line.split(' '), {}, '1.0.0')

test.each([
  ['--rate 5', '--rate-limit 60 allows 60 requests a minute'],
  ['exam --rate 5 -- node client.mjs', '--speed 60 lets the clock run 60 times as fast'],
  ['--verbose', '--log-level info prints each request'],
  ['--log debug', '--log-level info prints each request'],
  ['exam --log -- node client.mjs', '--verbose prints more'],
  ['--watch', '--log-level info prints each request, and /_mock shows it'],
  ['verify --host localhost', '--url ADDRESS is where the service is'],
  ['--delay=500ms', '--scenario slow-but-fine delays responses'],
  ['--fail', '--scenario error-500-before answers 500'],
  ['exam --fail -- node client.mjs', '--strict fails for warnings, too'],
  ['exam --case reset-after -- node client.mjs', '--only NAMES plays some cases'],
  ['exam --parallel 4 -- node client.mjs', '--jobs 4 plays four cases at a time'],
])('the flag that there is not in "%s" is answered by the one with this meaning', async (line, says) => {
  const [flag] = /--[a-z]+/.exec(line)!
  await expect(read(line)).rejects.toThrow(`unknown option '${flag}': ${says}`)
})

test('each answer to a flag with another name is given by a command that has the flag it names', async () => {
  const lines = ['', 'exam ', 'verify ', 'pull ', 'report '].flatMap(command =>
    [...otherFlags.keys()].map(word => `${command}--${word}`),
  )
  const said = await Promise.all(lines.map(line => read(line).then(String, error => String(error.message))))
  const texts = new Set([...otherFlags.values()].flat())
  expect([...texts].filter(text => !said.some(it => it.includes(`': ${text}; `)))).toEqual([])
})

test.each(['--constructor', '--nothing-like-it', 'judge --watch file'])(
  'a flag that nobody knows is only refused in "%s"',
  async line => {
    await expect(read(line)).rejects.toThrow(/^unknown option '--[a-z-]+'; --help shows/)
  },
)
