import { z } from 'zod'
import { members } from '../control/schemas.ts'
import type { SpaceView } from '../rig/space-view.ts'
import { countNoun } from '../rig/words.ts'
import { latestVersion } from '../service/mailings.ts'
import type { Mailing } from '../store/rows.ts'
import { Empty, Live, NoneAlike, Select } from './components/elements.tsx'
import {
  FilterForm,
  keysOf,
  Pager,
  pageNumber,
  pageOf,
  SearchField,
  toQueryString,
} from './components/listing.tsx'
import { Table } from './components/table.tsx'
import { Time } from './components/times.tsx'
import { mailingName, VersionChips } from './mailing-versions.tsx'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'

const perPage = 50

const versionStates = {
  draft: 'draft only',
  approved: 'approved only',
  both: 'approved, with a draft',
} as const

const query = members({
  name: z.string().max(200, 'expected at most 200 characters').optional(),
  standing: z.enum(keysOf(versionStates)).optional(),
  page: pageNumber,
})

type MailingsQuery = z.output<typeof query>

/** The mailings of a space, last modified first. */
export default spacePage('mailings', {
  query,
  show(call, rig) {
    const { name, standing, page } = call.query
    const action = call.here('/mailings')
    const found = matchingMailings(rig, call.query)
    const list = pageOf(found, page, perPage)
    const versions = Object.entries(versionStates)
    const isNarrowed = name !== undefined || standing !== undefined
    return {
      content: (
        <>
          <FilterForm action={action} target="mailings" label="Filter" history="push">
            <SearchField label="Name has" name="name" type="search" value={name} />
            <Select label="Versions" name="standing" options={versions} chosen={standing} none="any" />
          </FilterForm>
          <Live id="mailings" on="mailing request reset">
            <p class="soft">{countNoun(found.length, 'mailing')}, the last modified first</p>
            {found.length > 0 && <Rows call={call} rig={rig} mailings={list.shown} />}
            {found.length === 0 && isNarrowed && <NoneAlike what="No mailing" all={action} />}
            {found.length === 0 && !isNarrowed && (
              <Empty title="There are no mailings in this space">
                <p>
                  They come with the space's fixture, and with every synchronization that a client creates
                  without one.
                </p>
              </Empty>
            )}
            <Pager list={list} address={page => action + toQueryString({ ...call.query, page })} />
          </Live>
        </>
      ),
    }
  },
})

function matchingMailings({ space }: SpaceView, { name, standing }: MailingsQuery): Mailing[] {
  const { mailings } = space.data.tables
  const positions = mailings.order('last modified first', (a, b) =>
    a.modificationDate < b.modificationDate ? 1 : a.modificationDate > b.modificationDate ? -1 : 0,
  )
  const part = name?.toLowerCase() ?? ''
  return positions
    .map(position => mailings.at(position))
    .filter(it => it.removedAt === undefined)
    .filter(it => standing === undefined || versionStateOf(it) === standing)
    .filter(it => latestVersion(it).name.toLowerCase().includes(part))
}

const versionStateOf = ({ draft, approved }: Mailing): keyof typeof versionStates =>
  draft && approved ? 'both' : draft ? 'draft' : 'approved'

function Rows({ call, rig, mailings }: SpaceProps & { mailings: readonly Mailing[] }) {
  const { synchronizationsOfMailing: synchronizations } = rig.space.data.tables
  const now = rig.clock.now()
  return (
    <section class="scroll" tabindex={0} aria-label="Mailings">
      <Table
        rows={mailings}
        id={({ id }) => `m-${id}`}
        columns={[
          {
            title: 'Name',
            class: 'mailing-name leads',
            cell: mailing => <a href={call.here('/mailings', mailing.id)}>{mailingName(mailing)}</a>,
          },
          { title: 'Versions', cell: mailing => <VersionChips mailing={mailing} /> },
          {
            title: 'Synchronizations',
            class: 'number',
            after: 'synchronizations',
            cell: ({ id }) => synchronizations.count(id),
          },
          { title: 'Modified', cell: ({ modificationDate: at }) => <Time at={at} now={now} /> },
        ]}
      />
    </section>
  )
}
