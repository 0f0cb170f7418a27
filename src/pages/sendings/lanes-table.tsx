import { Chip, type Mark } from '../components/chips.tsx'
import { timeOfDay } from '../relative.ts'
import { findingMark } from '../verdict/words.ts'
import type { AttemptStep, Lane, Step } from './lanes.ts'
import { offsetText } from './lanes-lengths.ts'
import {
  effectMarks,
  notes,
  pauseText,
  readMarks,
  readWords,
  toldMarks,
  truthMarks,
  unchanged,
} from './lanes-words.ts'

/** A lane in rows, for narrow windows and for whoever cannot see it. */
export function LaneTable(props: { lane: Lane; now: number; href: (requestId: string) => string }) {
  const { lane, now, href } = props
  const { steps } = lane
  const start = steps[0]!.begins.clock
  return (
    <table class="lane-table" aria-labelledby={`${lane.id}-name`}>
      <thead>
        <tr>
          {['At', 'What', 'Told', 'True', 'Findings'].map(words => (
            <th scope="col">{words}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.map((step, at) => (
          <tr class={`is-${step.what}`}>
            <td class="lane-at">
              <time datetime={new Date(step.begins.clock).toISOString()}>
                {at === 0 ? timeOfDay(start, true) : offsetText(step.begins.clock - start)}
              </time>
              <Waited before={steps[at - 1]} step={step} />
            </td>
            <Cells step={step} now={now} href={href} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Waited({ before, step }: { before: Step | undefined; step: Step }) {
  const text = before && pauseText(before, step)
  return text === undefined ? null : <span class="soft lane-pause">after a pause of {text}</span>
}

function Cells({ step, now, href }: { step: Step; now: number; href: (requestId: string) => string }) {
  if (step.what === 'attempt') return <Attempt step={step} now={now} href={href} />
  if (step.what === 'read')
    return (
      <>
        <td class="lane-what">
          <a href={href(step.requestId)}>{readWords(step)}</a>
        </td>
        <td class="lane-told">
          <Chips marks={readMarks(step)} />
        </td>
        <td class="lane-true" />
        <td class="lane-findings-cell" />
      </>
    )
  if (step.what === 'hidden')
    return (
      <td colspan={4} class="soft">
        {step.count} more, left out here
      </td>
    )
  return (
    <>
      <td class="lane-what">the platform</td>
      <td class="lane-told" />
      <td class="lane-true">
        <Chips marks={[{ tone: 'good', words: 'went out' }]} />
      </td>
      <td class="lane-findings-cell" />
    </>
  )
}

function Attempt({
  step,
  now,
  href,
}: {
  step: AttemptStep
  now: number
  href: (requestId: string) => string
}) {
  const truth = [...truthMarks(step), ...effectMarks(step, now)]
  const words = notes(step)
  return (
    <>
      <td class="lane-what">
        <a href={href(step.attempt.requestId)}>attempt {step.number}</a>
        {words.length > 0 && <span class="soft lane-notes">{words.join(' · ')}</span>}
      </td>
      <td class="lane-told">
        <Chips marks={toldMarks(step)} />
      </td>
      <td class="lane-true">
        {truth.length > 0 ? <Chips marks={truth} /> : <span class="soft">{unchanged(step)}</span>}
      </td>
      <td class="lane-findings-cell">
        <Chips marks={step.findings.map(findingMark)} />
      </td>
    </>
  )
}

const Chips = ({ marks }: { marks: readonly Mark[] }) =>
  marks.flatMap(({ tone, words, title }) => [
    <Chip tone={tone} {...(title !== undefined && { title })}>
      {words}
    </Chip>,
    ' ',
  ])
