import type { KnownClient } from '../../judge/terms.ts'
import type { Verdict } from '../../judge/verdict-shape.ts'
import { calendarLead } from '../../rig/clock.ts'
import { stepKinds } from '../../rig/history.ts'
import { JournalView } from '../../rig/journal-view.ts'
import { ledgerOf } from '../../rig/ledger.ts'
import type { RejectedLogin } from '../../rig/rejected-logins.ts'
import type { Moment, RequestRecord } from '../../rig/request-record.ts'
import type { Scenarios } from '../../rig/scenarios/library.ts'
import type { Scenario } from '../../rig/scenarios/scenario.ts'
import { takeSnapshot } from '../../rig/snapshot.ts'
import { readSettings } from '../../rig/space-settings.ts'
import type { RigView } from '../../rig/space-view.ts'
import { Tables } from '../../store/content.ts'
import type { Fixture } from '../../store/rows.ts'
import { hidePasswords } from '../../store/tenant-directory.ts'
import { readVersion } from '../../store/version.ts'
import { type Capsule, type CapsuleEnvironment, capsuleFormat, capsuleVersion } from './capsule-file.ts'

interface Surroundings {
  readonly environment: CapsuleEnvironment
  readonly scenarios: Pick<Scenarios, 'loaded'>
  readonly rejectedLogins: readonly RejectedLogin[]
}

/**
 * The capsule of a space, after its platform has been advanced to the present. Nothing is awaited: it is of one moment.
 * @param judged the verdict, its text, and what was said of the client for it
 */
export function makeCapsule(
  rig: RigView,
  { environment, scenarios, rejectedLogins }: Surroundings,
  judged: { readonly verdict: Verdict; readonly text: () => string; readonly end: KnownClient },
): Capsule {
  const { space, journal, clock } = rig
  const { history } = journal
  const { content, seed } = space.data
  const view = new JournalView(rig)
  const records = journal.entries()
  const definitions = new ScenarioDefinitions()
  for (const scenario of scenariosOf(rig, records)) definitions.add(scenario)
  for (const name of namedScenarios(rig, environment)) {
    const loaded = scenarios.loaded(name)
    if (loaded) definitions.add(loaded)
  }
  const lost = history.lost ?? definitions.ambiguous ?? cutBody(records)
  return {
    $format: capsuleFormat,
    $version: capsuleVersion,
    madeBy: readVersion(),
    space: space.name,
    takenAt: [clock.real, clock.now()],
    environment,
    beginning: {
      at: [rig.use.madeAt, history.began],
      calendarLead: calendarLead(),
      origin: space.data.origin,
      seed,
      content: content.digest,
      fixture: withoutPasswords(content.fixture),
    },
    scenarios: Object.fromEntries(definitions.byName),
    history: {
      lost: lost ?? null,
      steps:
        lost === undefined
          ? history.steps.map(({ kind, number, clock: at }) => [stepKinds.indexOf(kind), number, at] as const)
          : [],
    },
    changes: history.changes.map(
      ({ number, method, path, body, by, real, clock: at, after, age, status }) => ({
        number,
        method,
        path,
        body: body ?? null,
        by,
        at: [real, at],
        after,
        age,
        status: status ?? null,
      }),
    ),
    dropped: journal.dropped,
    requests: records.map(record => ({
      ...view.view(record),
      base: record.base,
      moments: {
        arrived: momentOf(record.arrived),
        read: momentOf(record.read),
        ended: momentOf(record.ended),
        left: momentOf(record.left),
      },
    })),
    rejectedLogins: rejectedLogins
      .filter(it => it.at >= rig.use.madeAt && !it.isPast)
      .map(({ id, at, method, path, reason, userName, account, recordId }) => ({
        id,
        at,
        method,
        path,
        reason,
        userName: userName ?? null,
        isOfSpace: account?.spaceName === space.name,
        recordId: recordId ?? null,
      })),
    ledger: { ...ledgerOf(rig) },
    end: judged.end,
    verdict: judged.verdict,
    verdictText: judged.text(),
    state: lost === undefined ? null : withoutPasswords(takeSnapshot(rig)),
  } as Capsule
}

function momentOf(given: Moment): [number, number]
function momentOf(given: Moment | undefined): [number, number] | null
function momentOf(given: Moment | undefined) {
  return given ? [given.real, given.clock] : null
}

const withoutPasswords = (fixture: Fixture): Fixture => ({ ...fixture, users: hidePasswords(fixture.users) })

/** The definitions of scenarios that were in force. */
class ScenarioDefinitions {
  readonly byName = new Map<string, object>()
  /** Why a name does not lead to a definition; undefined if each does. */
  ambiguous: string | undefined

  add({ name, definition }: Scenario): void {
    const other = this.byName.get(name)
    if (other && JSON.stringify(other) !== JSON.stringify(definition))
      this.ambiguous = `scenario ${name} was edited meanwhile`
    this.byName.set(name, definition)
  }
}

const scenariosOf = ({ scenarios }: RigView, records: readonly RequestRecord[]): Scenario[] => [
  ...scenarios.all.filter(({ scenario }) => scenario.source !== ownSource).map(({ scenario }) => scenario),
  ...records.flatMap(({ applicableScenario: it }) =>
    it && it.scenario.source !== ownSource ? [it.scenario] : [],
  ),
]

/** Of a definition that a control call gave: it stands in that call. */
const ownSource = 'the definition given for this space'

/** Names of scenarios by which the space began, or that control calls put in force. */
function namedScenarios({ space, journal }: RigView, { scenario: usual }: CapsuleEnvironment): string[] {
  const { scenario = usual } = readSettings(new Tables(space.data.content))
  const named = journal.history.changes.map(({ body }) => (body as { name?: unknown } | undefined)?.name)
  return [scenario, ...named].filter(it => typeof it === 'string')
}

/** A request whose body is not on record as a whole cannot be sent again. */
function cutBody(records: readonly RequestRecord[]): string | undefined {
  const long = records.find(({ body, bodyBytes }) => body && body.length < bodyBytes)
  return (
    long && `the body of ${long.id} has ${long.bodyBytes} bytes, of which only the beginning is on record`
  )
}
