import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { documentationPath } from '../../../src/judge/exam/text-reports.ts'

test.each([
  ['in the clone', 'exam.md', '.', 'docs/exam.md'],
  [
    'in the folder that holds it, as a project does',
    'exam.md',
    '..',
    expect.stringMatching(/^[^/.].*\/docs\/exam\.md$/),
  ],
  ['elsewhere', 'conduct.md', 'src', resolve('docs/conduct.md')],
  ['where there is no such page', 'no-such-page.md', 'src', 'docs/no-such-page.md'],
])('a page is named by where it stands for somebody %s', (_, page, from, expected) => {
  expect(documentationPath(page, resolve(from))).toEqual(expected)
})
