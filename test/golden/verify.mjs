/** What `verify` reports of the mock itself. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Recording } from './entries.mjs'
import { RunningMock, run } from './mock.mjs'

/** @type {Record<string, { mock?: string[], verify?: string[] }>} */
const runs = {
  reading: {},
  writing: { verify: ['--allow-writes'] },
  'other dials': {
    mock: ['--dial', 'error-body=minimal,replaced-configuration-status=204'],
    verify: ['--allow-writes'],
  },
  'other names': { mock: ['--relation-prefix', 'acme', '--platform-segment', 'acme-mail'] },
  'a section': { verify: ['--filter', '4.1', '--allow-writes'] },
  'errors throughout': { mock: ['--scenario', 'error-500-seven-times'], verify: ['--allow-writes'] },
}

export async function record() {
  const recording = new Recording()
  for (const [name, { mock: args = [], verify = [] }] of Object.entries(runs)) {
    const folder = mkdtempSync(join(tmpdir(), 'mailing-sync-golden-'))
    const mock = await RunningMock.start(args)
    try {
      const report = (/** @type {string} */ file) => join(folder, file)
      const segment = args.includes('--platform-segment') ? ['--platform-segment', 'acme-mail'] : []
      const ended = await run([
        'verify',
        ...['--url', `http://localhost:${mock.port}`, '--user', 'demo', '--password', 'demo'],
        ...['--json', report('json'), '--junit', report('junit'), '--markdown', report('markdown')],
        ...verify,
        ...segment,
      ])
      const steady = (/** @type {string} */ text) =>
        mock
          .unportedText(text)
          .replaceAll(folder, '(folder)')
          .replaceAll(/("date": ?")\w{3}, [^"]*GMT/g, '$1(now)')
      const output = steady(ended.output + ended.errors).trimEnd()
      recording.add(`${name}: output`, `exit code ${ended.code}\n${output}`)
      const { clauses, ...rest } = JSON.parse(steady(readFileSync(report('json'), 'utf8')))
      recording.add(`${name}: report`, rest)
      // One line each; what is the same everywhere is told once, by the first run.
      for (const clause of clauses) {
        const { clause: title, status, ...more } = clause
        const isFirst = name === 'reading'
        if (isFirst) recording.add(`clause ${title}`, clause)
        else if (status !== 'holds') recording.add(`${name}: ${title}`, { status, ...more })
      }
      recording.add(
        `${name}: clauses`,
        clauses.map((/** @type {any} */ it) => `${it.clause}: ${it.status}`).join('\n'),
      )
      if (name === 'writing') {
        recording.add(`${name}: markdown`, steady(readFileSync(report('markdown'), 'utf8')).trimEnd())
        const junit = steady(readFileSync(report('junit'), 'utf8'))
        recording.add(`${name}: junit`, junit.replaceAll(/(time(?:stamp)?=")[^"]*/g, '$1(time)').trimEnd())
      }
    } finally {
      await mock.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return { verify: recording.entries }
}
