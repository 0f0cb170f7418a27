import { z } from 'zod'
import { members } from '../control/schemas.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { latestVersion } from '../service/mailings.ts'
import type { Mailing } from '../store/rows.ts'
import { Empty, Live } from './components/elements.tsx'
import { Options, Pager, pageNumber, pageOf, toQueryString } from './components/listing.tsx'
import { Time } from './components/times.tsx'
import { VersionChips } from './mailing-versions.tsx'
import { type PageCall, page } from './page.ts'

/** Mailings on one page. */
const perPage = 50

const versionStates = {
  draft: 'draft only',
  approved: 'approved only',
  both: 'approved, with a draft',
} as const
type VersionState = keyof typeof versionStates

const query = members({
  name: z.string().max(200, 'expected at most 200 characters').optional(),
  standing: z.enum(Object.keys(versionStates) as [VersionState, ...VersionState[]]).optional(),
  page: pageNumber,
})

type MailingsQuery = z.output<typeof query>
type Call = PageCall<MailingsQuery>

/** The mailings of a space, last modified first. */
export default page({
  query,
  async show(call) {
    const rig = await call.rig()
    const found = matchingMailings(rig, call.query)
    const list = pageOf(found, call.query.page, perPage)
    const address = (page: number) => addressOf(call, rig) + toQueryString({ ...call.query, page })
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
            {found.length === 0 ? (
              <Nothing call={call} rig={rig} />
            ) : (
              <Rows call={call} rig={rig} mailings={list.shown} />
            )}
            <Pager list={list} address={address} />
          </Live>
        </>
      ),
    }
  },
})

function matchingMailings({ space }: SpaceRig, { name, standing }: MailingsQuery): Mailing[] {
  const { mailings } = space.data.tables
  const positions = mailings.order('last modified first', (a, b) =>
    a.modificationDate < b.modificationDate ? 1 : a.modificationDate > b.modificationDate ? -1 : 0,
  )
  const part = name?.toLowerCase()
  return positions
    .map(position => mailings.at(position))
    .filter(
      mailing =>
        (standing === undefined || versionStateOf(mailing) === standing) &&
        (part === undefined || latestVersion(mailing).name.toLowerCase().includes(part)),
    )
}

const versionStateOf = ({ draft, approved }: Mailing): VersionState =>
  draft && approved ? 'both' : draft ? 'draft' : 'approved'

const addressOf = (call: PageCall, rig: SpaceRig) => call.inSpace(rig.space.name, '/mailings')

function Filter({ call, rig }: { call: Call; rig: SpaceRig }) {
  const { name, standing } = call.query
  return (
    <search>
      <form method="get" action={addressOf(call, rig)} class="filter" aria-label="Filter">
        <label>
          Name has
          <input name="name" type="search" value={name} maxlength={200} autocomplete="off" />
        </label>
        <label>
          Versions
          <select name="standing" autocomplete="off">
            <Options options={Object.entries(versionStates)} chosen={standing} />
          </select>
        </label>
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
              <td class="number" data-after="synchronizations">
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
