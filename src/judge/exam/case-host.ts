import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asksForSending } from '../../rig/request-meaning.ts'
import type { RequestRecord } from '../../rig/request-record.ts'
import { beginSpace, type SpaceHost } from '../../rig/rigs.ts'
import type { SideMode, SidePort } from '../../rig/side-ports.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { settingRow } from '../../rig/space-settings.ts'
import { homeOf } from '../../store/tenant-directory.ts'
import { UserError } from '../../store/user-error.ts'
import type { ClientEnd } from '../terms.ts'
import { changeCase } from './case-changes.ts'
import type { ConnectionTrouble, ExamCase } from './cases.ts'
import type { ClientCall } from './client.ts'
import type { SessionOptions } from './exam-result.ts'

/** What a case needs of a port that leads to the service, unless its mode says otherwise. */
export type CasePort = Pick<
  SidePort,
  'port' | 'onConnection' | 'connectionCounts' | 'waiting' | 'switch' | 'close'
>

/** A port of a case at which connections fail, one mode after the other; afterwards they reach the service. */
export type FaultyListener = Awaited<ReturnType<typeof openFaultyListener>>

/**
 * @param open opens a port that leads to the service, unless its mode says otherwise
 * @param speed speed of the service's clock; 1 is real time
 * @throws an error when it cannot listen
 */
export async function openFaultyListener(
  troubles: readonly ConnectionTrouble[],
  open: (mode: SideMode) => Promise<CasePort>,
  speed: number,
) {
  const modeAt = (index: number): SideMode => troubles[index]?.mode ?? 'pass'
  const port = await open(modeAt(0))
  let at = 0
  let affectedNow = 0
  let timer: NodeJS.Timeout | undefined
  let failure: string | undefined
  function startTimer(): void {
    const now = troubles[at]
    if (now && 'for' in now) timer = setTimeout(next, now.for / speed)
  }
  function next(): void {
    at++
    affectedNow = 0
    port.switch(modeAt(at)).then(startTimer, (error: Error) => {
      failure = error.message
    })
  }
  port.onConnection = mode => {
    const now = troubles[at]
    if (mode !== 'pass' && now && 'connections' in now && ++affectedNow >= now.connections) next()
  }
  startTimer()
  return {
    port: port.port,
    /** Number of connections that failed, without refused ones, which are not reported. */
    get affectedCount() {
      return [...port.connectionCounts].reduce((sum, [mode, count]) => sum + (mode === 'pass' ? 0 : count), 0)
    },
    /** Connections on which the client waits for an answer that will not come. */
    get waiting() {
      return port.waiting
    },
    /** Why connections do not reach the service, if the case did not cause it. */
    get failure() {
      return failure
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      await port.close()
    },
  }
}

/** Maximum number of ports tried until one is free on both loopback addresses. */
const maxTries = 5

/** Another host, to which a redirect leads. */
export interface RedirectTarget {
  /** Its name and port. */
  readonly host: string
  /** Whether it received credentials. */
  readonly wasShownCredentials: boolean
  close(): Promise<void>
}

/**
 * Another host, to which a redirect leads: a server on this machine under another name and port. It does nothing and
 * records whether it received credentials.
 * @throws an error when it cannot listen
 */
export async function openRedirectTarget(): Promise<RedirectTarget> {
  let wasShownCredentials = false
  const listen = async (port: number, host: string) => {
    const server = createServer(({ headers }, response) => {
      wasShownCredentials ||= headers.authorization !== undefined
      // Not a refusal: the client may continue where it came from.
      response.writeHead(503, { 'Content-Type': 'text/plain', Connection: 'close' })
      response.end('This is not the mailing synchronization service.\n')
    })
    await once(server.listen(port, host), 'listening')
    return server
  }
  const target = (port: number, ...servers: Server[]): RedirectTarget => ({
    /** Another name than that of the service, which is addressed by number. */
    host: `localhost:${port}`,
    get wasShownCredentials() {
      return wasShownCredentials
    },
    async close(): Promise<void> {
      await Promise.all(servers.map(closeServer))
    },
  })
  for (let nth = 1; ; nth++) {
    const one = await listen(0, '127.0.0.1')
    const { port } = one.address() as AddressInfo
    try {
      // The name may resolve to either address.
      return target(port, one, await listen(port, '::1'))
    } catch (error) {
      // Any other error means that this machine has no such address.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || nth === maxTries) return target(port, one)
      await closeServer(one)
    }
  }
}

const closeServer = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/**
 * Waits for the first attempt to create a sending, or the first that meets a step of the scenario.
 * @param event `opened`: it has arrived. `answered`: the service has processed it. `closed`: its answer has left.
 * @returns whether it has come so far, before `over` resolved
 */
export function waitForFirstAttempt(
  rig: SpaceRig,
  event: 'opened' | 'answered' | 'closed',
  over: Promise<unknown>,
  step?: number,
): Promise<boolean> {
  return new Promise(resolve => {
    const end = (has: boolean) => {
      stop()
      resolve(has)
    }
    const stop = rig.events.listen(({ type, data }) => {
      if (type !== 'request') return
      const { what, record } = data as { what: string; record: RequestRecord }
      const isMeant = step === undefined || record.decision?.stepIndex === step
      if (what === event && isMeant && asksForSending(record, rig.reader)) end(true)
    })
    void over.catch(() => {}).then(() => end(false))
  })
}

/** Where cases run: a mock, and how a client reaches it. */
export interface CaseHost {
  readonly tools: SpaceHost
  /** Base URL of the service, without a slash at the end. */
  readonly url: string
  /** File with the certificate authority that clients have to trust, over HTTPS. */
  readonly caFile?: string | undefined
  /** The space whose private spaces the cases use. */
  readonly home: string
  /** Opens another port that leads to the mock; undefined if clients can only use its own. */
  readonly openSidePort?: ((mode: SideMode) => Promise<CasePort>) | undefined
  /** Gives the capsule of a space whose client has ended so, as the text of a file; undefined where none is wanted. */
  readonly capsuleOf?:
    | ((space: string, end: Pick<ClientEnd, 'believes' | 'expected'>) => Promise<string>)
    | undefined
  /** Opens another host; on this machine by default. */
  readonly openRedirectTarget?: (() => Promise<RedirectTarget>) | undefined
}

export class NoUserWithWriteAccess extends UserError {
  override readonly name = 'NoUserWithWriteAccess'
}

/**
 * Prepares a private space for a case.
 * @param tag the part after the plus in the names of space and user
 * @throws NoUserWithWriteAccess, or an error when a port of its own cannot be opened
 */
export async function prepareCase(
  exam: ExamCase,
  tag: string,
  host: CaseHost,
  { seed, speed }: Pick<SessionOptions, 'seed' | 'speed'>,
) {
  const { spaces } = host.tools
  const content = spaces.directory.contentOf(homeOf(host.home))!
  const user = content.users.find(({ rights }) => rights.includes('write'))
  if (!user) throw new NoUserWithWriteAccess(`no user of space "${host.home}" has the right to write`)
  const rig = await beginSpace(host.tools, `${host.home}+${tag}`, {
    fixture: content.fixture,
    seed,
    age: 0,
    settings: [settingRow('clock', { rate: speed, pace: speed })],
  })
  const { scenario } = exam
  const open = host.openRedirectTarget ?? openRedirectTarget
  const redirectTarget = typeof scenario === 'function' ? await open() : undefined
  const armed = typeof scenario === 'function' ? scenario(redirectTarget!.host) : scenario
  // A scenario that is in force in all spaces does not apply to a case.
  await changeCase(rig, { arm: armed?.name ?? null }, { scenario: armed })
  const { space, source } = rig.clock.stored
  // The client goes by the machine's time, whatever --now says.
  const shift = source - space
  const present = rig.clock.now() + shift
  const ahead = shift + exam.clockAhead - exam.clockBehind
  if (ahead !== 0) await changeCase(rig, { advance: ahead })
  const date = present + exam.scheduleIn
  if (exam.datePasses)
    // As soon as the first attempt has been answered or lost.
    void waitForFirstAttempt(rig, 'closed', new Promise(() => {})).then(() =>
      changeCase(rig, { reach: date + minute }),
    )
  const listener =
    exam.listenerFaults &&
    host.openSidePort &&
    (await openFaultyListener(exam.listenerFaults, host.openSidePort, speed))
  const call: Omit<ClientCall, 'state' | 'signal'> = {
    case: exam.name,
    url: listener ? withPort(host.url, listener.port) : host.url,
    caFile: host.caFile,
    user: `${user.name}+${tag}`,
    password: user.password,
    synchronizationId: exam.synchronizationId,
    scheduleDate: exam.isScheduled ? new Date(date).toISOString() : undefined,
    speed,
  }
  return { exam, rig, listener, redirectTarget, call }
}

export type PreparedCase = Readonly<Awaited<ReturnType<typeof prepareCase>>>

const minute = 60_000

function withPort(url: string, port: number): string {
  const other = new URL(url)
  other.port = String(port)
  return other.origin
}

/**
 * Completes everything that the case has started: releases held requests, and moves the clock so that late and planned
 * work is done. Afterwards the ledger is final.
 */
export async function drain({ rig }: PreparedCase): Promise<void> {
  for (const name of rig.holds.counts().keys()) await changeCase(rig, { release: name })
  await changeCase(rig, { advance: maxPlanTime })
}

/** Milliseconds after which every plan of the catalogue's scenarios has ended. */
const maxPlanTime = 20 * minute
