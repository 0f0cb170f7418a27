/**
 * Both sides of Pact, in a process of their own: its core is a native library that prints what it does. Told what to do
 * by a message, answers with one.
 */
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import core, { makeConsumerPact } from '@pact-foundation/pact-core'

const media = { answer: 'application/hal+json', problem: 'application/problem+json' }

/**
 * Makes a pact as a consumer's tests do, one interaction after the other: what it expects is stated to Pact's own stand-in
 * of the service, its request is sent there, and what was met on both sides is written. Gives the file.
 * @param {any} wanted `consumer`, `provider`, `interactions`, `directory`
 */
async function make({ consumer, provider, interactions, directory }) {
  for (const it of interactions) {
    // Version 4 of the format is what is counted as 5 here.
    const made = makeConsumerPact(consumer, provider, 5, 'error')
    state(made.newInteraction(it.name), it)
    const port = made.createMockServer('127.0.0.1', 0)
    await ask(`http://127.0.0.1:${port}`, it)
    // The stand-in notes what it met in a thread of its own, at times after it has answered.
    for (let tries = 0; tries < 200 && !made.mockServerMatchedSuccessfully(port); tries++) await delay(25)
    if (!made.mockServerMatchedSuccessfully(port))
      throw new Error(JSON.stringify(made.mockServerMismatches(port)))
    made.writePactFile(directory)
    made.cleanupMockServer(port)
  }
  return join(directory, `${consumer}-${provider}.json`)
}

/**
 * What the consumer expects, as Pact takes it.
 * @param {import('@pact-foundation/pact-core').ConsumerInteraction} interaction
 * @param {any} wanted see `Interaction` in consumer.ts
 */
function state(interaction, { given, method, path, example, query, body, status, headers, answer }) {
  for (const it of given)
    if (it.params) interaction.givenWithParams(it.state, JSON.stringify(it.params))
    else interaction.given(it.state)
  interaction.withRequest(method, path === example ? path : JSON.stringify(fromStates(path, example)))
  for (const [name, value] of Object.entries(query)) interaction.withQuery(name, 0, value)
  if (body) interaction.withRequestBody(JSON.stringify(body), media.answer)
  interaction.withStatus(status)
  for (const [name, value] of Object.entries(headers)) interaction.withResponseHeader(name, 0, value)
  if (answer)
    interaction.withResponseBody(JSON.stringify(answer), status < 400 ? media.answer : media.problem)
}

/**
 * @param {string} expression
 * @param {string} value on the consumer's side
 */
const fromStates = (expression, value) => ({
  'pact:matcher:type': 'type',
  'pact:generator:type': 'ProviderState',
  expression,
  value,
})

/**
 * The consumer's own request.
 * @param {string} base
 * @param {any} wanted
 */
async function ask(base, { method, example, query, body }) {
  const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''
  const response = await fetch(base + example + search, {
    method,
    ...(body && { headers: { 'content-type': media.answer }, body: JSON.stringify(body) }),
  })
  await response.text()
}

/**
 * Runs the verifier; what it found, met or not.
 * @param {any} options
 */
const verify = async options =>
  JSON.parse(
    await core.default
      .verifyPacts({ ...options, logLevel: 'error' })
      .catch((/** @type {Error} */ it) => it.message),
  )

/** @type {Record<string, (given: any) => Promise<unknown>>} */
const tasks = { make, verify, probe: async () => true }

process.once('message', async (/** @type {any} */ { task, given }) => {
  const answer = await tasks[task]?.(given).then(
    result => ({ result }),
    error => ({ error: String(error?.stack ?? error) }),
  )
  process.send?.(answer, () => process.exit())
})
