import { unfitTls } from '../../rig/side-ports.ts'
import { durationWords } from '../../rig/words.ts'
import type { Attempt } from '../attempt.ts'
import type { ClientHistory } from '../client-history.ts'
import { groupBy } from '../grouping.ts'
import { lastAttemptOf } from '../intended-sendings.ts'
import { elapsedBetween, requestedWait } from '../intervals.ts'
import { interpretResponse } from '../knowledge.ts'
import { countWords, describeResponse, transactionIdWords } from './finding-words.ts'
import { defineRule, type Suspicion } from './rule.ts'

/** A client that tried this often, over this many milliseconds, has done enough. */
export const sufficientEffort = { attempts: 3, time: 30_000 }
/** Milliseconds; a client may treat a longer requested wait as a refusal. */
const longWait = 5 * 60_000

export const notRepeated = defineRule({
  id: 'R11',
  title: 'Not repeated after an error or a timeout',
  clause: '4.1/8',
  severity: 'error',
  dependsOn: 'end',
  detection:
    'The last response was an error, was lost or cannot be believed, and then the client ended. A client that reports that nothing was sent must have made at least 3 attempts, over at least 30 s. One that reports that the outcome is unknown must have repeated the request once; else it is a warning.',
  exceptions:
    'Attempts without a transactionId, which must not be repeated; a client that read the sending afterwards; a client that the exam stopped. The finding is open until the end of the client is known.',
  remedy: 'Repeat with the same transactionId and growing pauses until a response says what happened.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    const { end } = history
    for (const sending of history.sendings) {
      const { transaction, last } = lastAttemptOf(sending)
      // An answer that may have been received, or that had another meaning, is not silence.
      if (history.knowledge.receipt(last) !== 'none' && interpretResponse(last) !== 'unknown') continue
      if (transaction.transactionId === undefined || end?.stopped || end?.believes === 'sent') continue
      // The client still waits.
      if (!end && !last.ended) continue
      if (history.isActiveAfter(last) || history.endings.mayBeKnown(last)) continue
      if ((requestedWait(last)?.wait ?? 0) > longWait) continue
      const attempts = transaction.attempts.filter(it => !history.resends.has(it))
      const time = last.ended ? elapsedBetween(attempts[0]!.arrived, last.ended) : 0
      const isShort = attempts.length < sufficientEffort.attempts || time < sufficientEffort.time
      if (end && attempts.length > 1 && !(isShort && end.believes === 'not-sent')) continue
      yield {
        sending,
        evidence: [last],
        isOpen: !end,
        ...(end?.believes === 'unknown' && { severity: 'warning' }),
        sentence: end
          ? `${last.id} with ${transactionIdWords(transaction)} got ${describeResponse(last)},${followWords(history, last)} and the client ended after it had asked ${countWords(attempts.length)} with this transactionId${attempts.length > 1 ? ` in ${durationWords(time)}` : ''}. A repeat with the same transactionId would have told what became of it.`
          : `${last.id} with ${transactionIdWords(transaction)} got ${describeResponse(last)}. Only the end of the client shows whether it has given up.`,
      }
    }
  },
})

/** What the client saw in place of a redirect, if a GET followed it. */
function followWords({ attempts }: ClientHistory, last: Attempt): string {
  const [post, get] = followedRedirect(attempts) ?? []
  if (!get || post !== last) return ''
  const got = get.delivered === 'handed' && get.response ? get.response.status : describeResponse(get)
  return ` a GET followed (${get.id}), which creates nothing and got ${got},`
}

/** Whether the client reports success, though no answer can have shown it its own sending in state CREATED. */
const believesUntold = (history: ClientHistory): boolean =>
  history.end?.believes === 'sent' &&
  history.attempts.every(
    it =>
      it.delivered === 'none' ||
      it.delivered === 'cut' ||
      // The client left before it got anything.
      (it.delivered === 'aborted' && it.bytesSent === 0) ||
      history.showsState(it, 'CREATED') === false,
  )

/** A redirect that most clients follow with a GET, and the GET that followed; undefined if another creation came later. */
function followedRedirect(attempts: readonly Attempt[]): readonly [Attempt, Attempt] | undefined {
  const at = attempts.findLastIndex(({ creates }) => creates === 'sending')
  const post = attempts[at]
  if (post?.delivered !== 'handed' || ![301, 302, 303].includes(post.response?.status ?? 0)) return undefined
  const get = attempts.find(({ method }, later) => later > at && method === 'GET')
  return get && [post, get]
}

export const believedTooEarly = defineRule({
  id: 'R24',
  title: 'Believed sent without being told CREATED',
  clause: '4.1/1, 3/4',
  severity: 'error',
  dependsOn: 'end',
  detection:
    'The client ended and reports that the mailing was sent, but no response can have shown the client its own sending in state CREATED.',
  exceptions:
    'CREATED in a response with a wrong media type; a response of which a part had left when the client disconnected; a state that it read later, or may have read in a collection too long to be on record whole.',
  remedy: 'Report that it was sent only after a response with the state CREATED.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    const last = history.creations.at(-1)
    if (!last || followedRedirect(history.attempts) || !believesUntold(history)) return
    yield {
      sending: history.sendings.find(({ attempts }) => attempts.includes(last)),
      evidence: [last],
      sentence: `The client reports that the mailing was sent. The last that it was told is ${describeResponse(last)}, in ${last.id}; a success status alone means nothing.`,
    }
  },
})

export const redirectBelieved = defineRule({
  id: 'R25',
  title: 'Followed a redirect with a GET and believed it',
  clause: 'RFC 9110, 15.4',
  severity: 'error',
  dependsOn: 'end',
  detection:
    'A request to create a sending was answered with 301, 302 or 303. The client followed with a GET, did not try to create the sending again, and reports that the mailing was sent.',
  exceptions: 'A client that sent its request again, or that saw its own sending in state CREATED.',
  remedy: 'Do not follow the redirect of a POST: treat it as an error.',
  *find(history: ClientHistory): Iterable<Suspicion> {
    const followed = followedRedirect(history.attempts)
    if (!followed || !believesUntold(history)) return
    const [post, get] = followed
    yield {
      sending: history.sendings.find(({ attempts }) => attempts.includes(post)),
      evidence: followed,
      sentence: `${post.id} was redirected with ${post.response!.status}, ${get.id} followed as a GET, which creates nothing, and the client took its response for success.`,
    }
  },
})

export const credentialsLeaked = defineRule({
  id: 'R30',
  title: 'Credentials sent to another host',
  clause: 'section 5',
  severity: 'error',
  dependsOn: 'end',
  detection:
    'A listener on another host or port, to which a redirect led, saw the Authorization header. Only the person or program that runs the client can say so.',
  exceptions: 'A redirect to the service itself.',
  remedy: 'Send credentials to the configured host only, also when a redirect leads elsewhere.',
  survivesLoss: true,
  *find({ end, attempts }: ClientHistory): Iterable<Suspicion> {
    const hosts = end?.leakedTo ?? []
    if (hosts.length === 0) return
    const redirects = attempts.filter(({ response }) => response && Math.floor(response.status / 100) === 3)
    const [first] = redirects
    const why = first ? `${first.id} was redirected with ${first.response!.status}, and the` : 'The'
    yield {
      evidence: redirects,
      sentence: `${why} client sent its credentials to ${hosts.slice(0, 5).join(', ')}: a listener there can now use them.`,
    }
  },
})

export const unfitTlsAccepted = defineRule({
  id: 'R31',
  title: 'Credentials sent over TLS that does not fit',
  clause: 'RFC 9110, 4.3.4; RFC 8996',
  severity: 'error',
  dependsOn: 'request',
  detection:
    'A request came over a side port whose certificate has expired, is not valid yet, is for another host, comes from an unknown issuer or is self-signed, or that speaks TLS 1.1 at most. The client has shown its credentials by then.',
  exceptions:
    'A handshake that the client broke off; a request through a proxy leaves the finding open, because the proxy may have accepted the certificate.',
  remedy: 'Check issuer, host name and dates of each certificate, and use no protocol older than TLS 1.2.',
  survivesLoss: true,
  *find({ attempts }: ClientHistory): Iterable<Suspicion> {
    const unfit = attempts.filter(it => it.unfitTls !== undefined)
    for (const [kind, all] of groupBy(unfit, it => it.unfitTls!))
      yield {
        evidence: all,
        isOpen: all.every(({ isProxied }) => isProxied),
        sentence: `${all[0].id} came with credentials over a connection ${unfitTls[kind]}: a server in between can now use them.`,
      }
  },
})
