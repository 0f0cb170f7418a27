import { page } from '../page.ts'
import { Connection, PrivateCopy } from './connection.tsx'
import { Dials } from './dials.tsx'
import { Reset, Snapshot } from './keeping.tsx'

/** How to get into a space, and how to keep, replace and reset what is in it. */
export default page('/spaces/{space}/data', {
  async show(call) {
    const rig = await call.rig()
    return {
      title: 'Data',
      space: rig,
      tab: 'data',
      scripts: ['browser/data.js'],
      content: (
        <>
          <h1>Data</h1>
          <div class="data-page">
            <div>
              <Connection call={call} rig={rig} />
              <PrivateCopy call={call} rig={rig} />
              <Reset call={call} rig={rig} />
              <Snapshot call={call} rig={rig} />
            </div>
            <Dials call={call} rig={rig} />
          </div>
        </>
      ),
    }
  },
})
