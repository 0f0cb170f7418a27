import type { z } from 'zod'
import type { ControlForms } from '../control/call-table.ts'
import type { KnownRule } from '../judge/rules/registry.ts'
import type { scenarioFile } from '../rig/scenarios/schema.ts'
import type { MailingChange } from '../rig/space-events.ts'
import type { DialValues } from '../service/dials.ts'
import type { FaultName, OtherCase, PackagedScenario } from './known-names.ts'

/** Named types of control calls and their responses, all derived from the schemas of the routes. */

type Answer<Name extends keyof ControlForms> = ControlForms[Name]['answer']
type Query<Name extends keyof ControlForms> = NonNullable<ControlForms[Name]['query']>

/**
 * Names of your own scenarios, for the compiler: `declare module 'mailing-sync-mock' { interface OwnScenarios { 'my-outage': true } }`
 * (from 'mailing-sync-mock/control' or '/vitest' where only that is imported).
 */
// biome-ignore lint/suspicious/noEmptyInterface: users add members
export interface OwnScenarios {}
/** A scenario of the package or of `OwnScenarios`. */
export type ScenarioName = PackagedScenario | keyof OwnScenarios
/** A case of an exam, or several: `*` matches any characters, `?` exactly one. */
export type CasePattern = ScenarioName | OtherCase | `${string}*${string}` | `${string}?${string}`
export type { FaultName } from './known-names.ts'

/** State of a space: clock, scenario and counts. */
export type SpaceState = Answer<'GET /spaces/{space}'>
export type ClockState = Answer<'GET /spaces/{space}/clock'>
/** One request: what was asked, what was done, what the client was told, and whether that was delivered. */
export type RequestEntry = Answer<'GET /spaces/{space}/requests'>['_embedded']['requests'][number]
/** One request with its response explained. */
export type ExplainedRequest = Answer<'GET /spaces/{space}/requests/{id}'>
/** Result of waiting for requests. */
export type Awaited = Answer<'GET /spaces/{space}/requests/wait'>
/** What actually happened on the platform. */
export type Platform = Answer<'GET /spaces/{space}/platform'>
export type PlatformSending = Platform['sendings'][number]
/** A broken rule of conduct, with the requests that prove it. */
export type Finding = Answer<'GET /spaces/{space}/verdict'>['findings'][number] & { readonly rule: KnownRule }
/** The judge's verdict on the conduct of clients. */
export type Verdict = Omit<Answer<'GET /spaces/{space}/verdict'>, 'findings'> & {
  readonly findings: readonly Finding[]
}
/** The scenario in force and those that requests selected, with their hits. */
export type ScenarioInForce = Answer<'GET /spaces/{space}/scenario'>
/** One scenario of the catalogue. */
export type ScenarioShown = Answer<'GET /scenarios/{name}'> & { readonly name: ScenarioName }
/** The one-shot faults of a space. */
export type Faults = Answer<'GET /spaces/{space}/faults'>
/** One one-shot fault, with its hits. */
export type ArmedFault = Answer<'POST /spaces/{space}/faults'>
export type EditorMailing = Answer<'GET /spaces/{space}/mailings/{id}'>
export type ListedMailing = Answer<'GET /spaces/{space}/mailings'>['_embedded']['mailings'][number]
export type Dials = Answer<'GET /spaces/{space}/dials'>
/** A side port, with the number of connections in each mode. */
export type SidePort = Answer<'GET /spaces/{space}/side-port'>
/** Requests that steps hold, by the name of the hold. */
export type Hold = Answer<'GET /spaces/{space}/holds'>['_embedded']['holds'][number]

type ScenarioFile = z.input<typeof scenarioFile>
type RuleOfFile = NonNullable<ScenarioFile['rules']>[number]
type StepOfFile = RuleOfFile['steps'][number]
/** What the client gets instead of the true response. A fault has its settings beside its name. */
export type StepAnswer =
  | Extract<StepOfFile['answer'], { status: number }>
  | { readonly fault: FaultName; readonly [setting: string]: unknown }
export type ScenarioStep = Omit<StepOfFile, 'answer'> & { readonly answer?: StepAnswer | undefined }
export type ScenarioRule = Omit<RuleOfFile, 'steps'> & { readonly steps: readonly ScenarioStep[] }
/** A scenario as in a scenario file. */
export type ScenarioDefinition = Omit<ScenarioFile, 'rules'> & {
  readonly rules?: readonly ScenarioRule[] | undefined
}
/** A one-shot fault: a rule with its steps, or with its only step inline. */
export type FaultRule = ScenarioRule | (Omit<ScenarioRule, 'steps'> & ScenarioStep)
/** The initial state of a space. */
export type Beginning = Omit<
  NonNullable<ControlForms['PUT /spaces/{space}']['body']>,
  'scenario' | 'dials'
> & {
  /** Name or definition of the scenario that is in force initially. */
  readonly scenario?: ScenarioName | ScenarioDefinition | undefined
  readonly dials?: TurnedDials | undefined
}
/** Changes made in the editor. */
export type Edit = ControlForms['POST /spaces/{space}/mailings/{id}/edit']['body']
/** Values of dials by name. */
export type TurnedDials = Partial<DialValues>

/** Turns members that are text in a query into numbers. */
type WithNumbers<Asked, Names extends string> = Omit<Asked, Names> & {
  readonly [Name in Extract<Names, keyof Asked>]?: number | undefined
}
/** Filter of requests; all given members must match. */
export type RequestFilter = Omit<
  Query<'GET /spaces/{space}/requests'>,
  'limit' | 'before' | 'order' | 'since' | 'status' | 'format'
> & {
  /** Status of a completely delivered answer: 201, or a class such as '5xx'. */
  readonly status?: number | string | undefined
  /** Only requests after this one: its number or id. */
  readonly since?: number | string | undefined
}
/** Which requests to wait for, how many and for how long. */
export type AwaitedFilter = RequestFilter &
  WithNumbers<Pick<Query<'GET /spaces/{space}/requests/wait'>, 'count' | 'timeout' | 'state'>, 'count'>
/** Filter of the platform's ledger. */
export interface PlatformFilter {
  readonly synchronizationId?: string | undefined
  readonly transactionId?: string | undefined
}
/** Facts about the end of the client that the server cannot know. */
export type { ClientReport as ClientEnd } from '../control/verdict.ts'
/** What happens to connections on a side port. */
export type SidePortMode = NonNullable<ControlForms['PUT /spaces/{space}/side-port']['body']>['mode']

/** A problem with one member of a control call. */
export interface InvalidMember {
  readonly field: string
  readonly problem: string
}

/** Progress of a request: it arrived, its response is known, or it ended. */
export interface RequestEvent
  extends Pick<RequestEntry, 'id' | 'number' | 'user' | 'method' | 'target' | 'delivered'> {
  readonly what: 'opened' | 'answered' | 'closed'
  /** Status of the response intended for the client; null while there is none. */
  readonly status: number | null
  /** The scenario that was applied to it. */
  readonly scenario: string | null
}

export type SpaceEvent =
  | { readonly type: 'request'; readonly data: RequestEvent }
  | { readonly type: 'clock'; readonly data: Omit<ClockState, '_links'> }
  /** Also when faults are armed or removed, dials are set, or a request is held. */
  | { readonly type: 'scenario'; readonly data: { readonly name: string | null } }
  | {
      readonly type: 'mailing'
      readonly data: Pick<ListedMailing, 'id' | 'name' | 'isApproved' | 'hasDraft'> & {
        readonly what: MailingChange['what']
      }
    }
  | { readonly type: 'reset'; readonly data: Readonly<Record<string, never>> }
