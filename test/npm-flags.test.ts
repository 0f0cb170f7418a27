import { expect, test } from 'vitest'
import { readCommandLine } from '../src/cli/command-line.ts'

const started = { npm_lifecycle_event: 'start', npm_package_name: 'mailing-sync-mock' }
const read = (argv: string[], environment: NodeJS.ProcessEnv) => readCommandLine(argv, environment, '1.0.0')

// What npm 11 makes of each line was seen by running it.
test.each([
  ['npm start --port 5000', ['5000'], { npm_config_port: 'true' }, '--port', '--port 5000'],
  ['npm start --port=5000', [], { npm_config_port: '5000' }, '--port', '--port 5000'],
  ['npm start --in-memory', [], { npm_config_in_memory: 'true' }, '--in-memory', '--in-memory'],
  [
    'npm start --in-memory --port 5000',
    ['5000'],
    { npm_config_port: 'true', npm_config_in_memory: 'true' },
    '--port, --in-memory',
    '--port 5000 --in-memory',
  ],
  [
    'npm start --port 5000 --host 0.0.0.0',
    ['5000', '0.0.0.0'],
    { npm_config_port: 'true', npm_config_host: 'true' },
    '--port, --host',
    '--port <number> --host <address>',
  ],
])('%s is answered by what npm did with the flags and what to type', async (_, argv, taken, kept, typed) => {
  await expect(read(argv, { ...started, ...taken })).rejects.toThrow(
    `npm kept ${kept} for itself; type: npm start -- ${typed}`,
  )
})

test.each([
  ['flags behind two dashes', ['--port', '5000'], started],
  [
    'the settings of another project',
    [],
    { npm_config_port: '5000', npm_lifecycle_event: 'start', npm_package_name: 'shop' },
  ],
  ['another script', [], { ...started, npm_lifecycle_event: 'test', npm_config_port: '5000' }],
])('%s are not held against npm', async (_, argv, environment) => {
  await expect(read(argv, environment)).resolves.toMatchObject({ run: 'serve' })
})
