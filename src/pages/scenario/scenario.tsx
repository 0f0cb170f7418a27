import { page } from '../page.ts'
import { readCatalogue } from './catalogue.ts'
import { Editor } from './editor.tsx'
import { OneShotFaults } from './faults.tsx'
import { Held } from './holds.tsx'
import { InForce } from './in-force.tsx'
import { CatalogueList } from './list.tsx'
import { scenarioQuery } from './query.ts'

/** How a space is disturbed: what is in force and what it struck, and everything that can be put in force. */
export default page('/spaces/{space}/scenario', {
  query: scenarioQuery,
  async show(call) {
    const rig = await call.rig()
    const catalogue = await readCatalogue(call.tools)
    return {
      title: 'Scenario',
      space: rig,
      tab: 'scenario',
      scripts: ['browser/scenario.js'],
      content: (
        <>
          <h1>Scenario</h1>
          <div class="scenario-page">
            <div>
              <InForce call={call} rig={rig} />
              <Held call={call} rig={rig} />
              <OneShotFaults call={call} rig={rig} />
              <Editor call={call} rig={rig} />
            </div>
            <CatalogueList call={call} rig={rig} query={call.query} catalogue={catalogue} />
          </div>
        </>
      ),
    }
  },
})
