import type { z } from 'zod'
import type { ControlForms } from '../rig/control/forms.ts'
import type { scenarioFile } from '../rig/scenarios/schema.ts'

/** What control calls give and take, by names. The routes' own schemas are where each comes from. */

type Answer<Name extends keyof ControlForms> = ControlForms[Name]['answer']
type Query<Name extends keyof ControlForms> = NonNullable<ControlForms[Name]['query']>

/** A space: its clock, its scenario, its counts. */
export type SpaceState = Answer<'GET /spaces/{space}'>
/** How a space's clock stands. */
export type ClockState = Answer<'GET /spaces/{space}/clock'>
/** One request: what was asked, what is true, what the client was told, and whether that left. */
export type RequestEntry = Answer<'GET /spaces/{space}/requests'>['_embedded']['requests'][number]
/** One request with its answer explained. */
export type ExplainedRequest = Answer<'GET /spaces/{space}/requests/{id}'>
/** What came of waiting for requests. */
export type Awaited = Answer<'GET /spaces/{space}/requests/wait'>
/** What truly happened on the platform. */
export type Platform = Answer<'GET /spaces/{space}/platform'>
/** One sending that the platform really has. */
export type PlatformSending = Platform['sendings'][number]
/** The judge's reading of what a client did. */
export type Verdict = Answer<'GET /spaces/{space}/verdict'>
/** A rule of conduct that was broken, with the requests that show it. */
export type Finding = Verdict['findings'][number]
/** The scenario in force and those that requests chose, with what each has struck. */
export type ScenarioInForce = Answer<'GET /spaces/{space}/scenario'>
/** One scenario of the catalogue. */
export type ScenarioShown = Answer<'GET /scenarios/{name}'>
/** The one-shot faults of a space. */
export type Faults = Answer<'GET /spaces/{space}/faults'>
/** One one-shot fault, with its hits. */
export type ArmedFault = Answer<'POST /spaces/{space}/faults'>
/** A mailing as the editor knows it. */
export type EditorMailing = Answer<'GET /spaces/{space}/mailings/{id}'>
/** A mailing in a list of the editor. */
export type ListedMailing = Answer<'GET /spaces/{space}/mailings'>['_embedded']['mailings'][number]
/** How the dials of a space stand. */
export type Dials = Answer<'GET /spaces/{space}/dials'>
/** A side port, with how many connections each of its modes has met. */
export type SidePort = Answer<'GET /spaces/{space}/side-port'>
/** Requests that steps hold, by the name of the hold. */
export type Hold = Answer<'GET /spaces/{space}/holds'>['_embedded']['holds'][number]

/** A scenario as a file has it. */
export type ScenarioDefinition = z.input<typeof scenarioFile>
/** A rule of a scenario. */
export type ScenarioRule = NonNullable<ScenarioDefinition['rules']>[number]
/** A one-shot fault: a rule with its steps, or with its only step inline. */
export type FaultRule = ScenarioRule | (Omit<ScenarioRule, 'steps'> & ScenarioRule['steps'][number])
/** How a space is to begin. */
export type Beginning = Omit<NonNullable<ControlForms['PUT /spaces/{space}']['body']>, 'scenario'> & {
  /** Name or definition of the scenario in force from the beginning. */
  readonly scenario?: string | ScenarioDefinition | undefined
}
/** What somebody writes in the editor. */
export type Edit = ControlForms['POST /spaces/{space}/mailings/{id}/edit']['body']
/** A dial's name with what to turn it to. */
export type TurnedDials = NonNullable<ControlForms['PUT /spaces/{space}/dials']['body']>

/** Numbers as numbers: an address has them as text. */
type Counted<Asked, Names extends string> = Omit<Asked, Names> & {
  readonly [Name in Extract<Names, keyof Asked>]?: number | undefined
}
/** Which requests; all that is given must hold. */
export type RequestFilter = Omit<
  Query<'GET /spaces/{space}/requests'>,
  'limit' | 'before' | 'order' | 'since' | 'status'
> & {
  /** Of an answer that left whole: 201, or a class such as '5xx'. */
  readonly status?: number | string | undefined
  /** Only requests after this one: its number or id. */
  readonly since?: number | string | undefined
}
/** Which requests to wait for, how many, and for how long. */
export type AwaitedFilter = RequestFilter &
  Counted<Pick<Query<'GET /spaces/{space}/requests/wait'>, 'count' | 'timeout' | 'state'>, 'count'>
/** What to show of the platform's ledger. */
export interface PlatformFilter {
  readonly synchronizationId?: string | undefined
  readonly transactionId?: string | undefined
}
/** What only they know who ran the client. */
export type ClientEnd = Counted<
  Pick<Query<'GET /spaces/{space}/verdict'>, 'believes' | 'expected' | 'workers'>,
  'expected' | 'workers'
>
/** What becomes of connections to a side port. */
export type SidePortMode = NonNullable<ControlForms['PUT /spaces/{space}/side-port']['body']>['mode']
