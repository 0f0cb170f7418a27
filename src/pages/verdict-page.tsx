import type { z } from 'zod'
import { toSpaceDocument } from '../control/spaces.ts'
import { verdictQuery } from '../control/verdict.ts'
import { groupBy } from '../judge/grouping.ts'
import type { Rule } from '../judge/rules/rule.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import {
  besidesTitle,
  conditionOf,
  fineCount,
  isDoubtful,
  isHeldAgainst,
  isRepeatRule,
  moreEvidence,
  resultOf,
  shownEvidence,
} from '../judge/verdict-text.ts'
import { beliefs } from '../rig/scenarios/terms.ts'
import { capitalize, countNoun } from '../rig/words.ts'
import { type ClientOf, findClients } from './clients.ts'
import { Chip, Chips, type Mark, scenarioWords, type Tone } from './components/chips.tsx'
import { Card, ClientName, CodeLink, Empty, Field, Live, Snippet } from './components/elements.tsx'
import {
  countIntended,
  hasSentNothing,
  IntendedCount,
  RecordSince,
  VerdictChips,
} from './components/space-summary.tsx'
import { NextSent } from './components/times.tsx'
import { beliefWords, harmMarks, JudgeSentence, severityTones } from './components/verdict-words.tsx'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'
import { firstRequestLine } from './service-links.ts'

interface Props extends SpaceProps<z.output<typeof verdictQuery>> {
  readonly verdict: VerdictView
  /** The verdict when one worker has ended: what is open even then, no answer of the reader decides. */
  readonly settled: VerdictView
  readonly rules: readonly Rule[]
  /** Where several clients made the requests. */
  readonly clientOf: ClientOf | undefined
}

type JudgedProps = Pick<Props, 'call' | 'verdict'>

/** What only the person who ran the client knows, each answer with its verdict. It stands in the address, to be shared. */
async function ClientEnd({ call, rig, verdict }: Props) {
  const { believes, workers } = call.end
  // With an end and no number the address means 1, as for a program, unless requests are missing.
  const isUnknown = call.end.expected === undefined && verdict.missing > 0
  const isCounted = call.end.expected === undefined && believes === undefined && !isUnknown
  const counted = fineCount(verdict) ?? (countIntended(verdict) || 1)
  const expected = isUnknown ? undefined : isCounted ? counted : (call.end.expected ?? 1)
  const action = call.here('/verdict')
  const readings = beliefs.map(async it => {
    const { verdict } = await call.tools.verdict(rig, { believes: it, expected, workers: workers ?? 1 })
    return (
      <li class="row">
        <button type="submit" name="believes" value={it} aria-pressed={String(it === believes)}>
          {beliefWords(it, expected ?? verdict.harm.sent)}
        </button>
        <span>
          <VerdictChips verdict={verdict} />
        </span>
      </li>
    )
  })
  return (
    <form class="card verdict-end" method="get" action={action} aria-labelledby="end">
      <h2 id="end">What does the client report at its end?</h2>
      <p class="soft">
        Only you know how the client ended. Each answer has the verdict that follows from it
        {expected === undefined
          ? `. ${countNoun(verdict.missing, 'request is', 'requests are')} no longer on record, so the judge cannot count the mailings that were meant: say below how many`
          : `, if ${countNoun(expected, 'mailing was', 'mailings were')} meant`}
        {isCounted && ' (as the judge counts them; change it below)'}. An answer may settle questions that are
        open now. Click one to see the reasons. Your answer stays in the address, and nowhere else.
      </p>
      <div class="filter">
        <Field label="Mailings to send" name="expected" type="number" min={0} max={1000} value={expected} />
        <Field
          label="Workers at a time"
          name="workers"
          type="number"
          min={1}
          max={1000}
          value={workers}
          placeholder="1 if not said"
        />
        {/* The first button of the form, so that Enter in a field chooses no answer. */}
        <button type="submit" name={believes && 'believes'} value={believes}>
          Apply
        </button>
      </div>
      <ul class="plain stack">{await Promise.all(readings)}</ul>
    </form>
  )
}

type Finding = VerdictView['findings'][number]

/** The requests of the verdict that asked for sendings. */
const attemptIds = ({ sendings }: VerdictView): string[] =>
  sendings.flatMap(({ attempts }) => attempts.map(({ requestId }) => requestId))

/** Maximum number of findings whose requests are shown below one sentence. */
const maxAlike = 30

/** Findings that one sentence tells: apart from requests and values, they have the same words. */
function alike<It extends { readonly sentence: string; readonly status: string }>(findings: readonly It[]) {
  const wordsOf = ({ sentence }: It) => sentence.replace(/\br\d+-\d+\b|"(?:[^"\\]|\\.)*"/g, '…')
  return [...groupBy(findings, it => it.status + wordsOf(it)).values()]
}

/** The requests that a finding cites, of several clients each run with its client. */
function Requests({
  call,
  evidence,
  clientOf,
}: Pick<Props, 'call' | 'clientOf'> & Pick<Finding, 'evidence'>) {
  const shown = evidence.slice(0, shownEvidence)
  return (
    <>
      {evidence.length === 1 ? 'Request' : 'Requests'}
      {shown.map((id, at) => {
        const client = clientOf?.(id)
        const next = shown[at + 1]
        const isLast = next === undefined || clientOf?.(next) !== client
        return (
          <>
            {' '}
            <CodeLink href={call.requestAddress(id)}>{id}</CodeLink>
            {client !== undefined && isLast && [' of ', <ClientName name={client} />]}
          </>
        )
      })}
      {moreEvidence(evidence)}
    </>
  )
}

/** The requests of findings with one sentence. */
function Evidence(
  props: Pick<Props, 'call' | 'verdict' | 'clientOf'> & { findings: readonly Pick<Finding, 'evidence'>[] },
) {
  const { call, verdict, findings, clientOf } = props
  const attempts = attemptIds(verdict)
  const more = findings.length - maxAlike
  return (
    <>
      {findings.length > 1 && <p>{findings.length} of this kind:</p>}
      <div class="flow">
        {findings.slice(0, maxAlike).map(
          ({ evidence, evidence: [request] }) =>
            request !== undefined && (
              <p class="soft">
                <Requests call={call} evidence={evidence} clientOf={clientOf} />{' '}
                {attempts.includes(request) && [
                  '· ',
                  <a href={call.judged('/sendings', { request })}>timeline</a>,
                ]}
              </p>
            ),
        )}
      </div>
      {more > 0 && <p class="soft">and {more} more</p>}
    </>
  )
}

/** Why a question is open, by what it depends on, and what to tell where that decides it. */
const hints: Record<Rule['dependsOn'], readonly [why: string, ask: string]> = {
  request: [
    'No answer above settles it: it depends on what the server cannot see, or on requests that are not on record.',
    '',
  ],
  worker: [
    'It depends on whether the same worker repeated the request.',
    'Enter above how many workers the client had.',
  ],
  intent: [
    'It depends on whether these requests mean one mailing.',
    'Say above how many mailings the client had to send, and how it ended.',
  ],
  end: ['It depends on how the client ended.', 'Choose it above when the client has ended.'],
}

function hintFor({ id, dependsOn }: Rule, { verdict, settled }: Props): string | undefined {
  const { expected, believes } = verdict.harm
  const countOpen = ({ findings }: VerdictView) =>
    findings.filter(({ rule, status }) => rule === id && status === 'open').length
  // Then each finding says it.
  if (believes !== null) return undefined
  const isOfIntent = dependsOn === 'intent' && expected !== 1
  if (isOfIntent && countIntended(verdict) > 1)
    return `${hints.intent[0]} Only a space with one mailing decides it: use a space for each test.`
  const isDecided = countOpen(settled) < countOpen(verdict)
  if (!isDecided) return hints[isOfIntent ? 'intent' : 'request'][0]
  // With one mailing, all requests are about it. What an answer decides does not depend on the requests alone.
  const isOfWorker = dependsOn === 'request' || (dependsOn === 'intent' && expected === 1)
  return hints[isOfWorker ? 'worker' : dependsOn].join(' ')
}

/** The parts of the page: their titles, and which findings stand there. */
function partsOf({ findings, suspicion }: VerdictView) {
  const accusations = findings.filter(isHeldAgainst)
  const open = accusations.filter(({ status }) => status === 'open')
  const isSuspected = (it: Finding) => suspicion !== null && isRepeatRule(it.rule)
  return {
    'Broken rules': accusations.filter(({ status }) => status === 'guilty'),
    Suspected: open.filter(isSuspected),
    'Open questions': open.filter(it => !isSuspected(it)),
    Known: findings.filter(({ known }) => known !== undefined),
    Remarks: findings.filter(({ severity }) => severity === 'information'),
  }
}

/** The chip of findings that are not proved; the others have their severity. */
const unprovedMarks: { readonly [title: string]: Mark } = {
  Suspected: { tone: 'bad', words: 'suspected' },
  'Open questions': { tone: 'calm', words: 'open' },
  Known: { tone: 'calm', words: 'known' },
}

/** Findings by rule: proved ones, open ones, and remarks. */
function Findings(props: Props) {
  const { verdict, call, rules } = props
  const named = new Set<string>()
  return Object.entries(partsOf(verdict)).map(
    ([title, findings]) =>
      findings.length > 0 && (
        <section aria-label={title}>
          <h2>{title}</h2>
          {title === 'Open questions' && findings.length > 1 && (
            <p class="soft">
              {findings.length} questions about {new Set(findings.flatMap(it => it.evidence)).size} requests
            </p>
          )}
          {[...groupBy(findings, ({ rule }) => rule)].map(([id, ofRule]) => {
            const [{ severity, remedy, known }] = ofRule
            const anchor = named.has(id) ? undefined : id
            named.add(id)
            const rule = rules.find(it => it.id === id)!
            const mark = unprovedMarks[title]
            const hint = known ?? (mark && hintFor(rule, props))
            return (
              <article class="card verdict-rule" id={anchor}>
                <h3>
                  <span class="soft">{id}</span> {rule.title}{' '}
                  <Chips marks={[mark ?? { tone: severityTones[severity], words: severity }]} />
                </h3>
                <ul class="plain verdict-list">
                  {alike(ofRule).map(same => (
                    <li>
                      <p>
                        <JudgeSentence {...same[0]} text={same[0].sentence} href={call.requestAddress} />
                      </p>
                      <Evidence {...props} findings={same} />
                    </li>
                  ))}
                </ul>
                <p>
                  <strong>Do:</strong> {remedy}
                </p>
                {hint && <p class="verdict-hint">{hint}</p>}
                <p class="soft">
                  {rule.detection} [{id}, {rule.clause}]
                </p>
                <details id={anchor && `${anchor}-spared`}>
                  <summary>When this rule does not apply</summary>
                  <p>{rule.exceptions}</p>
                </details>
              </article>
            )
          })}
        </section>
      ),
  )
}

/** What is said where no harm is on record: a chip and a sentence. */
function withoutHarm(verdict: VerdictView): readonly [Tone, words: string, sentence: string] {
  const { sent, scheduled, expected, believes } = verdict.harm
  if (!verdict.complete)
    return ['calm', 'none on record', 'What came of requests that are not on record is not known.']
  if (believes === null && expected !== null && sent < expected) {
    const rest = 'whether the rest is lost depends on the client’s end'
    const later = scheduled > 0 ? `, ${scheduled} of them scheduled` : ''
    return ['calm', 'open', `${sent} of ${expected} so far${later}; ${rest}.`]
  }
  if (fineCount(verdict) !== undefined) {
    const question = 'Whether one of them was sent twice depends on how many were meant.'
    return [isDoubtful(verdict) ? 'warn' : 'calm', 'open', question]
  }
  const none = 'Nothing was sent twice or lost, and no mailing was left unsent on the platform'
  return ['good', 'none', `${none}, as far as the server can tell.`]
}

/** The harm that the ledger proves, regardless of who caused it. */
function HarmCard(props: Props) {
  const { call, rig, verdict } = props
  const { findings, expected, believes } = verdict.harm
  const { sent, scheduled, stopped } = toSpaceDocument(call, rig)
  const [tone, words, sentence] = withoutHarm(verdict)
  return (
    <Card id="harm" title="Harm">
      <p>
        <a href={call.judged('/platform')}>{countNoun(sent, 'mailing')}</a> {sent === 1 ? 'was' : 'were'} sent
        {scheduled > 0 && ` and ${countNoun(scheduled, 'is', 'are')} scheduled`}
        {stopped > 0 && `, ${countNoun(stopped, 'was', 'were')} stopped by the platform`}
        {expected !== null && `, where ${countNoun(expected, 'was', 'were')} meant`}
        {believes !== null &&
          `; the client reports: ${beliefWords(believes, expected ?? sent).toLowerCase()}`}
        .
      </p>
      {findings.length === 0 && (
        <p class="soft">
          <Chip tone={tone}>{words}</Chip> {sentence}
        </p>
      )}
      <NextSent rig={rig} href={call.here('/clock')} />
      {findings.length > 0 && (
        <ul class="plain verdict-list">
          {alike(findings).map(same => (
            <li>
              <p>
                <Chips marks={harmMarks({ findings: [same[0]], expected })} />{' '}
                <JudgeSentence {...same[0]} text={same[0].sentence} href={call.requestAddress} />{' '}
                {same[0].status === 'open' && expected === null && (
                  <span class="soft">It depends on how many mailings were meant.</span>
                )}
              </p>
              <Evidence {...props} findings={same} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** Why the verdict says less than it could. Where no sending was asked for, refused requests may say why. */
const Hint = ({ call, verdict }: JudgedProps) =>
  verdict.hint && (
    <p>
      <JudgeSentence text={verdict.hint} evidence={attemptIds(verdict)} href={call.requestAddress} />{' '}
      {verdict.sendings.length === 0 &&
        (verdict.hint.includes('credentials') ? (
          <a href={`${call.root}#turned-away`}>Requests with wrong credentials, of all spaces</a>
        ) : (
          <a href={call.judged('/requests')}>Requests of this space</a>
        ))}
    </p>
  )

/** Why a client that reports success without a whole CREATED is not accused by R24. */
function RepeatHypothesis({ verdict: { harm, sendings } }: { verdict: VerdictView }) {
  const told = sendings.flatMap(({ attempts }) => attempts).filter(it => it.told?.state === 'CREATED')
  const left = told.find(({ delivered }) => delivered === 'aborted')
  if (harm.believes !== 'sent' || !left || told.some(({ delivered }) => delivered === 'handed')) return null
  return (
    <p>
      The client disconnected during the response to {left.requestId}, which had CREATED. How much of it the
      client read, the server cannot know, so R24 does not apply. If it read none, it had to repeat the
      request.
    </p>
  )
}

/** The colour of a result, unless it is red. */
const calmTones: { [word: string]: Tone } = { innocent: 'good', unproved: 'calm', open: 'calm' }

/** A sentence with a link from each rule that it names to the card below, which tells it in full. */
const RuleSentence = ({ text }: { text: string }) => (
  <>{text.split(/\b(R\d\d)\b/).map((part, at) => (at % 2 === 0 ? part : <a href={`#${part}`}>{part}</a>))}</>
)

/** The questions that are open where nothing is proved or suspected, which the cards below tell in full. */
function NamedQuestions({ verdict }: { verdict: VerdictView }) {
  const questions = partsOf(verdict)['Open questions']
  if (verdict.outcome !== 'open' || verdict.suspicion !== null || questions.length === 0) return null
  return (
    <ul>
      {[...new Map(questions.map(it => [it.rule, it])).values()].map(({ rule, title }) => (
        <li>
          <a href={`#${rule}`}>{rule}</a> {title}?
        </li>
      ))}
    </ul>
  )
}

function OutcomeCard({ call, verdict }: Props) {
  const attempts = verdict.sendings.flatMap(it => it.attempts)
  const { outcome } = verdict
  const { word, sentence, besides } = resultOf(verdict)
  const isUnsent = word === 'innocent' && hasSentNothing(verdict)
  const isUnsure = isUnsent || fineCount(verdict) !== undefined
  const tone = isDoubtful(verdict) ? 'warn' : isUnsure ? 'calm' : (calmTones[word] ?? 'bad')
  return (
    <section class={`card verdict-outcome ${tone}`} aria-labelledby="outcome">
      <h2 id="outcome">
        <Chip tone={tone}>{isUnsent ? 'nothing sent' : word}</Chip>{' '}
        <RuleSentence text={capitalize(sentence)} /> {conditionOf(verdict)}
      </h2>
      {besides && (
        <p>
          <strong>{besidesTitle}</strong> <RuleSentence text={besides.slice(besidesTitle.length + 1)} />.
        </p>
      )}
      {verdict.suspicion !== null && (
        <p>
          <JudgeSentence text={verdict.suspicion} evidence={attemptIds(verdict)} href={call.requestAddress} />
        </p>
      )}
      <NamedQuestions verdict={verdict} />
      <Hint call={call} verdict={verdict} />
      <RepeatHypothesis verdict={verdict} />
      {outcome === 'guilty' && (
        <p>
          In all: <VerdictChips verdict={verdict} />
        </p>
      )}
      <p>
        {attempts.length === 0 ? (
          'No authenticated request asks for a sending.'
        ) : (
          <IntendedCount verdict={verdict} href={call.judged('/sendings')} />
        )}
      </p>
    </section>
  )
}

function NeverApplied({ unstruck, href }: { unstruck: VerdictView['unstruck']; href: string }) {
  if (unstruck.length === 0) return null
  return (
    <Card id="unstruck" title="Never fired">
      <p class="soft">
        These were armed and did nothing, so the verdict shows nothing of what they were to try.
      </p>
      <ul>
        {unstruck.map(({ what, name, rule }) => (
          <li>
            {what === 'fault' ? 'one-shot fault ' : rule === null ? 'scenario ' : `rule ${rule} of scenario `}
            <CodeLink href={href}>{scenarioWords(name)}</CodeLink>
          </li>
        ))}
      </ul>
    </Card>
  )
}

export default spacePage('verdict', {
  query: verdictQuery,
  async show(call, rig) {
    const { expected = 1 } = call.end
    const { verdict, rules } = await call.tools.verdict(rig, call.end)
    const { verdict: settled } = await call.tools.verdict(rig, { believes: 'unknown', expected, workers: 1 })
    const props = { call, rig, verdict, settled, rules, clientOf: findClients(rig) }
    const isUsed = rig.journal.count > 0
    return {
      content: (
        <>
          <Live id="record-since" on="request clock reset">
            <RecordSince call={call} rig={rig} />
          </Live>
          <Live id="client-end" on="request clock scenario reset" class="verdict">
            {isUsed && [<OutcomeCard {...props} />, <LossCard {...props} />, <ClientEnd {...props} />]}
          </Live>
          <Live id="verdict" on="request clock scenario reset" class="verdict">
            {isUsed ? [<HarmCard {...props} />, <Findings {...props} />] : <Nothing {...props} />}
            <NeverApplied unstruck={verdict.unstruck} href={call.here('/scenario')} />
          </Live>
          <p class="soft">
            The same <a href={call.judged('/verdict', { format: 'text' })}>as text</a> or{' '}
            <a href={call.judged('/verdict', { format: 'json' })}>as JSON</a>, for a test to look at. The{' '}
            <a href={call.at('/report')}>report on this run</a> has all spaces.
          </p>
        </>
      ),
    }
  },
})

/** Why requests were not judged, and what to set. It stands above what depends on it. */
const LossCard = ({ call, rig, verdict: { loss, missing } }: Props) =>
  loss !== undefined && (
    <Card id="record" title="Not on record">
      <p>
        {loss} {missing > rig.journal.dropped && <a href={call.here('/data')}>Reset the space</a>}
      </p>
    </Card>
  )

const Nothing = ({ call, rig, verdict }: Props) => (
  <Empty title="Nothing to judge yet">
    <Hint call={call} verdict={verdict} />
    <p>
      The judge reads what a client of this space asks, what it is told and what is sent, and holds it against
      the <a href={call.at('/docs/conduct.md')}>rules of conduct</a>. This line makes a first request:
    </p>
    <Snippet text={firstRequestLine(call, rig.space)} label="Copy the line" />
  </Empty>
)
