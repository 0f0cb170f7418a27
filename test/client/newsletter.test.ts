import { describe, expect, test } from 'vitest'
import { renderInFull } from '../../scripts/default-fixture/full-layout.ts'
import { type NewsletterContent, renderNewsletter } from '../../src/lib/newsletter.ts'

const content: NewsletterContent = {
  language: 'en',
  brand: 'Salt & Rope',
  accent: '#1d3f63',
  preheader: 'Said beside the subject',
  headline: 'Knots <that> hold',
  intro:
    'Hello {{firstName|you who have no name in our books and no town either}}, here are some "knots" for the long evenings.',
  sections: [
    { title: 'Three of them', text: 'Easy ones first.', items: ['Bowline', 'Clove hitch'] },
    { text: 'More?', link: { label: 'All knots', url: 'https://www.example.com/knots?a=1&b=2' } },
    {
      text: 'Less?',
      link: { label: 'One knot', url: 'https://www.example.com/knot' },
      linkStyle: 'text',
    },
  ],
  footer: {
    address: '3 Harbour Street',
    unsubscribe: { label: 'Stop', url: 'https://www.example.com/stop' },
  },
}

describe.each([
  ['full', renderInFull],
  ['compact', renderNewsletter],
])('a newsletter in the %s layout', (_, render) => {
  const { html, text } = render(content)

  test('says everything in both parts', () => {
    for (const words of ['Easy ones first.', 'Bowline', 'All knots', '3 Harbour Street', 'Stop']) {
      expect(html).toContain(words)
      expect(text).toContain(words)
    }
    expect(html).toContain('Said beside the subject')
  })

  test('escapes what has a meaning in HTML, and leaves plain text plain', () => {
    expect(html).toContain('Knots &lt;that&gt; hold')
    expect(html).toContain('Salt &amp; Rope')
    expect(html).toContain('href="https://www.example.com/knots?a=1&amp;b=2"')
    expect(text).toContain('Knots <that> hold')
    expect(text).toContain('https://www.example.com/knots?a=1&b=2')
  })

  test('keeps placeholders whole, even where lines break', () => {
    const placeholder = '{{firstName|you who have no name in our books and no town either}}'
    expect(html).toContain(placeholder)
    expect(text).toContain(placeholder)
  })

  test('loads nothing and runs nothing', () => {
    expect(html).not.toMatch(/<(img|script|link|iframe)\b|url\(|@import|\bon\w+=/)
  })
})

test('the plain-text part breaks its lines at 72 characters, except inside links and placeholders', () => {
  const lines = renderNewsletter(content).text.split('\n')
  expect(lines.filter(line => line.length > 72 && !/https:|\{\{/.test(line))).toEqual([])
})
