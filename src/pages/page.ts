import { jsx } from 'hono/jsx'
import type { z } from 'zod'
import type { RigView, SpaceView } from '../rig/space-view.ts'
import { problems } from '../service/problem.ts'
import { TitleVerdict } from './components/space-summary.tsx'
import { ShownFor } from './components/verdict-words.tsx'
import { type PageCall, type PageContent, type TabName, tabs } from './page-call.ts'

export interface Page<Query extends z.ZodType = z.ZodType> {
  /** A parameter without a value is ignored. A strict schema refuses unknown parameters. */
  readonly query?: Query
  /** @throws Problem, which is rendered as a page */
  show(call: PageCall<z.output<Query>>): PageContent | Response | Promise<PageContent | Response>
}

/** A row of a space that an address names. @throws Problem 404 */
export function findRow<Row>({ space }: SpaceView, what: string, row: Row | undefined, id: string): Row {
  if (row) return row
  throw problems.notFound(
    `${what} ${JSON.stringify(id.slice(0, 60))} in space "${space.name}"; a reset may have taken it back`,
  )
}

/** Defines a page. The function's query has the type of the schema. */
export const page = <Query extends z.ZodType = z.ZodUndefined>(spec: Page<Query>): Page =>
  spec as unknown as Page

type SpaceContent = Omit<Partial<PageContent>, 'space' | 'tab'>

/**
 * Defines a page of a space. Before it is shown, the platform does what is due by now.
 * @param tab to which it belongs; its label is the title and the heading by default, with the verdict beside it. Pages
 * that the service links to have titles of their own: INDETERMINATE_FAILURE hides from them what was sent.
 */
export const spacePage = <Query extends z.ZodType = z.ZodUndefined>(
  tab: TabName,
  spec: {
    readonly query?: Query
    show(call: PageCall<z.output<Query>>, rig: RigView): SpaceContent | Promise<SpaceContent>
  },
): Page =>
  page({
    ...spec,
    async show(call) {
      const rig = await call.rig()
      await rig.reader.prepare(rig.journal.entries())
      await rig.advancePlatform()
      const shown = await spec.show(call, rig)
      const title = tabs.find(([name]) => name === tab)![1]
      const heading = [jsx('h1', {}, title), tab !== 'verdict' && jsx(TitleVerdict, { call, rig })]
      const content =
        shown.title === undefined ? [jsx('div', { class: 'flow' }, ...heading), shown.content] : shown.content
      return { title, ...shown, content: [jsx(ShownFor, { call, rig }), content], space: rig, tab }
    },
  })
