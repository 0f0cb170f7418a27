import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { checkVariables, readCommandLine } from '../src/cli/command-line.ts'
import { flagsOfHelp, repeatableOfHelp } from './help.ts'
import { temporaryDirectory } from './process.ts'

/** A value of each flag that is not its default; nothing for a switch. What takes settings as arguments has no environment. */
const given: Readonly<Record<string, string | undefined>> = {
  '--port': '5001',
  '--host': '0.0.0.0',
  '--data': '/data',
  '--in-memory': undefined,
  '--accept-edits': undefined,
  '--durability': 'fsync',
  '--fixtures': '/content/fixtures',
  '--seed': '7',
  '--generate': 'mailings=10',
  '--relation-prefix': 'mail',
  '--platform-segment': 'platform',
  '--public-url': 'https://mock.example/base',
  '--pages-url': 'https://editor.example',
  '--allow-host': 'mock.example,other.example',
  '--trust-proxy': undefined,
  '--rate-limit': '60',
  '--scenario': 'reset-after',
  '--scenarios': '/content/scenarios',
  '--hide-test-synchronizations': undefined,
  '--known': '/content/known.yaml',
  '--dial': 'error-body=minimal',
  '--profile': 'documented',
  '--selection': 'header,synchronization',
  '--now': '2031-05-06T07:08:09Z',
  '--frozen': undefined,
  '--no-hints': undefined,
  '--journal': '20',
  '--journal-on-disk': undefined,
  '--space-limit': '3',
  '--space-idle': '5m',
  '--space-keep': '30d',
  '--body-limit': '5000',
  '--header-limit': '8000',
  '--header-timeout': '5s',
  '--request-timeout': '1m',
  '--connection-limit': '10',
  '--hold-limit': '3',
  '--memory-limit': '64',
  '--metrics': undefined,
  '--token': 'a-token-for-tests',
  '--control-port': '5002',
  '--tls': undefined,
  '--tls-port': '5003',
  '--tls-cert': '/content/mock.pem',
  '--tls-key': '/content/mock.key',
  '--log-level': 'debug',
  '--quiet': undefined,
  '--stop-with-input': undefined,
}

const flags = await flagsOfHelp()
const settings = [...flags.keys()]

const configOf = async (args: readonly string[], environment: Record<string, string>) => {
  const task = await readCommandLine(args, environment, '1.0.0')
  expect(task.run).toBe('serve')
  return task.run === 'serve' ? task.config : undefined
}

describe('what would have no effect is refused', () => {
  it('a misspelt variable of a setting is refused with the one that was meant', async () => {
    await expect(configOf([], { MAILING_SYNC_MOCK_PROT: '1' })).rejects.toThrow(
      'MAILING_SYNC_MOCK_PROT is no setting; did you mean MAILING_SYNC_MOCK_PORT?',
    )
  })

  it('of the other variables with our prefix those are named that neither Kubernetes sets for a service of this name nor the kits read', () => {
    const given = {
      MAILING_SYNC_MOCK_COMMAND: 'node main.js',
      MAILING_SYNC_MOCK_START_TIMEOUT: '60',
      MAILING_SYNC_MOCK_SERVICE_HOST: '10.0.0.1',
      MAILING_SYNC_MOCK_SERVICE_PORT: '4025',
      MAILING_SYNC_MOCK_SERVICE_PORT_HTTP: '4025',
      MAILING_SYNC_MOCK_PORT: 'tcp://10.0.0.1:4025',
      MAILING_SYNC_MOCK_PORT_4025_TCP: 'tcp://10.0.0.1:4025',
      MAILING_SYNC_MOCK_PORT_4025_TCP_PORT: '4025',
      MAILING_SYNC_MOCK_FOO: '1',
    }
    expect(checkVariables(given)).toEqual(['MAILING_SYNC_MOCK_FOO'])
  })

  it('the address that Kubernetes puts into MAILING_SYNC_MOCK_PORT is not taken for a port', async () => {
    const given = { MAILING_SYNC_MOCK_PORT: 'tcp://10.0.0.1:4025' }
    expect(await configOf([], given)).toMatchObject({ port: 4025 })
    expect(await configOf([], { ...given, PORT: '5003' })).toMatchObject({ port: 5003 })
  })

  it('--data and --durability beside --in-memory are refused; a variable, as an image has it, is not', async () => {
    for (const flags of [
      ['--data', 'x'],
      ['--durability', 'fsync'],
    ])
      await expect(configOf([...flags, '--in-memory'], {})).rejects.toThrow(
        `${flags[0]} does nothing with --in-memory`,
      )
    expect(await configOf(['--in-memory'], { MAILING_SYNC_MOCK_DATA: '/data' })).toMatchObject({
      inMemory: true,
    })
    // The flag is more than a default, and would be without effect.
    await expect(configOf(['--data', 'x'], { MAILING_SYNC_MOCK_IN_MEMORY: 'true' })).rejects.toThrow(
      '--data does nothing with --in-memory',
    )
  })
})

it('--selection takes "none" alone, not beside a way of choosing', async () => {
  expect(await configOf(['--selection', 'none'], {})).toMatchObject({ selection: [] })
  await expect(configOf(['--selection', 'none,header'], {})).rejects.toThrow(
    'expected header, transaction-id, synchronization',
  )
})

describe('a container takes its settings from the environment alone', () => {
  it('a container takes its settings from the environment alone knows a variable for every flag of --help', () => {
    expect(settings.filter(flag => flag !== '--config').sort()).toEqual(Object.keys(given).sort())
  })

  const pairs = settings.flatMap(flag => flags.get(flag)!.map(name => [flag, name] as const))
  it.each(pairs.filter(([flag]) => flag !== '--config'))('%s is %s', async (flag, name) => {
    const value = given[flag]
    const byFlag = await configOf(value === undefined ? [flag] : [flag, value], {})
    const byVariable = await configOf([], { [name]: value ?? 'true' })
    expect(byVariable).toEqual(byFlag)
    expect(byVariable).not.toEqual(await configOf([], {}))
  })

  it('--config is MAILING_SYNC_MOCK_CONFIG', async () => {
    using directory = temporaryDirectory()
    const file = directory.at('settings.yaml')
    writeFileSync(file, 'seed: 7\n')
    const byVariable = await configOf([], { MAILING_SYNC_MOCK_CONFIG: file })
    expect(byVariable).toEqual(await configOf(['--config', file], {}))
    expect(byVariable?.seed).toBe(7)
  })

  it('a container takes its settings from the environment alone takes a variable that is empty for one that is not set, as orchestrators pass it', async () => {
    const empty = Object.fromEntries([...flags.values()].flat().map(name => [name, '']))
    expect(await configOf([], empty)).toEqual(await configOf([], {}))
  })
})

describe('a setting that is given in several ways', () => {
  const port = 'MAILING_SYNC_MOCK_PORT'

  it.each([
    ['a flag goes before its variable', ['--port', '5001'], { [port]: '5002', PORT: '5003' }, 5001],
    ['its variable goes before PORT', [], { [port]: '5002', PORT: '5003' }, 5002],
    ['PORT goes before the default', [], { PORT: '5003' }, 5003],
  ])('a setting that is given in several ways: %s', async (_, args, environment, expected) => {
    expect((await configOf(args, environment))?.port).toBe(expected)
  })

  it('a variable goes before the file of settings, and that before the default', async () => {
    using directory = temporaryDirectory()
    const file = directory.at('settings.yaml')
    writeFileSync(file, 'port: 5004\nseed: 7\n')
    expect(await configOf(['--config', file], { [port]: '5002' })).toMatchObject({ port: 5002, seed: 7 })
  })

  it('--now needs a zone', async () => {
    await expect(configOf(['--now', '2026-11-01T10:00:00'], {})).rejects.toThrow('a date-time with a zone')
    expect((await configOf(['--now', '2026-11-01T10:00:00+01:00'], {}))?.now).toBe('2026-11-01T09:00:00.000Z')
  })

  it.each(['https://mock.example/?', 'https://mock.example#', 'https://:secret@mock.example'])(
    '--public-url refuses %s, with which no link could be made',
    async url => {
      await expect(configOf(['--public-url', url], {})).rejects.toThrow('an http or https address without')
    },
  )

  it.each(['2026-02-30T10:00:00Z', '0000-01-01T10:00:00Z', '9999-12-31T23:59:59-01:00'])(
    '--now refuses %s, which the clock of a space refuses, too',
    async now => {
      await expect(configOf(['--now', now], {})).rejects.toThrow('from year 0001 to 9999')
    },
  )
})

describe('a flag that is given again', () => {
  it.each([
    [
      'adds dials',
      ['--dial', 'error-body=minimal', '--dial', 'unknown-members=present,unset-values=absent'],
      {
        dials: { 'error-body': 'minimal', 'unknown-members': 'present', 'unset-values': 'absent' },
      },
    ],
    [
      'turns a dial as it was said last',
      ['--dial', 'error-body=minimal', '--dial', 'error-body=full'],
      {
        dials: { 'error-body': 'full' },
      },
    ],
    [
      'adds host names',
      ['--allow-host', 'one.example', '--allow-host', 'two.example,three.example'],
      {
        allowedHosts: ['one.example', 'two.example', 'three.example'],
      },
    ],
    [
      'adds tables',
      ['--generate', 'mailings=10', '--generate', 'customers=2'],
      {
        generate: 'mailings=10,customers=2',
      },
    ],
    [
      'counts as it was said last where it takes one value',
      ['--port', '5001', '--port', '5002'],
      { port: 5002 },
    ],
  ])('a flag that is given again: %s', async (_, args, config) => {
    expect(await configOf(args, {})).toMatchObject(config)
  })

  it('a flag that is given again is told of with all that it was given', async () => {
    await expect(configOf(['--dial', 'error-body=minimal', '--dial', 'full'], {})).rejects.toThrow(
      '--dial is "error-body=minimal,full": expected names with values',
    )
  })

  it('a flag that is given again says in --help that it may be, if it takes several values', async () => {
    expect((await repeatableOfHelp()).sort()).toEqual(['--allow-host', '--dial', '--generate', '--selection'])
  })
})
