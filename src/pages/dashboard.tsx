import { shownSpace } from '../rig/control/space-document.ts'
import { page } from './page.ts'

/** Every space at a glance. */
export default page('/', {
  async show(call) {
    const { spaces, rigs } = call.tools
    const open = spaces.names().flatMap(name => spaces.opened(name) ?? [])
    const ready = await Promise.all(open.map(space => rigs.of(space)))
    return {
      title: 'Spaces',
      content: (
        <>
          <h1>Spaces</h1>
          <ul>
            {ready.map(rig => (
              <li>
                <a href={call.inSpace(rig.space.name)}>{rig.space.name}</a>, {shownSpace(call, rig).requests}{' '}
                requests
              </li>
            ))}
          </ul>
        </>
      ),
    }
  },
})
