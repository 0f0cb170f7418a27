import { Chip, type Tone } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'
import type { Api, ApiName, Operation } from './document.ts'

/** What people call the two. */
export const apiTitles: Readonly<Record<ApiName, string>> = { service: 'The service', control: 'Control API' }

const tones: Readonly<Record<string, Tone>> = { GET: 'info', POST: 'good', PUT: 'warn', DELETE: 'bad' }

/** The verb of a request, before its path. */
export const Method = ({ method }: { method: string }) => <Chip tone={tones[method] ?? 'calm'}>{method}</Chip>

/**
 * Every operation of both, to be found by words. Each has its ID, so that `#createSending` leads to it.
 * @param props.current the operation that is shown beside
 */
export function Index(props: { call: PageCall; apis: readonly Api[]; current?: string }) {
  const { call, apis, current } = props
  return (
    <nav class="docs-index" aria-label="Operations">
      <label class="docs-field">
        <span>
          Find an operation <kbd>/</kbd>
        </span>
        {/* It is the script that looks. */}
        <input type="search" data-find disabled autocomplete="off" />
      </label>
      <p class="soft" role="status" data-found />
      {apis.map(({ name, groups }) => (
        <div data-group>
          <h2>{apiTitles[name]}</h2>
          {[...groups].map(([group, operations]) => (
            <div data-group>
              <h3>{group}</h3>
              <ul>
                {operations.map(operation => (
                  <Entry call={call} operation={operation} isCurrent={operation.operationId === current} />
                ))}
              </ul>
            </div>
          ))}
        </div>
      ))}
    </nav>
  )
}

function Entry(props: { call: PageCall; operation: Operation; isCurrent: boolean }) {
  const { call, operation, isCurrent } = props
  const { operationId: id, method, path, summary } = operation
  return (
    <li id={id} data-operation={`${id} ${method} ${path} ${summary}`.toLowerCase()}>
      <a href={call.at(`/docs/${id}`)} aria-current={isCurrent ? 'page' : undefined}>
        <Method method={method} /> <span class="docs-id">{id}</span> <span class="soft">{summary}</span>
      </a>
    </li>
  )
}
