import { isAbsolute } from 'node:path'
import type { Log } from '../http/logger.ts'
import type { Rigs } from '../rig/rigs.ts'
import { type ScenarioLibrary, scenarioName } from '../rig/scenarios/library.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { reason } from '../store/disk.ts'
import type { Spaces } from '../store/spaces.ts'

/** Restarts edited scenarios that are in force, with counts of zero. A broken edit changes nothing and is reported. */
export function reloadScenarios(
  library: ScenarioLibrary,
  spaces: Spaces,
  rigs: Pick<Rigs, 'known'>,
  report: Pick<Log, 'warn' | 'info'>,
): Promise<void> {
  return library.watch(read, removed, report.warn)

  function read(problems: readonly string[], file: string): void {
    const name = scenarioName(file)
    if (problems.length === 0) {
      report.info(`scenario ${name} has been read`)
      rearm(name)
      return
    }
    const meanwhile = library.loaded(name) ? '; the last good one stays in force' : '; it cannot be used'
    for (const problem of problems) report.warn(problem + meanwhile)
  }

  function removed(file: string): void {
    const name = scenarioName(file)
    if (library.has(name)) rearm(name)
    else report.warn(`scenario ${name} has been removed; where it is armed it stays in force`)
  }

  function rearm(name: string): void {
    library.get(name).then(
      scenario => {
        for (const { scenarios, journal } of inForce(name)) {
          if (scenarios.active?.scenario === scenario) continue
          scenarios.arm(scenario)
          journal.history.lose(`the file of scenario ${name}, which was in force, was edited`)
        }
      },
      error => report.warn(`${reason(error)}; what is armed stays in force`),
    )
  }

  /** Spaces in which a scenario with this name is armed that was read from a file, the user's or the packaged one. */
  function inForce(name: string): SpaceRig[] {
    return spaces.names().flatMap(spaceName => {
      const space = spaces.getOpen(spaceName)
      const rig = space && rigs.known(space)
      const armed = rig?.scenarios.active?.scenario
      return rig && armed?.name === name && isAbsolute(armed.source) ? [rig] : []
    })
  }
}
