import type { ListQuery } from '../../rig/control/requests-found.ts'
import { operationIds } from '../../service/operations.ts'

const fates = [
  ['handed', 'left whole'],
  ['open', 'still open'],
  ['cut', 'cut on its way'],
  ['none', 'withheld'],
  ['aborted', 'client left'],
  ['server-stopped', 'mock stopped'],
] as const

const statuses = ['200', '201', '2xx', '4xx', '400', '401', '403', '404', '409', '5xx', '500', '503']

/**
 * Narrows the list below it as somebody types; the address says how, so it can be kept and shared. It is replaced, not
 * added to the browser's history: nobody wants to go back letter by letter.
 */
export function RequestFilter({ action, query }: { action: string; query: ListQuery }) {
  const { operation, status, transactionId, delivered, scenario } = query
  const isNarrowed = Boolean(operation ?? status ?? transactionId ?? delivered ?? scenario)
  return (
    <search aria-label="Filter requests">
      <form
        class="filter"
        action={action}
        hx-get={action}
        hx-target="#requests"
        hx-select="#requests"
        hx-swap="outerMorph"
        hx-replace-url="true"
        hx-trigger="input delay:250ms, submit"
      >
        <label>
          Operation
          <select name="operation">
            <option value="">any</option>
            {operationIds.map(id => (
              <option value={id} selected={id === operation}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <label>
          Status
          <input
            name="status"
            value={status}
            list="statuses"
            size={6}
            placeholder="5xx"
            pattern="[1-5](\d\d|xx)"
            title="A status such as 201, or a class such as 5xx"
          />
        </label>
        <datalist id="statuses">
          {statuses.map(it => (
            <option value={it} />
          ))}
        </datalist>
        <label>
          Answer
          <select name="delivered">
            <option value="">any</option>
            {fates.map(([value, words]) => (
              <option value={value} selected={value === delivered}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <label>
          Transaction ID
          <input
            name="transactionId"
            value={transactionId}
            maxlength={200}
            placeholder="whole, or start*"
            spellcheck={false}
          />
        </label>
        <div class="filter-end">
          <label>
            Scenario
            <input name="scenario" value={scenario} maxlength={200} size={12} spellcheck={false} />
          </label>
          <button type="submit">Filter</button>
          {isNarrowed && (
            <a class="clear" href={action}>
              Clear
            </a>
          )}
        </div>
      </form>
    </search>
  )
}
