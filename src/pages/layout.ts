import { html } from 'hono/html'

const style = `
  * { box-sizing: border-box; }
  :root { color-scheme: light dark; --line: light-dark(#d8dbe0, #3a3f47); --soft: light-dark(#5b6470, #a3abb6); }
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 3rem; }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
  h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
  p.soft, dt { color: var(--soft); }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; margin: 1rem 0; }
  dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
  iframe { border: 1px solid var(--line); border-radius: 6px; width: 100%; height: 40rem; background: #fff; }
  pre { border: 1px solid var(--line); border-radius: 6px; padding: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  code { font-family: ui-monospace, monospace; }
`

/** No script runs in a page, nor in what it shows; nothing is loaded from anywhere. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

type Html = ReturnType<typeof html>

/** A page with the given content. Values that stand in it are escaped by the template. */
export async function layout(title: string, content: Html, status = 200): Promise<Response> {
  const document = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title} · mailing-sync-mock</title>
    <style>${style}</style>
  </head>
  <body>
    <main>${content}</main>
  </body>
</html>
`
  return new Response(String(document), {
    status,
    headers: {
      'Content-Type': 'text/html; charset=UTF-8',
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cross-Origin-Opener-Policy': 'same-origin',
    },
  })
}

/** Names with their values, as a list. */
export const facts = (rows: readonly (readonly [string, unknown])[]): Html =>
  html`<dl>${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${String(value ?? '–')}</dd>`)}</dl>`
