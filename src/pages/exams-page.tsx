import { findExam } from '../control/exams.ts'
import { type ClientReport, clientReport } from '../control/verdict.ts'
import type { CaseResult, OpenCase, OpenExam } from '../judge/exam/exam-result.ts'
import { findingLine, isAccusation, outcomeLine } from '../judge/exam/text-reports.ts'
import { Chip } from './components/chips.tsx'
import { Empty, Live } from './components/elements.tsx'
import { toQueryString } from './components/listing.tsx'
import { Table } from './components/table.tsx'
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
    const isOver = one?.cases.every(({ result }) => result)
    const portrait = one && isOver ? sessions.portrait(one) : null
    return {
      title: 'Exams',
      events: call.at('/events'),
      content: (
        <>
          <h1>Exams</h1>
          <Live id="exams" on="request space clock" grows>
            {exams.length === 0 && (
              <Empty title="No exams">
                No exams yet. See <a href={call.at('/docs/exam.md')}>The exam</a> for how to start one.
              </Empty>
            )}
            {exams.map(exam => (
              <Exam call={call} exam={exam} />
            ))}
            {portrait && (
              <PortraitSection portrait={portrait} hrefOf={({ name }) => `#${rowId(one!, name)}`} />
            )}
          </Live>
        </>
      ),
    }
  },
})

const rowId = ({ id }: Pick<OpenExam, 'id'>, name: string) => `${id}-${name}`

function Exam({ call, exam: { id, options, cases } }: { call: PageCall; exam: OpenExam }) {
  const failed = cases.filter(({ result }) => result?.status === 'failed').length
  const unfinished = cases.filter(({ result }) => !result).length
  const counts = `${cases.length} cases, ${failed} failed, ${unfinished} not ended`
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

/** What the client said at its end, for the verdict of its space. */
export const endOf = ({ reached, expected }: CaseResult): ClientReport =>
  clientReport({ believes: reached.belief, expected: expected?.sent })

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
