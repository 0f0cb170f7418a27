import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { Field } from './elements.tsx'

/** The number of a page in an address. */
export const pageNumber = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'expected the number of a page, from 1')
  .transform(Number)
  .prefault('1')

/** The keys of a table as the choices of a parameter. */
export const keysOf = <Key extends string>(of: Record<Key, unknown>) => Object.keys(of) as [Key, ...Key[]]

/**
 * One page of a list: the last one if a later one was asked for.
 * @returns its number `at`, from 1, and the position `from` of the first shown item, from 0
 */
export function pageOf<Item>(items: readonly Item[], page: number, perPage: number) {
  const pages = Math.max(1, Math.ceil(items.length / perPage))
  const at = Math.min(page, pages)
  const from = (at - 1) * perPage
  return { shown: items.slice(from, from + perPage), at, pages, from }
}

/** Links to the pages before and after; nothing when there is only one. */
export function Pager(props: {
  list: { readonly at: number; readonly pages: number }
  address: (page: number) => string
  label?: string
  back?: string
  further?: string
}) {
  const { list, address, label = 'Pages', back = 'Newer', further = 'Older' } = props
  const { at, pages } = list
  if (pages === 1) return null
  return (
    <nav class="row" aria-label={label}>
      {at > 1 ? <a href={address(at - 1)}>{back}</a> : <span class="soft">{back}</span>}
      <span>
        Page {at} of {pages}
      </span>
      {at < pages ? <a href={address(at + 1)}>{further}</a> : <span class="soft">{further}</span>}
    </nav>
  )
}

/**
 * Links that show one kind of the items of a list, each with its count.
 * @param props.kinds key, count and words; the key undefined shows all
 * @param props.chosen the key that is shown; null for none of them
 */
export function KindLinks<Kind extends string>(props: {
  label: string
  kinds: readonly (readonly [kind: Kind | undefined, count: number, words: string])[]
  chosen: Kind | undefined | null
  address: (kind: Kind | undefined) => string
  children?: Child
}) {
  const { label, kinds, chosen, address, children } = props
  return (
    <nav class="flow kind-links" aria-label={label}>
      {kinds.map(([kind, count, words]) => (
        <a href={address(kind)} aria-current={kind === chosen ? 'true' : undefined}>
          {kind === undefined ? `${words} ${count}` : `${count} ${words}`}
        </a>
      ))}
      {children}
    </nav>
  )
}

/**
 * A query string with its question mark; empty without parameters.
 * @param values undefined ones are left out
 * @param defaults values that are left out
 */
export function toQueryString(values: object, defaults: Readonly<Record<string, unknown>> = {}): string {
  const pairs = Object.entries(values).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === '' || value === defaults[name] ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/**
 * A form that filters the part of the page with the ID `target` while the user types. The address contains the filter,
 * so it can be shared.
 * @param props.label its first word is that of the button
 * @param props.history whether each change replaces the address, or "back" undoes it
 */
export function FilterForm(props: {
  action: string
  target: string
  label: string
  history: 'push' | 'replace'
  /** Address of the whole list, for a link to it. */
  clear?: string | undefined
  /** Query string with the parameters of the address that the form keeps. */
  kept?: string
  children?: Child
}) {
  const { action, target, label, history, clear, kept, children } = props
  return (
    <search aria-label={label}>
      <form
        class="filter"
        action={action}
        hx-get={action}
        hx-target={`#${target}`}
        hx-select={`#${target}`}
        hx-swap="outerMorph"
        hx-replace-url={history === 'replace' ? 'true' : undefined}
        hx-push-url={history === 'push' ? 'true' : undefined}
        hx-trigger="input delay:250ms, submit"
      >
        {children}
        <button type="submit">{label.split(' ')[0]}</button>
        {clear && (
          <a class="clear" href={clear}>
            Clear
          </a>
        )}
        {[...new URLSearchParams(kept)].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
      </form>
    </search>
  )
}

/** The field that a list is searched with; the key `/` leads to it. */
export const SearchField = (input: Parameters<typeof Field>[0]) => (
  <Field maxlength={200} aria-keyshortcuts="/" spellcheck={false} {...input} />
)

/** A field for a transaction ID or its beginning, wherever it is searched for. */
export const TransactionField = ({ value }: { value: string | undefined }) => (
  <SearchField
    label="Transaction ID"
    name="transactionId"
    value={value}
    placeholder="start*"
    title="The whole ID, or its beginning and *"
  />
)

/** Finds a transaction in a list. The form keeps the other parameters of its address, except for `defaults`. */
export function TransactionSearch(props: {
  action: string
  target: string
  query: { readonly transactionId?: string | undefined }
  defaults: Readonly<Record<string, unknown>>
}) {
  const { query, defaults, ...form } = props
  const begun = { ...query, transactionId: undefined, request: undefined, page: undefined }
  return (
    <FilterForm {...form} label="Find a transaction" history="replace" kept={toQueryString(begun, defaults)}>
      <TransactionField value={query.transactionId} />
    </FilterForm>
  )
}
