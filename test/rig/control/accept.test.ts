import { describe, expect, it } from 'vitest'
import { wantsPage } from '../../../src/control/accept.ts'

const chromium =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'

describe('a page is for whoever', () => {
  it.each([
    ['is Chromium', chromium],
    ['is Firefox', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'],
    ['is htmx', 'text/html'],
    ['prefers it to JSON', 'application/json;q=0.5, Text/HTML;q=0.8'],
    ['takes either', 'application/hal+json, text/html'],
  ])('a page is for whoever: %s', (_, accept) => expect(wantsPage(accept)).toBe(true))
})

describe('JSON is for whoever', () => {
  it.each([
    ['says nothing', undefined],
    ['is curl', '*/*'],
    ['is axios', 'application/json, text/plain, */*'],
    ['names HAL', 'application/hal+json'],
    ['prefers JSON', 'application/json, text/html;q=0.9'],
    ['refuses pages', 'text/html;q=0, */*'],
    ['writes a weight that is none', 'text/html;q=x'],
    ["is Java's HttpURLConnection", 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2'],
    ['only begins like it', 'text/html5'],
  ])('JSON is for whoever: %s', (_, accept) => expect(wantsPage(accept)).toBe(false))
})
