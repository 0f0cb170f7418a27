import { groupBy } from '../judge/grouping.ts'
import { type Api, type ApiName, loadApis, type Operation } from './api-document.ts'
import { Chip, type Tone } from './components/chips.tsx'
import { Id, Name } from './components/elements.tsx'
import { page } from './page.ts'
import type { PageCall } from './page-call.ts'
import { serviceBase } from './service-links.ts'

export const apiTitles: Readonly<Record<ApiName, string>> = { service: 'The service', control: 'Control API' }

const methodTones: Readonly<Record<string, Tone>> = { GET: 'info', POST: 'good', PUT: 'warn', DELETE: 'bad' }

/** The method of a request, before its path. */
export const Method = ({ method }: { method: string }) => (
  <Chip tone={methodTones[method] ?? 'calm'}>{method}</Chip>
)

/** A searchable list of all operations. Each has its ID, so that `#createSending` leads to it. */
export function OperationIndex(props: { call: PageCall; apis: readonly Api[]; current?: string }) {
  const { call, apis, current } = props
  return (
    <nav class="docs-index" aria-label="Operations">
      <label class="docs-field">
        <span>
          Find an operation <kbd>/</kbd>
        </span>
        {/* The script does the search, so it enables the field. */}
        <input type="search" data-find disabled autocomplete="off" aria-keyshortcuts="/" />
      </label>
      <p class="soft" role="status" data-found />
      {apis.map(api => (
        <div data-group>
          <h2>{apiTitles[api.name]}</h2>
          {[...groupBy(api.operations, it => it.group)].map(([group, operations]) => (
            <div data-group>
              <h3>{group}</h3>
              <ul class="plain">
                {operations.map(operation => (
                  <OperationEntry
                    call={call}
                    operation={operation}
                    isCurrent={operation.operationId === current}
                  />
                ))}
              </ul>
            </div>
          ))}
        </div>
      ))}
    </nav>
  )
}

function OperationEntry(props: { call: PageCall; operation: Operation; isCurrent: boolean }) {
  const { operationId: id, method, path, summary, words } = props.operation
  // Without the prefix that all of its API have.
  const shortPath = path.replace(/^\/integrations\/[^/]+|^\/_mock/, '')
  return (
    <li id={id} data-operation={`${id} ${method} ${path} ${summary}`.toLowerCase()} data-words={words}>
      <a href={props.call.at(`/docs/${id}`)} aria-current={props.isCurrent ? 'page' : undefined}>
        <Method method={method} /> <span class="mono docs-id">{id}</span> <span class="soft">{summary}</span>{' '}
        <span class="soft small mono docs-id">
          <Name name={shortPath} />
        </span>
      </a>
    </li>
  )
}

/** The API reference: all operations of the service and of the mock. */
export default page({
  async show(call) {
    const apis = await loadApis(call)
    return {
      title: 'API reference',
      scripts: ['browser/find-operation.js'],
      content: (
        <div class="docs-start">
          <h1>API reference</h1>
          <p class="flow">
            <span>
              The service is at <Id id={serviceBase(call)} label="the address of the service" /> and all its
              paths but <code>/mailings</code> begin with{' '}
              <code>/integrations/{call.tools.names.platformSegment}</code>.
            </span>
            {apis.map(({ name, source }) => (
              <a href={call.at(source)}>{apiTitles[name]} as OpenAPI 3.1</a>
            ))}
          </p>
          <OperationIndex call={call} apis={apis} />
        </div>
      ),
    }
  },
})
