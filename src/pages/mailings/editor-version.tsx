import { createHash } from 'node:crypto'
import type { Child } from 'hono/jsx'
import { rendered } from '../../service/preview.ts'
import type { Mailing } from '../../store/rows.ts'
import { Empty } from '../components/basics.tsx'
import { Chip } from '../components/chips.tsx'
import type { VersionKind } from './editor-lookup.ts'
import { forReader, type Reader } from './editor-profiles.tsx'

const titles: Record<VersionKind, string> = { draft: 'Draft', approved: 'Approved version' }

export const VersionChip = ({ kind, number }: { kind: VersionKind; number: number }) => (
  <Chip tone={kind === 'draft' ? 'warn' : 'good'}>{`${kind} ${number}`}</Chip>
)

/** How a mailing stands, in chips. */
export const VersionChips = ({ mailing }: { mailing: Mailing }) => (
  <span class="chips">
    {mailing.approved && <VersionChip kind="approved" number={mailing.approved.number} />}
    {mailing.draft && <VersionChip kind="draft" number={mailing.draft.number} />}
  </span>
)

/** Which part of previews is shown, and how wide. The style sheet reads what is chosen; no script is needed. */
export function PreviewSwitches() {
  return (
    <>
      <fieldset class="switch">
        <legend class="unseen">Part of the mailing</legend>
        <Choice name="part" value="html" checked>
          HTML
        </Choice>
        <Choice name="part" value="text">
          Text
        </Choice>
      </fieldset>
      <fieldset class="switch switch-width">
        <legend class="unseen">Width of the preview</legend>
        <Choice name="width" value="wide" checked>
          Wide
        </Choice>
        <Choice name="width" value="narrow">
          Narrow
        </Choice>
      </fieldset>
    </>
  )
}

function Choice(props: { name: string; value: string; checked?: boolean; children: string }) {
  const { name, value, checked, children } = props
  return (
    <label>
      <input type="radio" name={name} value={value} checked={checked} autocomplete="off" />
      <span>{children}</span>
    </label>
  )
}

/**
 * A version as its reader would get it: subject, HTML part in a frame of its own, text part.
 * @param props.href of the page that shows this version alone
 * @param props.children what stands where there is no such version
 */
export function VersionPreview(props: {
  mailing: Mailing
  kind: VersionKind
  reader: Reader | undefined
  href: string
  isAlone?: boolean
  children?: Child
}) {
  const { mailing, kind, reader, href, isAlone = false, children } = props
  const version = mailing[kind]
  const name = titles[kind]
  if (!version)
    return (
      <section id={`version-${kind}`} class="version card" aria-label={name}>
        <h2>{name}</h2>
        {children}
      </section>
    )
  const { subject, htmlContent, textContent } = rendered(version, reader?.profile)
  return (
    <section id={`version-${kind}`} class="version card" aria-label={name}>
      {!isAlone && (
        <header class="row">
          <h2>
            <a href={forReader(href, reader)}>{name}</a>
          </h2>
          <VersionChip kind={kind} number={version.number} />
        </header>
      )}
      <dl class="facts">
        <div>
          <dt>Name</dt>
          <dd>{version.name}</dd>
        </div>
        <div>
          <dt>Subject</dt>
          <dd class="subject">{subject || <span class="soft">none</span>}</dd>
        </div>
      </dl>
      <div class="part part-html">
        {htmlContent === '' ? (
          <Empty title="No HTML part" />
        ) : (
          <iframe
            sandbox=""
            title={`HTML part of the ${kind} version`}
            class="preview"
            src={frameAddress(href, reader, htmlContent)}
          />
        )}
      </div>
      <div class="part part-text">
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

/** Another address whenever the content is another one: a frame loads anew then, and only then. */
function frameAddress(href: string, reader: Reader | undefined, content: string): string {
  const digest = createHash('sha256').update(content).digest('base64url').slice(0, 12)
  return forReader(`${href}/html`, reader, { content: digest })
}
