import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curl, shellWord } from '../../src/pages/curl.ts'

/** What a program is given when bash reads the line. */
function wordsOf(line: string): string[] {
  const script = `set -f; show() { for word; do printf '%s\\0' "$word"; done; }; ${line.replace(/^curl/, 'show')}`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    env: { LC_ALL: 'C.UTF-8', PATH: process.env.PATH },
  })
  expect(stderr.toString()).toBe('')
  return stdout.toString().split('\0').slice(0, -1)
}

describe('a word for the shell', () => {
  it('a word for the shell is one word, and comes out as it went in, whatever stands in it', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter(it => !it.includes('\0'))
    fc.assert(
      fc.property(fc.array(text, { minLength: 20, maxLength: 20 }), words => {
        expect(wordsOf(`curl ${words.map(shellWord).join(' ')}`)).toEqual(words)
      }),
      { numRuns: 30 },
    )
  })

  it.each([
    '$(touch /tmp/x)',
    "'; rm -rf ~; '",
    '`id`',
    'a\nb',
    "tab\tand 'quote' and \\ and \n",
    '!!',
    '\u001b[201~rm -rf ~\n',
    '"$HOME"',
    '-o',
    '@/etc/passwd',
  ])('a word for the shell keeps %j together', text =>
    expect(wordsOf(`curl ${shellWord(text)}`)).toEqual([text]),
  )

  it('a word for the shell has no control characters: a terminal would obey them', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(shellWord('\u001b[201~\u0007\n\u009b')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
  })
})

describe('a line for curl', () => {
  it('a line for curl says no more than is needed', () => {
    expect(curl({ method: 'GET', url: 'http://x/mailings' })).toBe('curl http://x/mailings')
    expect(
      curl({
        method: 'POST',
        url: 'http://x/a?b=c',
        user: 'demo+x:demo',
        headers: [['Accept', 'a, b']],
        body: '{}',
      }),
    ).toBe("curl -u demo+x:demo -H 'Accept: a, b' --data-raw '{}' 'http://x/a?b=c'")
    expect(curl({ method: 'PUT', url: 'http://x/', body: '' })).toBe("curl -X PUT --data-raw '' http://x/")
    expect(curl({ method: 'HEAD', url: 'http://x/' })).toBe('curl --head http://x/')
  })
})
