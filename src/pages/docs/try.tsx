import { Snippet } from '../components/basics.tsx'
import { curl } from '../curl.ts'
import type { PageCall } from '../page.ts'
import { serviceBase, userOf } from '../service-address.ts'
import { type Example, examplesOf, exampleText } from './answers.tsx'
import type { Api, Operation, Parameter } from './document.ts'
import {
  type Asked,
  addressOf,
  credentials,
  type Filled,
  filledFrom,
  headersOf,
  lineBody,
} from './request.ts'

/** A form that makes the request, and the line that makes it elsewhere. */
export function Try({ call, api, operation }: { call: PageCall; api: Api; operation: Operation }) {
  const isService = api.name === 'service'
  // A browser lets a page ask nothing of another port.
  const isElsewhere = isService && call.tools.isAlone
  const asked = askedOf(call, api, operation)
  const examples = Object.values(operation.requestBody?.content ?? {}).flatMap(examplesOf)
  const filled = { ...prefilled(call, api, operation, examples), ...givenIn(call, operation) }
  const base = isService ? serviceBase(call) : call.cameBy
  const user = isService ? credentials(filled) : undefined
  return (
    <section class="card docs-try" aria-labelledby="try">
      <h2 id="try">Try it</h2>
      {isElsewhere && (
        <p id="elsewhere">
          The service is answered at a port of its own, and a browser lets this page ask nothing there. Fill
          in what you like, and copy the line.
        </p>
      )}
      <form
        class="stack"
        aria-labelledby="try"
        autocomplete="off"
        data-asked={JSON.stringify(asked)}
        data-base={base}
        data-users={isService ? JSON.stringify(spacesOfUsers(call)) : undefined}
      >
        {(operation.parameters ?? []).map(parameter => (
          <Field parameter={parameter} value={filled[`${parameter.in}.${parameter.name}`]} />
        ))}
        {operation.requestBody && <BodyField examples={examples} text={filled.body ?? ''} />}
        {isService && <Credentials call={call} filled={filled} />}
        {!isElsewhere && (
          <div class="row">
            {/* Without the script it could only lead to this page again, with a password in its address. */}
            <button type="submit" class="main" disabled>
              Send
            </button>
            <button type="button" data-stop hidden>
              Stop
            </button>
            <output data-outcome />
          </div>
        )}
      </form>
      <div class="docs-told" data-told hidden>
        <h3>Headers of the answer</h3>
        <pre class="json" tabindex={0} data-headers />
        <h3>Body of the answer</h3>
        <pre class="json" tabindex={0} data-body />
      </div>
      <h3>As a line</h3>
      <Snippet
        label="Copy the curl line"
        text={curl({
          method: operation.method,
          url: base + addressOf(asked, filled),
          user,
          headers: headersOf(asked, filled),
          body: lineBody(filled),
        })}
      />
    </section>
  )
}

function askedOf(call: PageCall, { name }: Api, operation: Operation): Asked {
  const { method, path, parameters = [], requestBody, security } = operation
  const [mediaType] = Object.keys(requestBody?.content ?? {})
  // A control call that changes something needs it even without a body.
  const contentType = mediaType ?? (name === 'control' && method !== 'GET' ? 'application/json' : undefined)
  const needsToken = name === 'control' && call.tools.isProtected && security?.length !== 0
  return {
    method,
    path,
    parameters: parameters.map(it => ({
      name: it.name,
      in: it.in,
      ...(it.schema.type === 'array' && it.explode !== false && { isRepeated: true }),
    })),
    ...(contentType !== undefined && { contentType }),
    ...(needsToken && { headers: [['Authorization', 'Bearer <token>']] }),
  }
}

/** What stands in the form at first: examples, and a user who may do it. */
function prefilled(
  call: PageCall,
  api: Api,
  { parameters = [] }: Operation,
  [example]: readonly Example[],
): Filled {
  const space = call.tools.spaces.homes()[0]
  const [user = '', password = ''] = (space && userOf(call, space)?.split(/:(.*)/s)) || []
  return {
    ...Object.fromEntries(
      parameters.map(it => [`${it.in}.${it.name}`, it.example === undefined ? '' : String(it.example)]),
    ),
    ...(api.name === 'control' && { 'path.space': space }),
    ...(example && { body: exampleText(example.value) }),
    user,
    password,
  }
}

/** What a link fills in: the address of a resource as `target`, and the `user` who may see it. */
function givenIn(call: PageCall, { path, aliases, parameters = [] }: Operation): Filled {
  const { searchParams } = new URL(call.request.url)
  const target = searchParams.get('target')
  const user = searchParams.get('user')
  return {
    ...(target !== null && filledFrom([path, ...aliases], parameters, target)),
    ...(user !== null && { user }),
  }
}

/** In which space each user is, so that an answer leads to what the mock knows of the request. */
function spacesOfUsers({ tools: { spaces } }: PageCall): Record<string, string> {
  return Object.fromEntries(
    spaces.homes().flatMap(space => (spaces.beginning(space)?.users ?? []).map(({ name }) => [name, space])),
  )
}

function Field({ parameter, value = '' }: { parameter: Parameter; value: string | undefined }) {
  const { name, schema, required } = parameter
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String)
  const field = `${parameter.in}.${name}`
  const usual = schema.default === undefined ? '' : String(schema.default)
  return (
    <div class="docs-field">
      <label for={field}>
        <code>{name}</code> {parameter.in === 'path' ? 'in the path' : ''}
      </label>
      {choices ? (
        <select id={field} name={field}>
          <option value="">{usual === '' ? 'not given' : `not given: ${usual}`}</option>
          {choices.map(choice => (
            <option value={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <input id={field} name={field} value={value} required={required} placeholder={usual} class="mono" />
      )}
    </div>
  )
}

function BodyField({ examples, text }: { examples: readonly Example[]; text: string }) {
  return (
    <>
      {examples.length > 1 && (
        <label class="docs-field">
          <span>Example</span>
          <select data-examples>
            {examples.map(({ name, value }) => (
              <option value={exampleText(value)}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <div class="docs-field">
        <label for="body">Body</label>
        <textarea
          id="body"
          name="body"
          rows={Math.min(Math.max(text.split('\n').length, 3), 16)}
          spellcheck={false}
        >
          {text}
        </textarea>
      </div>
    </>
  )
}

function Credentials({ call, filled }: { call: PageCall; filled: Filled }) {
  return (
    <>
      <div class="docs-pair">
        <label class="docs-field">
          <span>User</span>
          <input name="user" value={filled.user} required />
        </label>
        <label class="docs-field">
          <span>Password</span>
          <input
            name="password"
            type="password"
            value={filled.password}
            placeholder={filled.password === '' ? 'as in your fixture' : undefined}
            autocomplete="new-password"
          />
        </label>
      </div>
      <label class="docs-field">
        <span>Scenario for this request</span>
        <input name="scenario" list="scenarios" placeholder="none" aria-describedby="repeats" />
      </label>
      <p id="repeats" class="soft docs-note">
        When a connection breaks, a browser may repeat the request by itself, and show the answer to that.
      </p>
      <datalist id="scenarios">
        {call.tools.scenarios.names().map(name => (
          <option value={name} />
        ))}
      </datalist>
    </>
  )
}
