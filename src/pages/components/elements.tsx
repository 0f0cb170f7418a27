import type { Child, JSX } from 'hono/jsx'
import { shorten, shortenId } from '../../store/validation-messages.ts'

const CopyIcon = () => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 5.5v-2a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h2" />
  </svg>
)

/** Copies a text; the page's scripts do the copying. */
export function CopyButton({ text, label, words }: { text: string; label: string; words?: string }) {
  return (
    <button type="button" class="copy" data-copy={text} aria-label={label} title={label}>
      {words ?? <CopyIcon />}
    </button>
  )
}

const uuid = /\b([\da-f]{4})[\da-f]{4}(?:-[\da-f]{4}){3}-[\da-f]{8}([\da-f]{4})\b/gi

/** A text with its UUIDs cut in their middle. */
export const shortenUuids = (text: string): string => text.replaceAll(uuid, '$1…$2')

/** An ID of a client, of any length: cut in its middle. */
export const LongId = ({ id }: { id: string }) => (
  <code class="clamp" title={id}>
    {shortenId(id, 80, '…')}
  </code>
)

/** Characters at the end of a short ID that a narrow column keeps. */
const endLength = 9

function ShortId({ id }: { id: string }) {
  const shown = shortenId(shortenUuids(id), 100, '…')
  const start = shown.slice(0, -endLength)
  // A start as short as its dots would be is not cut.
  if (start.length < 4) return <code>{shown}</code>
  return (
    <code>
      <span class="id-start">{start}</span>
      {shown.slice(-endLength)}
    </code>
  )
}

/** A name that breaks between its words, also between those of camelCase. */
export const Name = ({ name }: { name: string }) =>
  name.split(/(?<=[.\-_:+/@])(?=[^.\-_:+/@])|(?<=\p{Ll})(?=\p{Lu})/u).map((part, at) => (
    <>
      {at > 0 && <wbr />}
      {part}
    </>
  ))

/** An identifier with a copy button. @param props.isShort whether it is cut in its middle where it has no room */
export const Id = ({ id, label = 'ID', isShort }: { id: string; label?: string; isShort?: true }) => (
  <span class="id" title={isShort ? id : undefined}>
    {isShort ? <ShortId id={id} /> : <code>{id}</code>}
    <CopyButton text={id} label={`Copy ${label}`} />
  </span>
)

/** The User-Agent of a client, of any length. */
export const ClientName = ({ name }: { name: string }) => <bdi title={name}>{shorten(name, 60, '…')}</bdi>

/** A name or an ID that leads somewhere. */
export const CodeLink = ({ href, children }: { href: string; children?: Child }) => (
  <a href={href}>
    <code>{children}</code>
  </a>
)

/** Names with their values. A row without a value shows a dash; false rows are left out. */
export function Facts({ rows }: { rows: readonly (readonly [string, Child] | false)[] }) {
  return (
    <dl class="facts">
      {rows.map(
        row =>
          row && (
            <div>
              <dt>{row[0]}</dt>
              <dd>{row[1] ?? '–'}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

/** Shown in place of an empty list, with what to do next. */
export function Empty({ title, children }: { title: string; children?: Child }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children}
    </div>
  )
}

/** Shown in place of a list of which nothing matches. @param props.what such as "No sending" @param props.all of the list */
export const NoneAlike = ({ what, all }: { what: string; all: string }) => (
  <Empty title={`${what} is like that`}>
    <p>
      <a href={all}>Show all</a>
    </p>
  </Empty>
)

/** A part of a page in a frame, with a heading. @param props.id of the heading */
export const Card = ({ id, title, children }: { id: string; title: Child; children?: Child }) => (
  <section class="card" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    {children}
  </section>
)

/** A command or other text to copy. Its lines break at blanks, and not at the hyphens of an option or a URL. */
export function Snippet({ text, label }: { text: string; label: string }) {
  return (
    <div class="snippet">
      <pre>
        <code>
          {text
            .split(/(\S*-\S*)/)
            .map((part, at) => (at % 2 === 1 ? <span class="word">{part}</span> : part))}
        </code>
      </pre>
      <CopyButton text={text} label={label} words="Copy" />
    </div>
  )
}

/**
 * A part of a page that is reloaded after events.
 * @param props.id unique on the page, and the same in every rendering
 * @param props.on events that may change it, of `request`, `clock`, `scenario`, `mailing` and `reset`
 * @param props.grows whether it also changes without an event, such as with the running clock
 */
export function Live(props: { id: string; on: string; class?: string; grows?: boolean; children?: Child }) {
  const { id, on, class: name, grows, children } = props
  return (
    <div id={id} class={name} data-live={on} data-grows={grows}>
      {children}
    </div>
  )
}

/** A sentence with quoted texts of clients. Each is isolated, so that right-to-left text does not reorder the rest. */
export const Quoted = ({ text }: { text: string }) => (
  <>{text.split(/("(?:[^"\\]|\\.)*")/).map((part, at) => (at % 2 === 1 ? <bdi>{part}</bdi> : part))}</>
)

/** A field to type in, with its label. Further attributes are those of the `input`. */
export const Field = ({ label, ...input }: { label: string } & JSX.IntrinsicElements['input']) => (
  <label>
    {label} <input autocomplete="off" {...input} />
  </label>
)

/** A list to choose from, with its label. @param props.none words for no choice; without them there is always one */
export const Select = (props: {
  label: string
  name: string
  options: readonly (readonly [value: string, words: string])[]
  chosen?: string | undefined
  none?: string
}) => (
  <label>
    {props.label}{' '}
    <select name={props.name} autocomplete="off">
      {props.none !== undefined && <option value="">{props.none}</option>}
      {props.options.map(([value, words]) => (
        <option value={value} selected={value === props.chosen}>
          {words}
        </option>
      ))}
    </select>
  </label>
)
