import { endOf, findExam } from '../control/exams.ts'
import type { OpenCase, OpenExam } from '../judge/exam/exam-result.ts'
import { findingLine, isAccusation, outcomeLine } from '../judge/exam/text-reports.ts'
import { realTime } from '../rig/clock.ts'
import { countNoun } from '../rig/words.ts'
import { Chip } from './components/chips.tsx'
import { Empty, Live, Snippet } from './components/elements.tsx'
import { toQueryString } from './components/listing.tsx'
import { Table } from './components/table.tsx'
import { Time } from './components/times.tsx'
import { JudgeSentence } from './components/verdict-words.tsx'
import { page } from './page.ts'
import type { PageCall } from './page-call.ts'
import { PortraitSection } from './portrait-section.tsx'

/** The exams that callers of the control API run here, or one of them: each case with its result and its space. */
export default page({
  async show(call) {
    const sessions = await call.tools.exams()
    const one = call.params.exam ? await findExam(call) : undefined
    const exams = one ? [one] : sessions.all().toReversed()
    const [latest] = exams
    const isOver = one?.cases.every(({ result }) => result)
    const portrait = one && isOver ? sessions.portrait(one) : null
    return {
      title: 'Exams',
      events: call.at('/events'),
      content: (
        <>
          <h1>Exams</h1>
          <Live id="exams" on="request space clock" grows>
            {latest === undefined ? <NoExams call={call} /> : <ExamTable call={call} exams={exams} />}
            {latest && <Exam call={call} exam={latest} />}
            {portrait && (
              <PortraitSection portrait={portrait} hrefOf={({ name }) => `#${rowId(one!, name)}`} />
            )}
          </Live>
        </>
      ),
    }
  },
})

/** The command that plays all cases to a client, in a mock of its own. */
const command = 'npx mailing-sync-mock exam -- node my-client.mjs'

const NoExams = ({ call }: { call: PageCall }) => (
  <Empty title="No exams yet">
    <p>
      An exam plays lost responses, errors and restarts to your client, one case after the other, and compares
      what the client reports with what was really sent. This command plays all of them, in a mock of its own:
    </p>
    <Snippet text={command} label="Copy the command" />
    <p>
      A test suite that runs the client itself begins an exam here, with <code>POST /_mock/exams</code>, and
      its cases appear on this page. <a href={call.at('/docs/exam.md')}>The exam</a> has more on both.
    </p>
  </Empty>
)

/** How many cases ended in each way. */
const countOf = ({ cases }: OpenExam, wanted: keyof typeof looks) =>
  cases.filter(({ result }) => (result?.status ?? 'open') === wanted).length

const ExamTable = ({ call, exams }: { call: PageCall; exams: readonly OpenExam[] }) => (
  <Table
    class="framed"
    rows={exams}
    id={({ id }) => `row-${id}`}
    columns={[
      {
        title: 'Exam',
        class: 'leads',
        cell: ({ id }) => <a href={call.at(`/exams/${encodeURIComponent(id)}`)}>{id}</a>,
      },
      {
        title: 'Begun',
        before: 'begun',
        cell: ({ began }) => <Time at={began} now={realTime()} of="real" />,
      },
      { title: 'Cases', class: 'number', after: 'cases', cell: ({ cases }) => cases.length },
      { title: 'Passed', class: 'number', after: 'passed', cell: it => countOf(it, 'passed') },
      { title: 'Failed', class: 'number', after: 'failed', cell: it => countOf(it, 'failed') },
      {
        title: 'Others',
        cell: it =>
          (['known', 'inconclusive', 'open'] as const)
            .filter(status => countOf(it, status) > 0)
            .map(status => [looks[status], ` ${countOf(it, status)} `]),
      },
    ]}
  />
)

const rowId = ({ id }: Pick<OpenExam, 'id'>, name: string) => `${id}-${name}`

function Exam({ call, exam }: { call: PageCall; exam: OpenExam }) {
  const { id, options, cases } = exam
  const counts = `${countNoun(cases.length, 'case')}, ${countOf(exam, 'failed')} failed, ${countOf(exam, 'open')} not ended`
  return (
    <section class="card" id={id}>
      <h2>
        <a href={call.at(`/exams/${encodeURIComponent(id)}`)}>{id}</a>{' '}
        <span class="soft">{`${counts}; seed ${options.seed}, speed ${options.speed}`}</span>
      </h2>
      <Table
        rows={cases}
        id={({ name }) => rowId({ id }, name)}
        columns={[
          {
            title: 'Case',
            class: 'what leads',
            cell: it => <a href={call.inSpace(it.space, `/verdict${endQueryOf(it)}`)}>{it.name}</a>,
          },
          { title: 'Result', cell: ({ result }) => looks[result?.status ?? 'open'] },
          { title: 'What it is about, or what happened', cell: it => <WhatHappened call={call} of={it} /> },
        ]}
      />
    </section>
  )
}

const endQueryOf = ({ result }: OpenCase) => toQueryString(result ? endOf(result) : {})

const looks = {
  passed: <Chip tone="good">passed</Chip>,
  failed: <Chip tone="bad">failed</Chip>,
  inconclusive: <Chip tone="warn">nothing proved</Chip>,
  known: <Chip tone="calm">known</Chip>,
  open: <Chip tone="calm">not ended</Chip>,
}

function WhatHappened({ call, of }: { call: PageCall; of: OpenCase }) {
  const { description, result, space } = of
  const isThere = call.tools.spaces.getOpen(space) !== undefined
  if (!result) return <span class="soft">{description}</span>
  return (
    <>
      {outcomeLine(result)}
      {result.reason !== null &&
        ` ${result.status === 'failed' ? 'Note' : 'It proved nothing'}: ${result.reason}.`}
      {result.status === 'known' &&
        ` It would fail, and is accepted: ${result.findings.flatMap(({ rule, known }) => (known === undefined ? [] : [`${rule}, ${known}`])).join('; ')}.`}
      {result.findings.filter(isAccusation).map(found => (
        <p>
          <JudgeSentence
            text={findingLine(found)}
            evidence={found.evidence}
            href={id => call.inSpace(space, `/requests/${id}${endQueryOf(of)}`)}
          />{' '}
          <strong>Do:</strong> {found.remedy}
        </p>
      ))}
      {result.status === 'failed' && isThere && (
        <p>
          <a href={call.inSpace(space, '/capsule')} download>
            Download the capsule
          </a>
          , to look at it elsewhere.
        </p>
      )}
    </>
  )
}
