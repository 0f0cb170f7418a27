import { createHash } from 'node:crypto'
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { members } from '../control/schemas.ts'
import type { SpaceView } from '../rig/space-view.ts'
import { latestVersion } from '../service/mailings.ts'
import { renderVersion } from '../service/previews-and-tests.ts'
import { problems } from '../service/problem.ts'
import { unlessRemoved } from '../store/removal.ts'
import type { List, Mailing, Synchronization, TestProfile } from '../store/rows.ts'
import { Chip } from './components/chips.tsx'
import { Empty, Facts } from './components/elements.tsx'
import { FilterForm } from './components/listing.tsx'
import { findRow } from './page.ts'

/** The recipient of a preview: a test profile of one of the mailing's lists (spec 4.7 and 4.8). */
export interface Reader {
  /** In addresses: the IDs of list and profile, since the latter is unique within a list only. */
  readonly name: string
  readonly profile: TestProfile
}

/** The name of a mailing's latest version, for a link or a heading: a client may have given it one of blanks. */
export const mailingName = (mailing: Mailing): string => latestVersion(mailing).name.trim() || '(no name)'

/** The synchronizations of a mailing. @param most how many at most */
export function synchronizationsOf({ space }: SpaceView, { id }: Mailing, most: number): Synchronization[] {
  const { synchronizations, synchronizationsOfMailing: index } = space.data.tables
  const length = Math.min(index.count(id), most)
  return Array.from({ length }, (_, n) => synchronizations.at(index.nth(id, n)!))
}

/** The lists of a mailing's first 200 synchronizations, without repetition. */
function listsOf(rig: SpaceView, mailing: Mailing): List[] {
  const { lists } = rig.space.data.tables
  return [...new Set(synchronizationsOf(rig, mailing, 200).map(({ listId }) => lists.get(listId)!))]
}

const readersOf = (list: List): Reader[] =>
  list.testProfiles.map(profile => ({ name: `${list.id}-${profile.id}`, profile }))

/** The reader with that name; undefined without a name. @throws Problem 404 */
export function findReader(rig: SpaceView, mailing: Mailing, name: string | undefined): Reader | undefined {
  if (name === undefined) return undefined
  const found = listsOf(rig, mailing)
    .flatMap(readersOf)
    .find(it => it.name === name)
  if (found) return found
  throw problems.notFound(`test profile ${name} of a list that mailing ${mailing.id} goes to`)
}

/** An address with the reader as a parameter, if there is one. */
export function withReader(href: string, reader: Reader | undefined, more: Record<string, string> = {}) {
  const query = new URLSearchParams({ ...(reader && { for: reader.name }), ...more })
  return query.size === 0 ? href : `${href}?${query}`
}

interface PreviewBarProps {
  readonly rig: SpaceView
  readonly mailing: Mailing
  readonly reader: Reader | undefined
  /** Of the page that has the bar. */
  readonly href: string
}

const switches = [
  ['Part of the mailing', 'part', { html: 'HTML', text: 'Text' }],
  ['Width of the preview', 'width', { wide: 'Wide', narrow: 'Narrow' }],
] as const

/** Chooses for whom and how previews are shown. The style sheet reads the switches; no script is needed. */
export const PreviewBar = (props: PreviewBarProps) => (
  <div class="row between editor-bar">
    <ReaderChoice {...props} />
    {switches.map(([legend, name, choices]) => (
      <fieldset class="switch">
        <legend class="unseen">{legend}</legend>
        {Object.entries(choices).map(([value, words], at) => (
          <label>
            <input type="radio" name={name} value={value} checked={at === 0} autocomplete="off" /> {
              words
            }{' '}
          </label>
        ))}
      </fieldset>
    ))}
  </div>
)

/** Selects the test profile for previews. They change at once; without scripts there is a button. */
function ReaderChoice({ rig, mailing, reader, href }: PreviewBarProps) {
  const lists = listsOf(rig, mailing).filter(({ testProfiles }) => testProfiles.length > 0)
  if (lists.length === 0)
    return (
      <p class="soft">
        No list that this mailing goes to has a test profile: placeholders show their own text.
      </p>
    )
  return (
    <FilterForm action={href} target="versions" label="Show the previews for a reader" history="push">
      <label for="reader">Preview for</label>
      <select id="reader" name="for" autocomplete="off">
        <option value="">no profile</option>
        {lists.map(list => (
          <optgroup label={list.name}>
            {readersOf(list).map(it => (
              <option value={it.name} selected={it.name === reader?.name}>
                {it.profile.description}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </FilterForm>
  )
}

export const VersionChip = ({ kind, number }: { kind: VersionKind; number: number }) => (
  <Chip tone={kind === 'draft' ? 'warn' : 'good'}>{`${kind} ${number}`}</Chip>
)

export const VersionChips = ({ mailing }: { mailing: Mailing }) => (
  <span class="row">
    {mailing.approved && <VersionChip kind="approved" number={mailing.approved.number} />}
    {mailing.draft && <VersionChip kind="draft" number={mailing.draft.number} />}
  </span>
)

/**
 * A version as its reader would receive it: subject, HTML part in a frame, text part.
 * @param props.href of the page that shows this version alone
 * @param props.children shown when there is no such version
 */
export function VersionPreview(props: {
  mailing: Mailing
  kind: VersionKind
  reader: Reader | undefined
  href: string
  isAlone?: boolean
  children?: Child
}) {
  const { mailing, kind, reader, href, isAlone, children } = props
  const version = mailing[kind]
  const name = kind === 'draft' ? 'Draft' : 'Approved version'
  if (!version)
    return (
      <section id={`version-${kind}`} class="version card" aria-label={name}>
        <h2>{name}</h2>
        {children}
      </section>
    )
  const { subject, htmlContent, textContent } = renderVersion(version, reader?.profile)
  // With a digest of the content, so that the frame reloads only after a change.
  const content = createHash('sha256').update(htmlContent).digest('base64url').slice(0, 12)
  return (
    <section id={`version-${kind}`} class="version card" aria-label={name}>
      {!isAlone && (
        <header class="row between">
          <h2>
            <a href={withReader(href, reader)}>{name}</a>
          </h2>
          <VersionChip kind={kind} number={version.number} />
        </header>
      )}
      <Facts
        rows={[
          ['Name', version.name],
          ['Subject', subject ? <strong>{subject}</strong> : <span class="soft">none</span>],
        ]}
      />
      <div class="part-html">
        {htmlContent === '' ? (
          <Empty title="No HTML part" />
        ) : (
          <iframe
            sandbox=""
            title={`HTML part of the ${kind} version`}
            class="preview"
            src={withReader(`${href}/html`, reader, { content })}
          />
        )}
      </div>
      <div class="part-text">
        {textContent === '' ? (
          <Empty title="No text part" />
        ) : (
          <section class="text" tabindex={0} aria-label={`Text part of the ${kind} version`}>
            <pre>{textContent}</pre>
          </section>
        )}
      </div>
    </section>
  )
}

/** Which version a page shows. */
type VersionKind = 'draft' | 'approved'

const readerName = z
  .string()
  .regex(/^\d{1,16}-\d{1,16}$/, 'expected the ID of a list and that of its test profile, such as 1001-7001')

/** The reader of the previews, on the pages of a mailing and of its versions. */
export const previewQuery = members({ for: readerName.optional() })

/** @throws Problem 404 */
export const findMailing = (rig: SpaceView, id: string): Mailing =>
  findRow(rig, 'mailing', unlessRemoved(rig.space.data.tables.mailings.get(id)), id)
