import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import { pageHeaders } from './headers.ts'
import type { PageCall, Shown } from './page.ts'
import { SpaceHead } from './space-tabs.tsx'

/** No style of its own, no evaluated text; an answer that is none of ours is not shown in place of what is there. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  history: 'reload',
  noSwap: [204, 304, '4xx', '5xx'],
  // What a person has opened stays open.
  morphIgnore: ['data-htmx-powered', 'open', 'data-kept'],
})

/**
 * The document around every page. Values that stand in it are escaped by the template.
 * @param digest of the assets, which stands in their addresses
 */
export async function documentOf(call: PageCall, shown: Shown, digest: string): Promise<Response> {
  const { title, content, status = 200, space, events, scripts = [], policy } = shown
  const asset = (name: string) => call.at(`/assets/${digest}/${name}`)
  const where = space ? `${title} · ${space.space.name}` : title
  // Where no control call is answered there is no stream of events either.
  const source = events ?? (space && call.hasCalls ? call.inSpace(space.space.name, '/events') : undefined)
  // A package's script is a plain one; what is ours is a module.
  const script = (name: string) =>
    name.startsWith('browser/') ? (
      <script src={asset(name)} type="module" />
    ) : (
      <script src={asset(name)} defer />
    )
  const document = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="htmx-config" content="${htmxConfig}">
    <title>${where} · mailing-sync-mock</title>
    <link rel="icon" href="data:image/svg+xml,${icon}">
    <link rel="stylesheet" href="${asset('style.css')}">
    ${['htmx.js', 'browser/main.js', ...scripts].map(script)}
  </head>
  ${(
    <Body call={call} shown={shown} events={source}>
      {content}
    </Body>
  )}
</html>
`
  return new Response(String(document), { status, headers: pageHeaders(policy) })
}

const icon = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5fae"/><path d="M3 5h10v7H3zm0 0 5 4 5-4" fill="none" stroke="#fff" stroke-width="1.3"/></svg>',
)

function Body(props: { call: PageCall; shown: Shown; events: string | undefined; children?: Child }) {
  const { call, shown, events, children } = props
  return (
    <body data-root={call.root} data-events={events} data-awaits={shown.awaits}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={call.hasCalls ? call.root : undefined}>
          mailing-sync-mock
        </a>
        {call.hasCalls && (
          <nav aria-label="Mock">
            <a href={call.root}>Spaces</a>
            <a href={call.at('/docs')}>API reference</a>
          </nav>
        )}
        {events && <span id="live-state" class="live-state" role="status" />}
      </header>
      {call.hasCalls && (
        <p class="without-scripts">
          Your browser runs no scripts here: pages show what there is, but copy and change nothing.
        </p>
      )}
      {shown.space && <SpaceHead call={call} rig={shown.space} tab={shown.tab} />}
      <main id="main" tabindex={-1}>
        {children}
      </main>
      <div id="told" class="told" role="status" aria-live="polite" />
    </body>
  )
}
