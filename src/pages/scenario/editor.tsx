import type { SpaceRig } from '../../rig/space-rig.ts'
import { Told } from '../components/calls.tsx'
import type { PageCall } from '../page.ts'
import { yamlOf } from './yaml.ts'

/** What the editor holds where nothing is in force: a beginning to go on from. */
const starter = `description: Unavailable once, then all is well.
rules:
  - on: createSending
    steps:
      - { phase: before, answer: { status: 503, retryAfter: 2 } }
      - { state: CREATED }
expect: { sent: 1, belief: sent }
`

/** Puts a scenario into the editor. The script of the page does it. */
export function EditButton({ name, definition }: { name: string; definition: object }) {
  return (
    <button type="button" data-edit={yamlOf(definition)} aria-label={`Edit ${name}`}>
      Edit
    </button>
  )
}

/**
 * A scenario as text, checked as it is written, and put in force. What stands in it lives in the
 * browser alone, which keeps it for the space until its window is closed.
 */
export function Editor({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const text = rig.armed ? yamlOf(rig.armed.scenario.definition) : starter
  return (
    <Told class="card">
      <h2 id="editor-title">Write one</h2>
      <p class="soft">
        YAML in the form of a scenario file; <code>docs/scenarios.md</code> has every key.
      </p>
      <div
        class="scenario-editor"
        data-check={call.at('/scenarios/check')}
        data-arm={call.inSpace(rig.space.name, '/scenario')}
        data-draft={`scenario draft of ${rig.space.name}`}
        hx-morph-skip
      >
        {/* Nothing stands in it until there is something to say: then it is read out. */}
        <p class="draft" role="status" />
        <div class="editor-text">
          <div class="gutter" aria-hidden="true" />
          <textarea
            id="yaml"
            aria-labelledby="editor-title"
            aria-describedby="yaml-state"
            rows={14}
            spellcheck={false}
            autocapitalize="off"
            autocomplete="off"
            wrap="off"
          >
            {`\n${text}`}
          </textarea>
        </div>
        <p id="yaml-state" class="yaml-state" role="status" aria-live="polite" />
        <ul class="mistakes" aria-label="Mistakes" hidden />
        <div class="row">
          <button type="button" class="main" data-arm-text>
            Put this in force
          </button>
          <button type="button" data-edit={starter}>
            Start afresh
          </button>
        </div>
      </div>
    </Told>
  )
}
