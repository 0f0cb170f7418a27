/** A control call of the bench itself. */
import { request } from 'node:http'
import { authorization } from './world.mjs'

/**
 * @returns the answer's JSON, or undefined for none
 * @throws Error for an answer that tells of a failure
 */
export function ask(port, method, path, document) {
  const body = document === undefined ? undefined : JSON.stringify(document)
  const headers = { Authorization: authorization, ...(body && { 'Content-Type': 'application/json' }) }
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers }, incoming => {
      let text = ''
      incoming.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      incoming.once('error', reject)
      incoming.once('end', () => {
        if (incoming.statusCode >= 300)
          reject(new Error(`${method} ${path} was answered ${incoming.statusCode} ${text}`))
        else resolve(text === '' ? undefined : JSON.parse(text))
      })
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
