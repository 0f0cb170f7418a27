import type { JSX } from 'hono/jsx'

type Choice = readonly [value: string, words: string]

/** A field to type in, with its label. Further attributes are those of the `input`. */
export const Field = ({ label, ...input }: { label: string } & JSX.IntrinsicElements['input']) => (
  <label>
    {label} <input autocomplete="off" {...input} />
  </label>
)

/**
 * A list to choose from, with its label.
 * @param props.none words for no choice; without them there is always one
 */
export const Select = (props: {
  label: string
  name: string
  options: readonly Choice[]
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
