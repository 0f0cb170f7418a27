import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/control/call-table.ts'
import { ids, synchronizationPath } from '../../mock.ts'
import { eventually } from '../../process.ts'
import { startTester, type Tester } from './tester.ts'

const text = readFileSync('docs/control.md', 'utf8')

it.each(routes.map(({ method, path }) => `${method} /_mock${path === '/' ? '' : path}`))(
  'docs/control.md has %s',
  call => {
    expect(text.includes(`\`${call}\``)).toBe(true)
  },
)

it('docs/control.md names no call that is not there', () => {
  const calls = routes.map(({ method, path }) => `${method} /_mock${path === '/' ? '' : path}`)
  for (const [, named] of text.matchAll(/`((?:GET|PUT|POST|DELETE) \/_mock[^`?]*)`/g))
    expect([...calls, 'GET /_mock/health', 'GET /_mock/ca.pem']).toContain(named)
})

describe('the commands of docs/control.md', () => {
  let tester: Tester
  let kept = ''
  beforeAll(async () => {
    tester = await startTester()
    await tester.listen()
  })
  afterAll(() => tester.close())

  const commands = [...text.matchAll(/```sh\n(curl [^`]+)```/g)].map(([, command]) =>
    command!.replaceAll(/\\\n */g, '').trim(),
  )

  it('the commands of docs/control.md are all that there are', () => {
    expect(commands.length).toBe([...text.matchAll(/^curl /gm)].length)
    expect(commands.length).toBeGreaterThan(10)
  })

  it.each(commands)('the commands of docs/control.md: %s', async command => {
    const [, path] = /http:\/\/localhost:4025(\/_mock[^\s']*)/.exec(command)!
    const [, method = command.includes(' -d ') ? 'POST' : 'GET'] = / -X (\w+)/.exec(command) ?? []
    const [, body] = / -d '([^']*)'/.exec(command) ?? []
    if (path!.endsWith('/release')) await holdOne(tester)
    const [, type] = / -H 'Content-Type: ([^']*)'/.exec(command) ?? []
    const response = await tester.fetch(path!, {
      method,
      ...(type && { headers: { 'content-type': type } }),
      ...(method !== 'GET' && { body: command.includes(' -d @kept.json') ? kept : (body ?? null) }),
    })
    const answer = await response.text()
    if (command.includes(' -o kept.json')) kept = answer
    expect(response.status, answer).toBeLessThan(300)
  })
})

/** A request that the command about holds can release. */
async function holdOne(tester: Tester): Promise<void> {
  await tester.delete('/spaces/demo/faults')
  await tester.post('/spaces/demo/faults', { on: 'createSending', hold: 'gate' })
  void tester.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
  const held = async () => (await tester.get('/spaces/demo/holds')).json._embedded.holds[0]
  await eventually('the request to be held', held)
}
