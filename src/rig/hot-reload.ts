import { basename } from 'node:path'
import type { Spaces } from '../store/spaces.ts'
import type { Rigs } from './rigs.ts'
import type { ScenarioLibrary } from './scenarios/library.ts'

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
  rigs: Rigs,
  report: ReloadReport,
): Promise<void> {
  return library.watch((problems, file) => {
    const name = basename(file, '.yaml')
    if (problems.length === 0) {
      report.info(`scenario ${name} has been read`)
      void armAnew(file)
      return
    }
    const meanwhile = library.loaded(name) ? '; the last good one stays in force' : '; it cannot be used'
    for (const problem of problems) report.warn(problem + meanwhile)
  })

  async function armAnew(file: string): Promise<void> {
    for (const name of spaces.names()) {
      const space = spaces.opened(name)
      const rig = space && rigs.known(space)
      const armed = rig?.armed?.scenario
      if (armed?.source === file) rig?.arm(await library.get(armed.name))
    }
  }
}
