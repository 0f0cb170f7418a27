import { toSpaceDocument } from '../../control/spaces.ts'
import type { ControlTools } from '../../control/tools.ts'
import type { ClientReport } from '../../control/verdict.ts'
import { statusCounts } from '../../judge/harm.ts'
import type { VerdictView } from '../../judge/verdict-shape.ts'
import {
  fineCount,
  isDoubtful,
  isHeldAgainst,
  isRepeatRule,
  resultOf,
  unjudgedWords,
} from '../../judge/verdict-text.ts'
import { realTime } from '../../rig/clock.ts'
import { madeRoomSentence } from '../../rig/hints.ts'
import type { RigView } from '../../rig/space-view.ts'
import { countNoun, statusCountWords } from '../../rig/words.ts'
import { homeOf } from '../../store/tenant-directory.ts'
import type { PageCall, SpaceProps } from '../page-call.ts'
import { Chip, Chips, type Mark } from './chips.tsx'
import { Time } from './times.tsx'
import { harmMarks, isRefused, isRefusedSending } from './verdict-words.tsx'

/** The verdict for the end of the client for which a page is shown. */
export const shownVerdict = ({ tools, end }: PageCall, rig: RigView) => verdictFor(tools, rig, end)

/** The verdict for an end of the client; for the one that was last said, the cached verdict. */
export async function verdictFor(
  tools: Pick<ControlTools, 'verdict' | 'verdicts' | 'run'>,
  rig: RigView,
  end: ClientReport,
) {
  if (end === tools.run.endOf(rig) || rig.journal.count === 0) return tools.verdicts.get(rig)
  return (await tools.verdict(rig, end)).verdict
}

/** A space in one line: what was sent, what is armed, and the verdict. */
export function Glance({ call, rig, verdict }: SpaceProps & { verdict: VerdictView | undefined }) {
  const { sent, scheduled, stopped, faults, held, requests } = toSpaceDocument(call, rig)
  const figures = [
    [call.judged('/requests'), requests, requests === 1 ? 'request' : 'requests'],
    [call.judged('/platform'), sent, 'sent'],
    [call.judged('/platform'), scheduled, 'scheduled'],
    [call.judged('/platform'), stopped, 'stopped'],
    [call.here('/scenario'), faults, faults === 1 ? 'one-shot fault armed' : 'one-shot faults armed'],
    [call.here('/scenario'), held, 'held'],
  ] as const
  return (
    <ul
      id="glance"
      class="plain flow glance"
      data-live="request clock scenario reset"
      aria-label="At a glance"
    >
      {figures.map(
        ([href, figure, words], at) =>
          (at < 2 || figure > 0) && (
            <li>
              <a href={href}>
                <strong>{figure}</strong> <span class="soft">{words}</span>
              </a>
            </li>
          ),
      )}
      <li>
        <VerdictLink call={call} rig={rig} verdict={verdict} />
      </li>
    </ul>
  )
}

/** Whether the service refused all that is on record: the client has a wrong password, path or body. */
export function isAllRefused({ journal }: RigView): boolean {
  const entries = journal.entries()
  return entries.length > 0 && entries.every(it => !it.decision && /^4/.test(String(it.response?.status)))
}

const VerdictLink = ({ call, rig, verdict }: SpaceProps & { verdict: VerdictView | undefined }) => (
  <a href={call.judged('/verdict')}>
    <span class="soft">verdict</span> {verdict ? <VerdictChips {...{ rig, verdict }} /> : '–'}
  </a>
)

/** The verdict on a space beside the title of one of its pages. */
export async function TitleVerdict({ call, rig }: SpaceProps) {
  await rig.advancePlatform()
  const verdict = await shownVerdict(call, rig)
  return (
    <p id="glance" class="glance flush" data-live="request clock scenario reset">
      {verdict && <VerdictLink call={call} rig={rig} verdict={verdict} />}
    </p>
  )
}

export const countIntended = ({ sendings }: VerdictView): number =>
  sendings.filter(it => !isRefusedSending(it)).length

/**
 * How many sendings were intended, and how many attempts of them were refused: the same words wherever they are counted.
 * @param props.href of the timeline
 */
export function IntendedCount({ verdict, href }: { verdict: VerdictView; href?: string }) {
  const attempts = verdict.sendings.flatMap(it => it.attempts)
  const intended = countIntended(verdict)
  const refused = attempts.filter(isRefused).length
  const words = countNoun(attempts.length, 'attempt')
  return (
    <>
      {intended > 0 && `${countNoun(intended, 'intended sending')}: `}
      {href === undefined ? words : <a href={href}>{words} on a timeline</a>}
      {refused > 0 &&
        `, ${refused < attempts.length ? `${refused} of them ` : attempts.length > 1 ? 'all ' : ''}refused`}
    </>
  )
}

/** Whether sendings were asked for and none was made. A client that did not say how it ended may believe that it sent. */
export const hasSentNothing = ({ harm, sendings }: VerdictView): boolean =>
  harm.sent === 0 && harm.believes === null && sendings.length > 0

/** Why an innocent verdict says little; undefined if it says all. */
function doubtWords(verdict: VerdictView): string | undefined {
  if (verdict.hint) return 'unproved'
  if (hasSentNothing(verdict)) return 'nothing sent'
  const meant = fineCount(verdict)
  if (!meant) return undefined
  const counts = { ...statusCounts(verdict.harm), stopped: 0 }
  return isDoubtful(verdict) ? `${statusCountWords(counts)}, no transactionId` : `fine if ${meant} were meant`
}

const mostNamed = 2

/** A chip that names the rules of these findings, or counts them where they are many; none for none. */
function RulesChip({
  tone,
  findings,
  word,
}: Pick<Mark, 'tone'> & Pick<VerdictView, 'findings'> & { word: string }) {
  const rules = [...new Map(findings.map(it => [it.rule, `${it.rule}: ${it.title}`]))]
  if (rules.length === 0) return null
  return (
    <Chip tone={tone} title={rules.map(([, title]) => title).join('\n')}>
      {`${rules.length > mostNamed ? findings.length : rules.map(([rule]) => rule).join(', ')} ${word}`}
    </Chip>
  )
}

/** The verdict as chips, with counts. @param props.rig of the space, where what it refused is to be seen as well */
export function VerdictChips({ verdict, rig }: { verdict: VerdictView; rig?: RigView }) {
  const { outcome, findings, harm, hint, earlier, missing, loss } = verdict
  const unjudged = unjudgedWords(missing)
  const graver = findings.filter(isHeldAgainst)
  const proved = graver.filter(({ status }) => status === 'guilty')
  const warnings = proved.filter(({ severity }) => severity === 'warning').length
  const errors = proved.length - warnings
  const isSuspected = resultOf(verdict).word === 'suspected'
  // What makes the verdict suspected has that chip.
  const unproved = graver.filter(({ status }) => status === 'open')
  const suspected = verdict.suspicion === null ? [] : unproved.filter(({ rule }) => isRepeatRule(rule))
  const open = unproved.filter(it => !suspected.includes(it))
  const marks = harmMarks(harm)
  const doubt = doubtWords(verdict)
  // Possible harm says what is suspected.
  const [first, ...others] = marks
  const suspicion: Mark | undefined =
    isSuspected && first?.words.endsWith('?')
      ? { ...first, tone: 'bad', words: `suspected: ${first.words}` }
      : undefined
  return (
    <>
      {isSuspected && !suspicion && suspected.length === 0 && <Chip tone="bad">suspected</Chip>}{' '}
      <Chips marks={suspicion ? [suspicion, ...others] : marks} />{' '}
      {errors > 0 && <Chip tone="bad">{countNoun(errors, 'violation')}</Chip>}{' '}
      {warnings > 0 && <Chip tone="warn">{countNoun(warnings, 'warning')}</Chip>}{' '}
      {!suspicion && <RulesChip tone="bad" findings={suspected} word="suspected" />}{' '}
      {!isSuspected && <RulesChip tone="calm" findings={open} word="open" />}{' '}
      {outcome === 'innocent' && marks.length === 0 && (
        <Chip tone={isDoubtful(verdict) ? 'warn' : doubt ? 'calm' : 'good'} title={hint ?? undefined}>
          {doubt ?? 'innocent'}
        </Chip>
      )}
      {outcome === 'open' && (earlier > 0 || (open.length === 0 && marks.length === 0 && !isSuspected)) && (
        <Chip tone="calm" title={hint}>
          {earlier > 0 ? 'earlier not on record' : 'open'}
        </Chip>
      )}{' '}
      {rig && unjudged && (
        <Chip tone="calm" title={loss}>
          {unjudged}
        </Chip>
      )}{' '}
      {rig && isAllRefused(rig) && <Chip tone="bad">all refused</Chip>}
    </>
  )
}

/**
 * Says since when requests are on record, if the platform has sendings without a recorded request: the platform's data
 * survives restarts and eviction, the record of requests does not.
 */
export function RecordSince({ call, rig, isPlatform }: SpaceProps & { isPlatform?: true }) {
  const causes = unrecordedCauses(rig)
  const earlier = causes.filter(cause => rig.isBeforeRecord(cause)).length
  const gone = causes.length - earlier
  const since = <Time at={rig.journal.since} now={realTime()} of="real" />
  const { name } = rig.space
  const place = isPlatform ? (
    'below'
  ) : (
    <>
      on <a href={call.judged('/platform')}>Platform</a>
    </>
  )
  return (
    <>
      {rig.hasLostRecord && <p class="record-since">{madeRoomSentence(rig.continues)}.</p>}
      {(earlier > 0 || (rig.continues && !rig.hasLostRecord)) && (
        <p class="record-since">
          Requests before {since} are not on record: the mock was restarted
          {homeOf(name) !== name && ', or this private space was closed to make room'}.{' '}
          {earlier > 0 && (
            <>
              {earlier === 1 ? 'Their sending is' : `Their ${earlier} sendings are`} {place}.
            </>
          )}
        </p>
      )}
      {gone > 0 && (
        <p class="record-since">
          Requests since {since} are on record{lossWords(rig)};{' '}
          {gone === 1 ? 'their sending is' : `their ${gone} sendings are`} {place}.
        </p>
      )}
    </>
  )
}

/** Why earlier requests are not on record. */
function lossWords({ journal }: RigView): string {
  const { dropped, count } = journal
  const removed = count - dropped - journal.entries().length
  const why = [
    dropped > 0 &&
      `${countNoun(dropped, 'earlier one was', 'earlier ones were')} dropped to make room (--journal)`,
    removed > 0 && `${countNoun(removed, 'earlier one was', 'earlier ones were')} removed on purpose`,
  ]
  return why
    .filter(Boolean)
    .map(it => `, and ${it}`)
    .join('')
}

/** The requests that are not on record and asked for sendings since the space began: one for each sending. */
export function unrecordedCauses({ journal, space }: RigView): string[] {
  const known = new Set(journal.entries().map(({ id }) => id))
  const causes = [...space.data.tables.platformSendings.changes()].map(({ row }) => row.cause)
  return causes.filter(cause => /^r\d/.test(cause) && !known.has(cause))
}

/** Whether there were requests that are not on record, as far as anything shows it. */
export const hasUnrecorded = (rig: RigView): boolean => rig.continues || unrecordedCauses(rig).length > 0
