import type { Child } from 'hono/jsx'
import { toSpaceDocument } from '../control/spaces.ts'
import { statedEnd, verdictQuery } from '../control/verdict.ts'
import type { Rule } from '../judge/rules/rule.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import {
  conditionOf,
  fineCount,
  isDoubtful,
  isRepeatRule,
  moreEvidence,
  resultOf,
  shownEvidence,
} from '../judge/verdict-text.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { capitalize, countNoun } from '../rig/words.ts'
import { Chip, Chips, scenarioWords, type Tone } from './components/chips.tsx'
import { Card, CodeLink, Empty, Field, Live, Snippet } from './components/elements.tsx'
import {
  countIntended,
  hasSentNothing,
  isRefused,
  RecordSince,
  VerdictChips,
} from './components/space-summary.tsx'
import { NextSent } from './components/times.tsx'
import {
  beliefWords,
  harmMarks,
  JudgeSentence,
  severityTones,
  type VerdictQuery,
} from './components/verdict-words.tsx'
import { type PageCall, spacePage } from './page.ts'
import { firstRequestLine } from './service-links.ts'
import { groupBy } from './timeline/lanes.ts'

const beliefs = ['sent', 'not-sent', 'unknown'] as const

/**
 * What only the person who ran the client knows, each with the verdict that follows from it. It is part of the address,
 * so it can be shared.
 */
async function ClientEnd({ call, rig, verdict }: { call: Call; rig: SpaceRig; verdict: VerdictView }) {
  const { believes, workers } = call.query
  const areStated = Boolean(new URL(call.request.url).searchParams.get('workers'))
  // With an end and no number the address means 1, as for a program.
  const isCounted = call.query.expected === undefined && believes === undefined
  const counted = fineCount(verdict) ?? (countIntended(verdict) || 1)
  const expected = isCounted ? counted : (call.query.expected ?? 1)
  const action = call.here('/verdict')
  const readings = beliefs.map(async it => {
    const { verdict } = await call.tools.verdict(rig, { believes: it, expected, workers })
    return (
      <li class="row">
        <button type="submit" name="believes" value={it} aria-pressed={String(it === believes)}>
          {beliefWords(it, expected)}
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
        Only you know how the client ended. Each answer has the verdict that follows from it, if{' '}
        {countNoun(expected, 'mailing was', 'mailings were')} meant
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
          value={areStated ? workers : undefined}
          placeholder="1 if not said"
        />
        {/* The first button of the form, so that Enter in a field chooses no answer. */}
        <button type="submit" name={believes && 'believes'} value={believes}>
          Apply
        </button>
      </div>
      {areStated && believes === undefined && (
        <p>The number of workers counts once you choose how the client ended.</p>
      )}
      <ul class="plain stack">{await Promise.all(readings)}</ul>
    </form>
  )
}

type Finding = VerdictView['findings'][number]

interface RequestLinks {
  /** Its own page. */
  readonly request: (id: string) => string
  /** Its lane among the sendings; undefined where it has none. */
  readonly lane: (id: string) => string | undefined
}

function Evidence({ evidence, places }: { evidence: readonly string[]; places: RequestLinks }) {
  if (evidence.length === 0) return null
  const lane = places.lane(evidence[0]!)
  return (
    <p class="soft">
      {evidence.length === 1 ? 'Request' : 'Requests'}{' '}
      {evidence.slice(0, shownEvidence).map((id, at) => (
        <>
          {at > 0 && ' '}
          <CodeLink href={places.request(id)}>{id}</CodeLink>
        </>
      ))}
      {moreEvidence(evidence)}{' '}
      {lane !== undefined && (
        <>
          · <a href={lane}>timeline</a>
        </>
      )}
    </p>
  )
}

/** Maximum number of findings whose requests are shown below one sentence. */
const maxAlike = 30

/** Findings that one sentence tells: apart from requests and values, they have the same words. */
const alike = <It extends { readonly sentence: string; readonly status: string }>(
  findings: readonly It[],
): readonly It[][] => [
  ...groupBy(findings, it => [
    it.status + it.sentence.replace(/\br\d+-\d+\b|"(?:[^"\\]|\\.)*"/g, '…'),
  ]).values(),
]

/** The requests of findings with one sentence. */
function EvidenceOfAll(props: { findings: readonly Pick<Finding, 'evidence'>[]; places: RequestLinks }) {
  const { findings, places } = props
  const more = findings.length - maxAlike
  return (
    <>
      {findings.length > 1 && <p>{findings.length} of this kind:</p>}
      <div class="flow">
        {findings.slice(0, maxAlike).map(({ evidence }) => (
          <Evidence evidence={evidence} places={places} />
        ))}
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
    'Enter how many workers the client had, and choose above how it ended.',
  ],
  intent: [
    'It depends on whether these requests mean one mailing.',
    'Say above how many mailings the client had to send, and how it ended.',
  ],
  end: ['It depends on how the client ended.', 'Choose it above when the client has ended.'],
}

const countOpen = ({ findings }: VerdictView, id: string) =>
  findings.filter(({ rule, status }) => rule === id && status === 'open').length

/** @param settled the verdict when one worker has ended: what is open even then, no answer of the reader decides */
function hintFor({ id, dependsOn }: Rule, verdict: VerdictView, settled: VerdictView): string | undefined {
  const { expected, believes } = verdict.harm
  // Then each finding says it.
  if (believes !== null) return undefined
  const isOfIntent = dependsOn === 'intent' && expected !== 1
  if (isOfIntent && countIntended(verdict) > 1)
    return `${hints.intent[0]} Only a space with one mailing decides it: use a space for each test.`
  const isDecided = countOpen(settled, id) < countOpen(verdict, id)
  if (!isDecided) return hints[isOfIntent ? 'intent' : 'request'][0]
  // With one mailing, all requests are about it. What an answer decides does not depend on the requests alone.
  const isOfWorker = dependsOn === 'request' || (dependsOn === 'intent' && expected === 1)
  return hints[isOfWorker ? 'worker' : dependsOn].join(' ')
}

interface Judged {
  readonly verdict: VerdictView
  readonly settled: VerdictView
  readonly rules: readonly Rule[]
}

/** Findings by rule: proved ones, open ones, and remarks. */
function Findings(props: Judged & { places: RequestLinks }) {
  const { verdict, settled, rules, places } = props
  const accusations = verdict.findings.filter(({ severity }) => severity !== 'information')
  const isSuspected = (it: Finding) => verdict.suspicion !== null && isRepeatRule(it.rule)
  const open = accusations.filter(({ status }) => status === 'open')
  // The chip of those that are not proved; the others have their severity.
  const parts = [
    ['Broken rules', accusations.filter(({ status }) => status === 'guilty')],
    ['Suspected', open.filter(isSuspected), { tone: 'bad', words: 'suspected' }],
    ['Open questions', open.filter(it => !isSuspected(it)), { tone: 'calm', words: 'open' }],
    ['Remarks', verdict.findings.filter(({ severity }) => severity === 'information')],
  ] as const
  const named = new Set<string>()
  return parts.map(
    ([title, findings, mark]) =>
      findings.length > 0 && (
        <section aria-label={title}>
          <h2>{title}</h2>
          {title === 'Open questions' && findings.length > 1 && (
            <p class="soft">
              {findings.length} questions about {new Set(findings.flatMap(it => it.evidence)).size} requests
            </p>
          )}
          {[...groupBy(findings, ({ rule }) => [rule])].map(([id, ofRule]) => {
            const { severity, remedy } = ofRule[0]!
            const anchor = named.has(id) ? undefined : id
            named.add(id)
            const rule = rules.find(it => it.id === id)!
            const hint = mark && hintFor(rule, verdict, settled)
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
                        <JudgeSentence {...same[0]!} text={same[0]!.sentence} href={places.request} />
                      </p>
                      <EvidenceOfAll findings={same} places={places} />
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

/** The harm that the ledger proves, regardless of who caused it. */
function HarmCard(props: {
  verdict: VerdictView
  /** How many of the mailings are still to be sent. */
  scheduled: number
  places: RequestLinks
  platform: string
  /** Says what is sent later. */
  later: Child
}) {
  const { verdict, scheduled, places, platform, later } = props
  const { findings, sent, expected, believes } = verdict.harm
  const isShort = believes === null && expected !== null && sent < expected
  return (
    <Card id="harm" title="Harm">
      <p>
        <a href={platform}>{countNoun(sent - scheduled, 'mailing')}</a>{' '}
        {sent - scheduled === 1 ? 'was' : 'were'} sent
        {scheduled > 0 && ` and ${scheduled} ${scheduled === 1 ? 'is' : 'are'} scheduled`}
        {expected !== null && `, where ${expected} ${expected === 1 ? 'was' : 'were'} meant`}
        {believes !== null && `; the client reports: ${beliefWords(believes, expected).toLowerCase()}`}.
      </p>
      {findings.length === 0 && !verdict.complete && (
        <p class="soft">
          <Chip tone="calm">none on record</Chip> What came of requests that are not on record is not known.
        </p>
      )}
      {isShort && findings.length === 0 && verdict.complete && (
        <p class="soft">
          <Chip tone="calm">open</Chip> {sent} of {expected} so far; whether the rest is lost depends on the
          client’s end.
        </p>
      )}
      {!isShort && findings.length === 0 && verdict.complete && (
        <p class="soft">
          {fineCount(verdict) !== undefined ? (
            <>
              <Chip tone={isDoubtful(verdict) ? 'warn' : 'calm'}>open</Chip> Whether one of them was sent
              twice depends on how many were meant.
            </>
          ) : (
            <>
              <Chip tone="good">none</Chip> Nothing was sent twice or lost, and no mailing was left unsent on
              the platform, as far as the server can tell.
            </>
          )}
        </p>
      )}
      {later}
      {findings.length > 0 && (
        <ul class="plain verdict-list">
          {alike(findings).map(([finding, ...others]) => (
            <li>
              <p>
                <Chips marks={harmMarks({ findings: [finding!], expected })} />{' '}
                <JudgeSentence {...finding!} text={finding!.sentence} href={places.request} />{' '}
                {finding!.status === 'open' && (
                  <span class="soft">It depends on how many mailings were meant.</span>
                )}
              </p>
              <EvidenceOfAll findings={[finding!, ...others]} places={places} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** Why the verdict says less than it could. Where no sending was asked for, refused requests may say why. */
const Hint = ({ call, verdict: { hint, sendings } }: { call: Call; verdict: VerdictView }) =>
  hint && (
    <p>
      <JudgeSentence
        text={hint}
        evidence={sendings.flatMap(it => it.attempts.map(({ requestId }) => requestId))}
        href={id => call.judged(`/requests/${id}`)}
      />{' '}
      {sendings.length === 0 &&
        (hint.includes('credentials') ? (
          <a href={`${call.root}#turned-away`}>Requests with wrong credentials, of all spaces</a>
        ) : (
          <a href={call.judged('/requests')}>Requests of this space</a>
        ))}
    </p>
  )

/** Why a client that reports success without a whole CREATED is not accused by R24. */
function PerhapsRead({ verdict: { harm, sendings } }: { verdict: VerdictView }) {
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

/** The rules that decide the outcome, which the cards below tell in full. */
function NamedRules({ verdict: { outcome, suspicion, findings } }: { verdict: VerdictView }) {
  if (outcome === 'innocent' || (outcome === 'open' && suspicion !== null)) return null
  const wanted = outcome === 'guilty' ? 'guilty' : 'open'
  const isSuspected = ({ rule, status }: Finding) =>
    status === 'open' && suspicion !== null && isRepeatRule(rule)
  const graver = findings.filter(({ severity }) => severity !== 'information')
  const named = new Map(
    [...graver.filter(isSuspected), ...graver.filter(({ status }) => status === wanted)].map(it => [
      it.rule,
      it,
    ]),
  )
  if (named.size === 0) return null
  return (
    <ul>
      {[...named.values()].map(({ rule, title, status }) => (
        <li>
          <a href={`#${rule}`}>{rule}</a> {title}
          {status === 'open' && '?'}
        </li>
      ))}
    </ul>
  )
}

/** The outcome and its reasons. */
function OutcomeCard({ call, verdict }: { call: Call; verdict: VerdictView }) {
  const attempts = verdict.sendings.flatMap(it => it.attempts)
  const intended = countIntended(verdict)
  const refused = attempts.filter(isRefused).length
  const { outcome } = verdict
  const { word, sentence } = resultOf(verdict)
  const isUnsent = word === 'innocent' && hasSentNothing(verdict)
  const isUnsure = isUnsent || fineCount(verdict) !== undefined
  const tone = isDoubtful(verdict) ? 'warn' : isUnsure ? 'calm' : (calmTones[word] ?? 'bad')
  return (
    <section class={`card verdict-outcome ${tone}`} aria-labelledby="outcome">
      <h2 id="outcome">
        <Chip tone={tone}>{isUnsent ? 'nothing sent' : word}</Chip> {capitalize(sentence)}{' '}
        {conditionOf(verdict)}
      </h2>
      {verdict.suspicion !== null && (
        <p>
          <JudgeSentence
            text={verdict.suspicion}
            evidence={attempts.map(({ requestId }) => requestId)}
            href={id => call.judged(`/requests/${id}`)}
          />
        </p>
      )}
      <NamedRules verdict={verdict} />
      <Hint call={call} verdict={verdict} />
      <PerhapsRead verdict={verdict} />
      {outcome === 'guilty' && (
        <p>
          In all: <VerdictChips verdict={verdict} />
        </p>
      )}
      <p>
        {intended > 0 && `${countNoun(intended, 'intended sending')}: `}
        {attempts.length === 0 ? (
          intended > 0 ? (
            'no attempt'
          ) : (
            'Nothing that was let in asks for a sending.'
          )
        ) : (
          <a href={call.judged('/sendings')}>{countNoun(attempts.length, 'attempt')} on a timeline</a>
        )}
        {refused > 0 &&
          `, ${refused < attempts.length ? `${refused} of them ` : attempts.length > 1 ? 'all ' : ''}refused`}
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

type Call = PageCall<VerdictQuery>

export default spacePage('verdict', {
  query: verdictQuery,
  async show(call, rig) {
    const { expected = 1 } = call.query
    const { verdict, rules } = await call.tools.verdict(rig, statedEnd(call.query), call.query.expected)
    const { verdict: settled } = await call.tools.verdict(rig, { believes: 'unknown', expected, workers: 1 })
    return {
      content: (
        <>
          <Live id="record-since" on="request clock reset">
            <RecordSince call={call} rig={rig} />
          </Live>
          <Live id="client-end" on="request clock scenario reset" class="verdict">
            {rig.journal.count > 0 && (
              <>
                <OutcomeCard call={call} verdict={verdict} />
                <ClientEnd call={call} rig={rig} verdict={verdict} />
              </>
            )}
          </Live>
          <Live id="verdict" on="request clock scenario reset" class="verdict">
            <VerdictParts call={call} rig={rig} verdict={verdict} settled={settled} rules={rules} />
            <NeverApplied unstruck={verdict.unstruck} href={call.here('/scenario')} />
            {verdict.missing > 0 && (
              <Card id="record" title="Not on record">
                <p>
                  {countNoun(verdict.missing, 'request')} dropped to make room, or removed on purpose. What
                  they would show is open. <a href={call.here('/data')}>Reset the space</a> between tests
                  instead of clearing its record.
                </p>
              </Card>
            )}
          </Live>
          <OtherForms call={call} />
        </>
      ),
    }
  },
})

function VerdictParts(props: Judged & { call: Call; rig: SpaceRig }) {
  const { call, rig, verdict } = props
  if (rig.journal.count === 0)
    return (
      <Empty title="Nothing to judge yet">
        <Hint call={call} verdict={verdict} />
        <p>
          The judge reads what a client of this space asks, what it is told and what is sent, and holds it
          against the <a href={call.at('/docs/conduct.md')}>rules of conduct</a>. This line makes a first
          request:
        </p>
        <Snippet text={firstRequestLine(call, rig.space)} label="Copy the line" />
      </Empty>
    )
  const attempts = new Set(verdict.sendings.flatMap(it => it.attempts.map(({ requestId }) => requestId)))
  const places: RequestLinks = {
    request: id => call.judged(`/requests/${id}`),
    lane: id => (attempts.has(id) ? call.judged('/sendings', { request: id }) : undefined),
  }
  return (
    <>
      <HarmCard
        verdict={verdict}
        scheduled={toSpaceDocument(call, rig).scheduled}
        places={places}
        platform={call.judged('/platform')}
        later={<NextSent rig={rig} href={call.here('/clock')} />}
      />
      <Findings {...props} places={places} />
    </>
  )
}

function OtherForms({ call }: { call: Call }) {
  const address = (format: string) => call.judged('/verdict', { format })
  return (
    <p class="soft">
      The same <a href={address('text')}>as text</a> or <a href={address('json')}>as JSON</a>, for a test to
      look at.
    </p>
  )
}
