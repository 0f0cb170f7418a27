import type { Tools } from '../../rig/control/route.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'

/** The rigs of all open spaces, those used last first; what nobody has used yet comes at the end, by name. */
export async function openRigs({ spaces, rigs }: Pick<Tools, 'spaces' | 'rigs'>): Promise<SpaceRig[]> {
  const open = spaces.names().flatMap(name => spaces.opened(name) ?? [])
  const ready = await Promise.all(open.map(space => rigs.of(space)))
  return ready
    .map(rig => ({ rig, idle: rig.journal.count === 0 ? Number.POSITIVE_INFINITY : rig.unused }))
    .sort((a, b) => (a.idle === b.idle ? (a.rig.space.name < b.rig.space.name ? -1 : 1) : a.idle - b.idle))
    .map(({ rig }) => rig)
}
