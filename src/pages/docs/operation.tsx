import { problems } from '../../service/problem.ts'
import { CopyButton } from '../components/basics.tsx'
import { page } from '../page.ts'
import { Answers, MediaOf } from './answers.tsx'
import { type Api, apisOf, type Operation } from './document.ts'
import { apiTitles, Index, Method } from './index.tsx'
import { Described } from './schema.tsx'
import { Try } from './try.tsx'
import { limitsOf, typeWords } from './types.ts'
import { Standing, Words } from './words.tsx'

/** One operation: what it takes, what it answers, and a form that makes it. */
export default page('/docs/{operation}', {
  async show(call) {
    const apis = await apisOf(call)
    const { operation: id } = call.params
    const api = apis.find(it => it.operation(id))
    const operation = api?.operation(id)
    if (!api || !operation)
      throw problems.notFound(`operation ${id}; the API reference at ${call.at('/docs')} lists all`)
    return {
      title: id,
      scripts: ['browser/docs.js', 'browser/docs-try.js'],
      content: (
        <div class="docs">
          <article>
            <p>
              <a href={call.at('/docs')}>API reference</a> / {apiTitles[api.name]} / {operation.group}
            </p>
            <h1>{operation.summary}</h1>
            <p class="docs-path">
              <Method method={operation.method} />{' '}
              <span>
                <code>{operation.path}</code> <CopyButton text={operation.path} label="Copy the path" />
              </span>
              <a class="docs-try-it" href="#try">
                Try it
              </a>
            </p>
            <div class="docs-parts">
              <Request api={api} operation={operation} />
              <Try call={call} api={api} operation={operation} />
              <Answers api={api} operation={operation} />
            </div>
          </article>
          <Index call={call} apis={apis} current={id} />
        </div>
      ),
    }
  },
})

function Request({ api, operation }: { api: Api; operation: Operation }) {
  const { operationId, description, parameters = [], requestBody, aliases } = operation
  return (
    <section class="docs-request" aria-labelledby="request">
      <h2 id="request">Request</h2>
      <p>
        Operation <code>{operationId}</code> <Standing of={operation} />
      </p>
      <Words text={description} />
      {aliases.length > 0 && (
        <p>
          Answered alike at{' '}
          {aliases.map((path, at) => (
            <>
              {at > 0 && ', '}
              <code>{path}</code>
            </>
          ))}
        </p>
      )}
      {parameters.length > 0 && (
        <>
          <h3>Parameters</h3>
          <ul class="members">
            {parameters.map(it => (
              <Described
                name={it.name}
                type={[`in the ${it.in}`, typeWords(api, it.schema), ...limitsOf(it.schema)].join(', ')}
                isRequired={it.required === true}
                of={it}
              >
                <Words text={it.description} />
              </Described>
            ))}
          </ul>
        </>
      )}
      {requestBody && (
        <>
          <h3>Body</h3>
          <Words text={requestBody.description} />
          <MediaOf api={api} {...sentBody(requestBody.content)} />
        </>
      )}
    </section>
  )
}

/** Media types that are taken differ in name alone: the first, with the examples, stands for all. */
function sentBody(content: NonNullable<Operation['requestBody']>['content']) {
  const types = Object.keys(content)
  return { type: types.join(', '), media: content[types[0]!]! }
}
