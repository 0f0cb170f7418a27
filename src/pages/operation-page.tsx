import { problems } from '../service/problem.ts'
import {
  type Answer,
  type Api,
  loadApis,
  type Media,
  type Operation,
  type Parameter,
} from './api-document.ts'
import { Chip, type Tone } from './components/chips.tsx'
import { CopyButton, Field, Snippet } from './components/elements.tsx'
import { page } from './page.ts'
import type { PageCall } from './page-call.ts'
import { apiTitles, Method, OperationIndex } from './reference-page.tsx'
import { type FormRequest, type FormValues, formCredentials, formLine, valuesFrom } from './request-form.ts'
import { Described, describeType, describeValue, Markdown, Members, StandingNote } from './schema-view.tsx'
import { credentialsOf, isUntrusted, serviceBase } from './service-links.ts'

const statusTones: Readonly<Record<string, Tone>> = { 2: 'good', 3: 'info', 4: 'warn', 5: 'bad' }

function AnswerCard({ api, status, answer }: { api: Api; status: string; answer: Answer }) {
  const { description, headers = {}, content = {} } = answer
  const media = Object.entries(content)
  const first = /^.*?\.(?= \S)/s.exec(description)?.[0] ?? description
  const header = Object.entries(headers).map(([name, it]) => [name, api.resolved(it)] as const)
  return (
    <details class="card docs-answer" open={status.startsWith('2')}>
      <summary>
        <Chip tone={statusTones[status[0]!] ?? 'calm'}>{status}</Chip> <span>{first}</span>
      </summary>
      {first !== description && <Markdown text={description.slice(first.length).trim()} />}
      <StandingNote of={answer} />
      {header.length > 0 && (
        <details>
          <summary>Headers</summary>
          <ul class="plain members">
            {header.map(([name, it]) => (
              <Described name={name} type={describeType(api, it.schema ?? {})} of={it} />
            ))}
          </ul>
        </details>
      )}
      {media.length === 0 && <p class="soft">No body.</p>}
      {media.map(([type, it]) => (
        <MediaView api={api} type={type} media={it} />
      ))}
    </details>
  )
}

/** A body: its type, its members and examples. */
function MediaView({ api, type, media }: { api: Api; type: string; media: Media }) {
  const { schema } = media
  return (
    <>
      <p>
        <code>{type}</code> {schema && <span class="soft">{describeValue(api, schema)}</span>}
      </p>
      {schema && <Members api={api} schema={schema} />}
      {examplesOf(media).map(({ name, text }) => (
        <details>
          <summary>Example: {name}</summary>
          {/* Long content scrolls, so it must be focusable. */}
          <pre class="json" tabindex={0}>
            <code>{text}</code>
          </pre>
        </details>
      ))}
    </>
  )
}

/** Examples of a body, each with a name and its text as it is sent, formatted. */
function examplesOf({ example, examples }: Media) {
  const unnamed = example !== undefined && { 'as it may be sent': { value: example } }
  const all: NonNullable<Media['examples']> = { ...unnamed, ...examples }
  return Object.entries(all).map(([key, { summary: name = key, value }]) => ({
    name,
    text: typeof value === 'string' ? value : JSON.stringify(value, undefined, 2),
  }))
}

/** A form that sends the request, and the same request as a curl line. */
function Try({ call, api, operation }: { call: PageCall; api: Api; operation: Operation }) {
  const isService = api.name === 'service'
  // A browser does not let a page call another port.
  const isElsewhere = isService && call.tools.isAlone
  const asked = formRequestOf(call, api, operation)
  const examples = Object.values(operation.requestBody?.content ?? {}).flatMap(examplesOf)
  const filled = prefilled(call, api, operation, examples[0]?.text)
  const base = isService ? serviceBase(call) : call.cameBy
  const user = isService ? formCredentials(filled) : undefined
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
          <ParameterField parameter={parameter} value={filled[`${parameter.in}.${parameter.name}`]} />
        ))}
        {operation.requestBody && <BodyField examples={examples} text={filled.body ?? ''} />}
        {isService && <Credentials call={call} filled={filled} />}
        {!isElsewhere && (
          <div class="row">
            {/* Disabled without the script: a plain submit would put the password into the address. */}
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
      <div data-told hidden>
        <h3>Body of the response</h3>
        <pre class="json" tabindex={0} data-body />
        <h3>Headers of the response</h3>
        <pre class="json" tabindex={0} data-headers />
      </div>
      <h3>As a line</h3>
      <Snippet label="Copy the curl line" text={formLine(asked, filled, base, user)} />
    </section>
  )
}

function formRequestOf(call: PageCall, { name }: Api, operation: Operation): FormRequest {
  const { method, path, parameters = [], requestBody, security } = operation
  const isControl = name === 'control'
  const [mediaType] = Object.keys(requestBody?.content ?? {})
  // A control call that changes something needs a content type even without a body.
  const contentType = mediaType ?? (isControl && method !== 'GET' ? 'application/json' : undefined)
  const needsToken = isControl && call.tools.isProtected && security?.length !== 0
  return {
    method,
    path,
    parameters: parameters.map(it => ({
      name: it.name,
      in: it.in,
      ...(it.schema.type === 'array' && it.explode !== false && { isRepeated: true }),
    })),
    ...(contentType !== undefined && { contentType }),
    ...(isUntrusted(call) && { isUntrusted: true }),
    ...(needsToken && { headers: [['Authorization', 'Bearer <token>']] }),
  }
}

/**
 * Initial values: examples, and a user with the needed rights; over them those of a link, where `target` is the address of
 * a resource and `user` is a user who can read it.
 */
function prefilled(call: PageCall, api: Api, operation: Operation, body: string | undefined): FormValues {
  const { path, aliases, parameters = [] } = operation
  const home = call.tools.spaces.directory.names()[0]
  // A private space, so that trying changes nothing for others.
  const [user = '', password = ''] = (home && credentialsOf(call, `${home}+try`)?.split(/:(.*)/s)) || []
  const examples = parameters.map(it => [`${it.in}.${it.name}`, String(it.example ?? '')])
  const { searchParams: linked } = new URL(call.request.url)
  const target = linked.get('target')
  return {
    ...Object.fromEntries(examples),
    ...(api.name === 'control' && { 'path.space': home }),
    ...(target !== null && valuesFrom([path, ...aliases], parameters, target)),
    body,
    user: linked.get('user') ?? user,
    password,
  }
}

/** The space of each user, to link from a response to the mock's page about the request. */
function spacesOfUsers({ tools }: PageCall): Record<string, string> {
  const { directory } = tools.spaces
  const usersOf = (space: string) => directory.contentOf(space)?.users ?? []
  return Object.fromEntries(directory.names().flatMap(it => usersOf(it).map(({ name }) => [name, it])))
}

function ParameterField({ parameter, value = '' }: { parameter: Parameter; value: string | undefined }) {
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

function BodyField({ examples, text }: { examples: ReturnType<typeof examplesOf>; text: string }) {
  const rows = Math.min(Math.max(text.split('\n').length, 3), 16)
  return (
    <>
      {examples.length > 1 && (
        <label class="docs-field">
          <span>Example</span>
          <select data-examples>
            {examples.map(it => (
              <option value={it.text}>{it.name}</option>
            ))}
          </select>
        </label>
      )}
      <div class="docs-field">
        <label for="body">Body</label>
        <textarea id="body" name="body" rows={rows} spellcheck={false}>
          {text}
        </textarea>
      </div>
    </>
  )
}

function Credentials({ call, filled }: { call: PageCall; filled: FormValues }) {
  return (
    <>
      <Field label="User" name="user" value={filled.user} required />
      <Field
        label="Password"
        name="password"
        type="password"
        value={filled.password}
        placeholder={filled.password === '' ? 'as in your fixture' : undefined}
        autocomplete="new-password"
      />
      <Field
        label="Scenario for this request"
        name="scenario"
        list="scenarios"
        placeholder="none"
        aria-describedby="repeats"
      />
      <p id="repeats" class="soft small flush">
        When a connection breaks, a browser may repeat the request by itself, and show the response to that.
      </p>
      <datalist id="scenarios">
        {call.tools.scenarios.names().map(name => (
          <option value={name} />
        ))}
      </datalist>
    </>
  )
}

/** One operation: its request, its responses, and a form to try it. */
export default page({
  async show(call) {
    const apis = await loadApis(call)
    const { operation: id } = call.params
    const found = apis.flatMap(api => api.operations.map(operation => ({ api, operation })))
    const { api, operation } = found.find(it => it.operation.operationId === id) ?? {}
    if (!api || !operation)
      throw problems.notFound(`operation ${id}; the API reference at ${call.at('/docs')} lists all`)
    return {
      title: id,
      scripts: ['browser/find-operation.js', 'browser/try-operation.js'],
      content: (
        <div class="docs">
          <article>
            <p>
              <a href={call.at('/docs')}>API reference</a> / {apiTitles[api.name]} / {operation.group}
            </p>
            <h1>{operation.summary}</h1>
            <p class="flow docs-path">
              <Method method={operation.method} />{' '}
              <span>
                <code>{operation.path}</code> <CopyButton text={operation.path} label="Copy the path" />
              </span>
              <a href="#try">Try it</a>
            </p>
            <div class="docs-parts">
              <RequestSection api={api} operation={operation} />
              <Try call={call} api={api} operation={operation} />
              <section class="docs-answers" aria-labelledby="answers">
                <h2 id="answers">Responses</h2>
                {Object.entries(operation.responses).map(([status, answer]) => (
                  <AnswerCard api={api} status={status} answer={api.resolved(answer)} />
                ))}
              </section>
            </div>
          </article>
          <OperationIndex call={call} apis={apis} current={id} />
        </div>
      ),
    }
  },
})

function RequestSection({ api, operation }: { api: Api; operation: Operation }) {
  const { operationId, description, parameters = [], requestBody, aliases } = operation
  const bodies = Object.entries(requestBody?.content ?? {})
  return (
    <section class="docs-request" aria-labelledby="request">
      <h2 id="request">Request</h2>
      <p>
        Operation <code>{operationId}</code> <StandingNote of={operation} />
      </p>
      <Markdown text={description} />
      {aliases.length > 0 && (
        <p>Answered alike at {aliases.map((path, at) => [at > 0 && ', ', <code>{path}</code>])}</p>
      )}
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <ul class="plain members">
            {parameters.map(it => (
              <Described
                name={it.name}
                type={`in the ${it.in}, ${describeValue(api, it.schema)}`}
                isRequired={it.required === true}
                of={it}
              />
            ))}
          </ul>
        </>
      )}
      {requestBody && (
        <>
          <h3>Body</h3>
          <Markdown text={requestBody.description} />
          {/* The media types differ only in name, so the first, which has the examples, represents all. */}
          <MediaView api={api} type={bodies.map(([type]) => type).join(', ')} media={bodies[0]![1]} />
        </>
      )}
    </section>
  )
}
