import type { Child } from 'hono/jsx'

/** A column of a table: its heading, and the cell of a row. */
interface Column<Row> {
  readonly title: string
  /** Address of the list in the order of this column. */
  readonly order?: string
  /** How the rows are ordered now by this column, if they are. */
  readonly direction?: 'ascending' | 'descending' | undefined
  readonly cell: (row: Row) => Child
  /** Of the heading and of the cells. */
  readonly class?: string
  /** Words around the value where a narrow window hides the headings. */
  readonly before?: string
  readonly after?: string
}

/**
 * A table that narrow windows show as a block for each row.
 * @param props.id of a row, unique on the page and the same in every rendering
 * @param props.rowClass class of a row, if any
 */
export function Table<Row>(props: {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  id: (row: Row) => string
  class?: string
  rowClass?: (row: Row) => string | undefined
}) {
  const { columns, rows, id, class: name, rowClass } = props
  return (
    <table class={name ? `stacked ${name}` : 'stacked'}>
      <thead>
        <tr>
          {columns.map(column => (
            <th scope="col" class={column.class} aria-sort={column.direction}>
              {column.order ? <a href={column.order}>{column.title}</a> : column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row => (
          <tr id={id(row)} class={rowClass?.(row)}>
            {columns.map(({ class: name, before, after, cell }) => (
              <td class={name} data-before={before} data-after={after}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
