import { z } from 'zod'
import { members } from '../../rig/control/shapes.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { latestVersion } from '../../service/mailings.ts'
import type { Mailing } from '../../store/rows.ts'
import { Empty, Live } from '../components/basics.tsx'
import { Time } from '../components/time.tsx'
import { type PageCall, page } from '../page.ts'
import { VersionChips } from './editor-version.tsx'

/** So many mailings stand on a page. */
const perPage = 50

const standings = {
  draft: 'draft only',
  approved: 'approved only',
  both: 'approved, with a draft',
} as const
type Standing = keyof typeof standings

const query = members({
  name: z.string().max(200, 'expected at most 200 characters').optional(),
  standing: z.enum(Object.keys(standings) as [Standing, ...Standing[]]).optional(),
  page: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'expected the number of a page, from 1')
    .transform(Number)
    .prefault('1'),
})

type Asked = z.output<typeof query>
type Call = PageCall<{ readonly space: string }, Asked>

/** The mailings of a space, the one that was modified last first. */
export default page('/spaces/{space}/mailings', {
  query,
  async show(call) {
    const rig = await call.rig()
    const found = matching(rig, call.query)
    const pages = Math.max(1, Math.ceil(found.length / perPage))
    const at = Math.min(call.query.page, pages)
    const shown = found.slice((at - 1) * perPage, at * perPage)
    return {
      title: 'Mailings',
      space: rig,
      tab: 'mailings',
      content: (
        <>
          <h1>Mailings</h1>
          <Filter call={call} rig={rig} />
          <Live id="mailings" on="mailing request reset">
            <p class="soft">
              {found.length === 1 ? '1 mailing' : `${found.length} mailings`}, the last modified first
            </p>
            {shown.length === 0 ? (
              <Nothing call={call} rig={rig} />
            ) : (
              <Rows call={call} rig={rig} mailings={shown} />
            )}
            {pages > 1 && <Pager call={call} rig={rig} at={at} pages={pages} />}
          </Live>
        </>
      ),
    }
  },
})

function matching({ space }: SpaceRig, { name, standing }: Asked): Mailing[] {
  const { mailings } = space.data.tables
  const positions = mailings.order('last modified first', (a, b) =>
    a.modificationDate < b.modificationDate ? 1 : a.modificationDate > b.modificationDate ? -1 : 0,
  )
  const part = name?.toLowerCase()
  return positions
    .map(position => mailings.at(position))
    .filter(
      mailing =>
        (standing === undefined || standingOf(mailing) === standing) &&
        (part === undefined || latestVersion(mailing).name.toLowerCase().includes(part)),
    )
}

const standingOf = ({ draft, approved }: Mailing): Standing =>
  draft && approved ? 'both' : draft ? 'draft' : 'approved'

const addressOf = (call: PageCall, rig: SpaceRig) => call.inSpace(rig.space.name, '/mailings')

function Filter({ call, rig }: { call: Call; rig: SpaceRig }) {
  const { name, standing } = call.query
  return (
    <search>
      <form method="get" action={addressOf(call, rig)} class="row mailings-filter" aria-label="Filter">
        <span class="field">
          <label for="name">Name has</label>
          <input id="name" name="name" type="search" value={name} maxlength={200} autocomplete="off" />
        </span>
        <span class="field">
          <label for="standing">Versions</label>
          <select id="standing" name="standing" autocomplete="off">
            <option value="">any</option>
            {Object.entries(standings).map(([value, words]) => (
              <option value={value} selected={value === standing}>
                {words}
              </option>
            ))}
          </select>
        </span>
        <button type="submit">Show</button>
      </form>
    </search>
  )
}

function Nothing({ call, rig }: { call: Call; rig: SpaceRig }) {
  const isFiltered = call.query.name !== undefined || call.query.standing !== undefined
  if (isFiltered)
    return (
      <Empty title="No mailing is like that">
        <p>
          <a href={addressOf(call, rig)}>Show all mailings</a>
        </p>
      </Empty>
    )
  return (
    <Empty title="There are no mailings in this space">
      <p>
        They come with the space's fixture, and with every synchronization that a client creates without one.
      </p>
    </Empty>
  )
}

function Rows({ call, rig, mailings }: { call: Call; rig: SpaceRig; mailings: readonly Mailing[] }) {
  const { synchronizationsOfMailing: synchronizations } = rig.space.data.tables
  const now = rig.clock.now()
  return (
    <section class="scroll" tabindex={0} aria-label="Mailings">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Versions</th>
            <th scope="col" class="number">
              Synchronizations
            </th>
            <th scope="col">Modified</th>
          </tr>
        </thead>
        <tbody>
          {mailings.map(mailing => (
            <tr id={`m-${mailing.id}`}>
              <td class="mailing-name leads">
                <a href={`${addressOf(call, rig)}/${encodeURIComponent(mailing.id)}`}>
                  {latestVersion(mailing).name}
                </a>
              </td>
              <td>
                <VersionChips mailing={mailing} />
              </td>
              <td class="number" data-unit="synchronizations">
                {synchronizations.count(mailing.id)}
              </td>
              <td>
                <Time at={mailing.modificationDate} now={now} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Pager({ call, rig, at, pages }: { call: Call; rig: SpaceRig; at: number; pages: number }) {
  const { name, standing } = call.query
  const address = (page: number) =>
    `${addressOf(call, rig)}?${new URLSearchParams({ ...(name && { name }), ...(standing && { standing }), page: String(page) })}`
  return (
    <nav class="row pager" aria-label="Pages">
      {at > 1 ? <a href={address(at - 1)}>Newer</a> : <span class="soft">Newer</span>}
      <span>
        Page {at} of {pages}
      </span>
      {at < pages ? <a href={address(at + 1)}>Older</a> : <span class="soft">Older</span>}
    </nav>
  )
}
