import { basename } from 'node:path'
import type { Spaces } from '../store/spaces.ts'
import type { Rigs } from './rigs.ts'
import type { ScenarioLibrary } from './scenarios/library.ts'

/**
 * Takes edited scenarios over while the mock runs: those that are in force begin anew with the edited steps. A broken
 * edit changes nothing, and is told.
 * @param tell hears a sentence for each problem, and when a file is good
 */
export function reloadScenarios(
  library: ScenarioLibrary,
  spaces: Spaces,
  rigs: Rigs,
  tell: (sentence: string) => void,
): Promise<void> {
  return library.watch((problems, file) => {
    for (const problem of problems) tell(`${problem}; the last good one stays in force`)
    if (problems.length > 0) return
    tell(`scenario ${basename(file, '.yaml')} has been read again`)
    void armAnew(file)
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
