import { readdirSync, readFileSync } from 'node:fs'

/** By this variable of its environment a process is known for one that a start of the client has brought about. */
export const startVariable = 'MAILING_SYNC_START'

/** So often it is looked again, since a process may start another one just before it is killed. */
const rounds = 5

/**
 * Kills processes that have left the group of the client which started them: a daemon, a shell's `setsid`. Linux shows
 * with which environment a process began; elsewhere, and where that was wiped out, they are not found.
 * @param isOurs whether a start of that name is meant
 */
export function killStrays(isOurs: (start: string) => boolean): void {
  const killed = new Set<number>()
  for (let round = 0; round < rounds; round++) {
    const found = processes().filter(id => !killed.has(id) && isOurs(startOf(id) ?? ''))
    if (found.length === 0) return
    for (const id of found) {
      killed.add(id)
      try {
        process.kill(id, 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

function processes(): number[] {
  if (process.platform !== 'linux') return []
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number)
      .filter(id => id !== process.pid)
  } catch {
    return []
  }
}

function startOf(id: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${id}/environ`, 'latin1').split('\0')
    return variables.find(it => it.startsWith(`${startVariable}=`))?.slice(startVariable.length + 1)
  } catch {
    // It has ended, or is somebody else's.
    return undefined
  }
}
