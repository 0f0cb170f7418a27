import { html, raw } from 'hono/html'
import type { OpenedFile } from '../control/tools.ts'
import type { RigView } from '../rig/space-view.ts'
import { disturbanceMarks } from './components/chips.tsx'
import { PartLinks, parts } from './components/part-links.tsx'
import { SpaceTime } from './components/times.tsx'
import { type PageCall, type PageContent, type SpaceProps, type TabName, tabs } from './page-call.ts'
import { pageHeaders } from './page-headers.ts'
import { linkReferences } from './references.ts'

/** The head of every page of a space: name, clock and tabs. */
function SpaceHead({ call, rig, tab }: SpaceProps & { tab: TabName | undefined }) {
  const { name } = rig.space
  return (
    <section class="flow space-head" aria-label={`Space ${name}`}>
      <p class="space-name">
        <span class="soft">Space</span> <strong>{name}</strong>
      </p>
      <SpaceTime
        rig={rig}
        href={call.hasCalls ? call.inSpace(name, '/clock') : undefined}
        isAsTold={call.isLinkedByService}
        isStill={call.tools.opened !== undefined}
      />
      {/* The name of a scenario may tell what the service must not. */}
      {call.hasCalls && (
        <>
          {!call.isLinkedByService && (
            <p id="space-scenario" class="space-scenario" data-live="request scenario reset">
              <ActiveDisturbances rig={rig} href={call.inSpace(name, '/scenario')} />
            </p>
          )}
          <nav class="tabs" aria-label={`Pages of space ${name}`}>
            {tabs.map(([id, words, rest]) => (
              <a href={call.judged(rest)} aria-current={id === tab ? 'page' : undefined}>
                {words}
              </a>
            ))}
          </nav>
        </>
      )}
    </section>
  )
}

/** What disturbs requests; in grey, what did so or did so for single requests only. */
function ActiveDisturbances({ rig, href }: { rig: RigView; href: string }) {
  const marks = disturbanceMarks(rig)
  const isDisturbed = marks.some(({ tone }) => tone === 'warn')
  return (
    <>
      {(isDisturbed || marks.length === 0) && (
        <span class="soft">{isDisturbed ? 'disturbed by' : 'undisturbed'}</span>
      )}
      {marks.map(({ tone, words, title }) => [
        ' ',
        <a class={`chip ${tone}`} href={href} title={title}>
          {words}
        </a>,
      ])}
    </>
  )
}

/** No inline style, no eval; an error response does not replace the content. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  history: 'reload',
  noSwap: [204, 304, '4xx', '5xx'],
  // What the user has opened stays open.
  morphIgnore: ['data-htmx-powered', 'open', 'data-kept'],
})

/** The HTML document around every page. The template escapes values. @param digest of the assets, in their addresses */
export async function renderDocument(call: PageCall, shown: PageContent, digest: string): Promise<Response> {
  const { title, status = 200, space, events, scripts = [], policy } = shown
  const asset = (name: string) => call.at(`/assets/${digest}/${name}`)
  const where = space ? `${title} · ${space.space.name}` : title
  // Without control calls there is no event stream either.
  const ofSpace = space && call.hasCalls ? call.inSpace(space.space.name, '/events') : undefined
  // In a capsule nothing happens.
  const source = call.tools.opened ? undefined : (events ?? ofSpace)
  // Scripts of packages are classic scripts, ours are modules. What is clicked before they are there would be lost.
  const kind = (name: string) =>
    name.startsWith('browser/') ? ({ type: 'module', blocking: 'render' } as const) : { defer: true }
  const ofCapsule = call.tools.opened ? ['browser/moment.js'] : []
  const body = await (<Body call={call} shown={shown} events={source} />).toString()
  const document = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="htmx-config" content="${htmxConfig}">
    <title>${where} · mailing-sync-mock</title>
    <link rel="icon" href="data:image/svg+xml,${faviconSvg}">
    <link rel="stylesheet" href="${asset('style.css')}">
    ${['htmx.js', 'browser/every-page.js', ...ofCapsule, ...scripts].map(name => <script src={asset(name)} {...kind(name)} />)}
  </head>
  ${raw(call.hasCalls ? linkReferences(body, call.at('/docs')) : body)}
</html>
`
  const page = call.tools.outgoing.body(String(document), call.arrival)
  return new Response(page, { status, headers: pageHeaders(policy) })
}

const faviconSvg = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5fae"/><path d="M3 5h10v7H3zm0 0 5 4 5-4" fill="none" stroke="#fff" stroke-width="1.3"/></svg>',
)

/** The address of the part that a page is in; undefined for an address that has no page. */
function partOf({ request }: PageCall): string | undefined {
  // A proxy may have put something in front.
  const path = new URL(request.url).pathname.replace(/^.*?\/_mock\/?/, '/')
  if (path === '/' || path.startsWith('/spaces')) return '/'
  if (/^\/(?:relations|problems)\//.test(path)) return '/docs'
  if (path.endsWith('.md')) return '/docs/README.md'
  return parts.find(([it]) => it !== '/' && path.startsWith(it))?.[0]
}

/** The number of a request of which a capsule has all before it. */
const numberOf = (id: string): number => Number(id.slice(id.indexOf('-') + 1))

/** Of which file this is, and at which moment. The address `?at=<request>` leads to the same page of another one. With one request there is nothing to slide. */
function OpenedHead({ opened: { file, ids, at } }: { opened: OpenedFile }) {
  const index = at === undefined ? ids.length : ids.indexOf(at)
  const shown = at ?? ids.at(-1)!
  return (
    <form method="get" class="flow opened-head" aria-label="Moment">
      <p>
        Capsule <strong>{file}</strong>, read only,{' '}
        {at === undefined ? 'at its end' : `as it was after ${at}`}
      </p>
      {ids.length > 1 && index > 0 && <a href={`?at=${ids[index - 1]}`}>Before</a>}
      {index < ids.length - 1 && <a href={`?at=${ids[index + 1]}`}>Next</a>}
      {at !== undefined && <a href="?at=">End</a>}
      {ids.length > 1 && (
        <>
          <label>
            After request{' '}
            <input
              type="range"
              id="moment"
              name="at"
              min={numberOf(ids[0]!)}
              max={numberOf(ids.at(-1)!)}
              value={numberOf(shown)}
              aria-valuetext={shown}
              data-ids={ids.join(' ')}
            />
          </label>
          <output for="moment">{shown}</output>
          <button type="submit">Show</button>
        </>
      )}
    </form>
  )
}

function Body({ call, shown, events }: { call: PageCall; shown: PageContent; events: string | undefined }) {
  return (
    <body
      class={call.tools.opened && 'opened'}
      data-root={call.root}
      data-events={events}
      data-awaits={shown.awaitedSpace}
    >
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="row top">
        <a class="brand" href={call.hasCalls ? call.root : undefined}>
          mailing-sync-mock
        </a>
        {call.hasCalls && <PartLinks root={call.root} current={partOf(call)} />}
        <button type="button" class="keys" aria-keyshortcuts="?">
          Keys: ?
        </button>
        {events && <span id="live-state" class="live-state" role="status" />}
      </header>
      {call.hasCalls && (
        <p class="without-scripts">
          Your browser runs no scripts here: pages show what there is, but copy and change nothing.
        </p>
      )}
      {call.tools.opened && <OpenedHead opened={call.tools.opened} />}
      {shown.space && <SpaceHead call={call} rig={shown.space} tab={shown.tab} />}
      <main id="main" tabindex={-1}>
        {shown.content}
      </main>
      <div id="told" class="told" role="status" aria-live="polite" />
    </body>
  )
}
