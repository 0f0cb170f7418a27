/** Prism over an OpenAPI document with these answers as examples. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sendingId } from '../world.mjs'
import { documents, readPath, sendingsPath } from './documents.mjs'

/** @returns {import('./peers.mjs').Peer} */
export const prism = program => ({
  title: 'Prism 5.14',
  async prepare({ directory, port, mailings }) {
    const { synchronization, collection, sending } = documents(port, mailings)
    const answer = example => ({
      description: 'as the service gives it',
      content: { 'application/hal+json': { schema: { type: 'object' }, example } },
    })
    const openapi = {
      openapi: '3.0.3',
      info: { title: 'bench', version: '1' },
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
      security: [{ basic: [] }],
      paths: {
        [readPath]: { get: { responses: { 200: answer(synchronization) } } },
        '/mailings': { get: { responses: { 200: answer(collection) } } },
        [sendingsPath]: {
          post: {
            requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
            responses: { 201: answer(sending(sendingId(1), '000000000000')) },
          },
        },
      },
    }
    const file = join(directory, 'openapi.json')
    await writeFile(file, JSON.stringify(openapi))
    return { args: [program, 'mock', '--host', '127.0.0.1', '--port', String(port), '-v', 'silent', file] }
  },
  cannot: {
    filtered: 'it has no filters',
    repeat: 'it remembers nothing',
    fault: 'only a client can ask it for an error',
  },
  differs: {
    read: 'any credentials will do',
    collection: 'an example that it was given',
    create: 'an example that it was given, and nothing is remembered',
  },
})
