import { basename, isAbsolute } from 'node:path'
import type { Spaces } from '../store/spaces.ts'
import type { Rigs } from './rigs.ts'
import type { ScenarioLibrary } from './scenarios/library.ts'
import type { SpaceRig } from './space-rig.ts'

/** Who hears what became of an edited file. */
export interface ReloadReport {
  readonly warn: (sentence: string) => void
  readonly info: (sentence: string) => void
}

/**
 * Takes edited scenarios over while the mock runs: those that are in force begin anew with the edited steps, their counts
 * at zero. A broken edit changes nothing, and is told.
 */
export function reloadScenarios(
  library: ScenarioLibrary,
  spaces: Spaces,
  rigs: Pick<Rigs, 'known'>,
  report: ReloadReport,
): Promise<void> {
  return library.watch(read, removed)

  function read(problems: readonly string[], file: string): void {
    const name = basename(file, '.yaml')
    if (problems.length === 0) {
      report.info(`scenario ${name} has been read`)
      armAnew(name)
      return
    }
    const meanwhile = library.loaded(name) ? '; the last good one stays in force' : '; it cannot be used'
    for (const problem of problems) report.warn(problem + meanwhile)
  }

  function removed(file: string): void {
    const name = basename(file, '.yaml')
    if (library.has(name)) armAnew(name)
    else report.warn(`scenario ${name} has been removed; where it is armed it stays in force`)
  }

  function armAnew(name: string): void {
    library.get(name).then(
      scenario => {
        for (const rig of inForce(name)) if (rig.armed?.scenario !== scenario) rig.arm(scenario)
      },
      error => report.warn(`${error instanceof Error ? error.message : error}; what is armed stays in force`),
    )
  }

  /** Where a scenario of that name is armed that came from a file: the user's, or the packaged one behind it. */
  function inForce(name: string): SpaceRig[] {
    return spaces.names().flatMap(spaceName => {
      const space = spaces.opened(spaceName)
      const rig = space && rigs.known(space)
      const armed = rig?.armed?.scenario
      return rig && armed?.name === name && isAbsolute(armed.source) ? [rig] : []
    })
  }
}
