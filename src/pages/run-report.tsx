import { describeRule, documentationFile, titleOf } from '../judge/exam/text-reports.ts'
import type { RunReport, SpaceResult } from '../judge/run/run-result.ts'
import {
  hasMet,
  isAddress,
  isSuspicion,
  neverMetNames,
  openingOf,
  runHeadline,
  runNotes,
  shareWords,
  spaceFindings,
  storyLines,
  whileItRuns,
} from '../judge/run/run-text.ts'
import { unjudgedWords } from '../judge/verdict-text.ts'
import { Chip, Chips, type Tone } from './components/chips.tsx'
import { Facts } from './components/elements.tsx'
import { PartLinks } from './components/part-links.tsx'
import { JudgeSentence, severityTones } from './components/verdict-words.tsx'
import { Coverage, ReportHead, withoutControls } from './report-file.tsx'

const looks = {
  failed: ['Failed', '✗', 'bad'],
  warning: ['With warnings', '!', 'warn'],
  known: ['Known', '~', 'calm'],
  unproved: ['Unproved', '–', 'warn'],
  passed: ['Passed', '✓', 'good'],
} as const satisfies Record<SpaceResult['status'], readonly [title: string, mark: string, tone: Tone]>

/**
 * A run report as a single HTML file without scripts, fonts and pictures; light and dark, fit for print.
 * @param root address of the pages of the mock that shows it; undefined for a file, which is read anywhere
 */
export const runHtml = (report: RunReport, root?: string): string =>
  `<!doctype html>\n${<Report report={withoutControls(report)} root={root} />}\n`

interface Shown {
  readonly root: string | undefined
}

function Report({ report, root }: Shown & { report: RunReport }) {
  const { isPassed, began, at, label, cases, coverage, neverMet } = report
  return (
    <html lang="en">
      <ReportHead isPassed={isPassed} of="run of mailing synchronization clients" />
      <body>
        {root !== undefined && (
          <header class="row top">
            <a class="brand" href={root}>
              mailing-sync-mock
            </a>
            <PartLinks root={root} current="/report" />
          </header>
        )}
        <main>
          <header>
            <h1>Run of mailing synchronization clients</h1>
            <p class="counts">{runHeadline(report)}</p>
            <Facts
              rows={[
                label !== null && ['Spaces', <code>{label}</code>],
                ['From', timeWords(began)],
                ['Until', timeWords(at)],
              ]}
            />
            {runNotes(report).map(it => (
              <p class="soft">{it}</p>
            ))}
          </header>
          {(Object.keys(looks) as SpaceResult['status'][]).map(status => (
            <Section root={root} status={status} cases={cases.filter(it => it.status === status)} />
          ))}
          {hasMet(report) && (
            <>
              <section>
                <h2>Never met</h2>
                <p>{shareWords(report)}</p>
                {neverMetNames(neverMet).map(([title, names]) => (
                  <details>
                    <summary>
                      {title} ({names.length})
                    </summary>
                    <p>{names.join(', ')}</p>
                  </details>
                ))}
              </section>
              <Coverage coverage={coverage} title="What the tests met" unmet="not met" />
            </>
          )}
        </main>
      </body>
    </html>
  )
}

const timeWords = (time: string) => `${time.slice(0, 19).replace('T', ' ')} UTC`

function Section(props: Shown & { status: SpaceResult['status']; cases: readonly SpaceResult[] }) {
  const { status, cases, root } = props
  if (cases.length === 0) return null
  const [title] = looks[status]
  return (
    <section>
      <h2>
        {title} ({cases.length})
      </h2>
      {cases.map(it => (
        <Space it={it} root={root} />
      ))}
    </section>
  )
}

function Space({ it, root }: Shown & { it: SpaceResult }) {
  const [, mark, tone] = looks[it.status]
  const unjudged = unjudgedWords(it.missing)
  // Of a space that is gone, there are no pages.
  const pages =
    root !== undefined && it.state === 'open' ? `${root}/spaces/${encodeURIComponent(it.space)}` : undefined
  const linked = (text: string) =>
    pages === undefined ? text : <JudgeSentence text={text} href={id => `${pages}/requests/${id}`} />
  return (
    <details class={`case ${tone}`} open={it.status === 'failed'}>
      <summary>
        <span class="mark" aria-hidden="true">
          {mark}
        </span>
        <span class="name">{it.name}</span>
        <span class="badges">
          <Chips
            marks={it.causes.map(rule => {
              const isProved = !it.findings.some(found => found.rule === rule && isSuspicion(found, it))
              return { tone, words: `${rule} ${titleOf({ rule })}${isProved ? '' : ' (suspected)'}` }
            })}
          />
          {unjudged !== undefined && [' ', <Chip tone="calm">{unjudged}</Chip>]}
        </span>
        <span class="soft">{it.seconds.toFixed(1)} s</span>
      </summary>
      {/* Not in the summary, which is a button itself. */}
      {pages !== undefined && (
        <p>
          <a href={`${pages}/verdict`}>Verdict on {it.name}</a>
        </p>
      )}
      {it.reason !== null && <p>{linked(it.reason)}</p>}
      <pre>{storyLines(it).join('\n')}</pre>
      {it.findings.length > 0 && (
        <ul class="findings plain">
          {spaceFindings(it).map(({ finding, line, reading }) => (
            <li
              class={
                finding.status === 'guilty'
                  ? severityTones[finding.severity]
                  : isSuspicion(finding, it)
                    ? 'bad'
                    : 'calm'
              }
            >
              {linked(line)} <strong>Do:</strong> {finding.remedy}{' '}
              <Reading finding={finding} words={`Read: ${reading}`} root={root} />
            </li>
          ))}
        </ul>
      )}
      {it.capsule !== undefined &&
        it.status !== 'passed' &&
        (isAddress(it.capsule) ? (
          <p>
            <a href={it.capsule}>Its capsule</a>, {whileItRuns}
          </p>
        ) : (
          <Opening {...openingOf(it.capsule)} />
        ))}
    </details>
  )
}

const Opening = ({ where, command }: ReturnType<typeof openingOf>) => (
  <>
    <p>{where}:</p>
    <pre>{command}</pre>
  </>
)

/** Where to read more: a link, where the mock that shows the report serves the documentation. */
function Reading({ finding, words, root }: Shown & { finding: { readonly rule: string }; words: string }) {
  const { page, anchor } = describeRule(finding.rule).reading
  const isServed = root !== undefined && documentationFile(page) !== undefined
  return <span class="soft">{isServed ? <a href={`${root}/docs/${page}#${anchor}`}>{words}</a> : words}</span>
}
