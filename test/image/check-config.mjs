// Compares what the image says of itself (a file with its configuration as JSON) with what it promises.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const { version, license } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const labels = Object.fromEntries(
  Object.entries(config.Labels).filter(([name]) => name.startsWith('org.opencontainers.image.')),
)

assert.deepEqual(
  {
    user: config.User,
    entrypoint: config.Entrypoint,
    health: config.Healthcheck.Test,
    ports: Object.keys(config.ExposedPorts),
    volumes: Object.keys(config.Volumes),
    environment: config.Env.filter(variable => /^(NODE_ENV|MAILING_SYNC_MOCK_\w+)=/.test(variable)).sort(),
    version: labels['org.opencontainers.image.version'],
    license: labels['org.opencontainers.image.licenses'],
  },
  {
    user: 'node',
    entrypoint: ['node', '/app/dist/main.js'],
    health: ['CMD', 'node', '/app/dist/main.js', 'health'],
    ports: ['4025/tcp'],
    volumes: ['/data'],
    environment: ['MAILING_SYNC_MOCK_DATA=/data', 'MAILING_SYNC_MOCK_HOST=0.0.0.0', 'NODE_ENV=production'],
    version,
    license,
  },
)
assert.ok(labels['org.opencontainers.image.title'] && labels['org.opencontainers.image.description'])
