import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { readCommandLine } from '../../src/cli/command-line.ts'
import { titleOr } from '../not-run.ts'
import { run, start } from '../process.ts'

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some(it => it?.address === '::1')

describe('T52: where it cannot listen', () => {
  it('a second one on the same port says so in one sentence, and the first goes on', async () => {
    await using first = await start(['--in-memory'])
    const second = await run(['--in-memory', '--port', String(first.port)])
    expect(second.code).toBe(2)
    expect(second.errors).toBe(
      `mailing-sync-mock: 127.0.0.1:${first.port} is in use; give another port (--port, --control-port, --tls-port), or 0 to have one chosen\n`,
    )
    expect((await fetch(`${first.url}/_mock/health`)).status).toBe(200)
  })

  it('a control port that is the port of the service is refused likewise', async () => {
    await using taken = await start(['--in-memory'])
    const { code, errors } = await run(['--in-memory', '--port', '0', '--control-port', String(taken.port)])
    expect([code, errors.split('\n').length]).toEqual([2, 2])
    expect(errors).toContain('is in use')
  })

  it.each(['192.0.2.1', 'no-such-host.invalid', '999.1.1.1', 'not an address'])(
    'an address that is none of this machine is refused: %s',
    async host => {
      const { code, errors } = await run(['--in-memory', '--port', '0', '--host', host])
      expect([code, errors.split('\n').length]).toEqual([2, 2])
      expect(errors).toContain('names no address of this machine')
    },
  )

  const lacking = hasIpv6 ? undefined : 'this machine has no IPv6'
  it.skipIf(!hasIpv6)(titleOr('it may be IPv6 alone', lacking), async () => {
    await using mock = await start(['--in-memory', '--host', '::1'])
    expect((await fetch(`http://[::1]:${mock.port}/_mock/health`)).status).toBe(200)
    await expect(fetch(`http://127.0.0.1:${mock.port}/_mock/health`)).rejects.toThrow()
  })
})

describe('limits that cannot be', () => {
  it.each([
    ['--body-limit', '0', 'expected a whole number from 1 to 1073741824'],
    ['--header-limit', '10', 'expected a whole number from 1000 to 16777216'],
    ['--header-timeout', '0s', 'expected 1ms to 1h, such as 10s'],
    ['--header-timeout', '2h', 'expected 1ms to 1h, such as 10s'],
    ['--request-timeout', '10', 'expected a duration such as 500ms'],
    ['--connection-limit', '0', 'expected a whole number from 1 to 1000000'],
    ['--hold-limit', 'many', 'expected a whole number from 1 to 1000000'],
  ])('%s %s is refused', async (flag, value, sentence) => {
    await expect(readCommandLine([flag, value], {}, '1.0.0')).rejects.toThrow(
      `${flag} is "${value}": ${sentence}`,
    )
  })
})
