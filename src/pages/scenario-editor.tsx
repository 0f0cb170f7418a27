import { Document, isCollection, isSeq, type YAMLMap } from 'yaml'
import { CallFeedback } from './components/call-forms.tsx'
import type { SpaceProps } from './page-call.ts'

/** Width of a line in the editor, in characters. */
const maxLineWidth = 90

/** A definition as YAML in the usual layout of scenario files: each step on one line if it fits. */
export function toYaml(definition: object): string {
  const document = new Document(definition)
  for (const path of [['expect'], ['tags']]) useFlowStyle(document.getIn(path))
  const rules = document.get('rules')
  for (const rule of isSeq<YAMLMap>(rules) ? rules.items : []) {
    const steps = rule.get('steps')
    for (const step of isSeq(steps) ? steps.items : []) useFlowStyle(step)
  }
  return document.toString({ lineWidth: maxLineWidth, flowCollectionPadding: true })
}

function useFlowStyle(node: unknown): void {
  if (isCollection(node) && JSON.stringify(node).length < maxLineWidth) node.flow = true
}

/** Initial text of the editor when no scenario is armed. */
const starterText = `description: Unavailable once, then all is well.
rules:
  - on: createSending
    steps:
      - { phase: before, answer: { status: 503, retryAfter: 2 } }
      - { state: CREATED }
expect: { sent: 1, belief: sent }
`

/** Puts a scenario into the editor, by the page's script. */
export function EditButton({ name, definition }: { name: string; definition: object }) {
  return (
    <button type="button" data-edit={toYaml(definition)} aria-label={`Edit ${name}`}>
      Edit
    </button>
  )
}

/** A scenario as text, checked while typing. The browser alone has it, for each space, until the window is closed. */
export function Editor({ call, rig }: SpaceProps) {
  const text = rig.scenarios.active ? toYaml(rig.scenarios.active.scenario.definition) : starterText
  return (
    <CallFeedback class="card changes">
      <h2 id="editor-title">Write one</h2>
      <p class="soft">
        A scenario file in YAML; <a href={call.at('/docs/scenarios.md#keys')}>scenarios.md</a> has every key.
      </p>
      <div
        class="scenario-editor"
        data-check={call.at('/scenarios/check')}
        data-arm={call.here('/scenario')}
        data-draft={`scenario draft of ${rig.space.name}`}
        hx-morph-skip
      >
        {/* Empty at first, so that a later message is read out. */}
        <p class="draft soft flush" role="status" />
        <div class="editor-text">
          <div class="gutter" aria-hidden="true" />
          <textarea
            id="yaml"
            aria-labelledby="editor-title"
            aria-describedby="yaml-state"
            rows={8}
            spellcheck={false}
            autocapitalize="off"
            autocomplete="off"
            wrap="off"
          >
            {`\n${text}`}
          </textarea>
          {/* Beside each line what is wrong with it; the list below says it in full. */}
          <div class="line-notes" aria-hidden="true" />
        </div>
        <p id="yaml-state" class="yaml-state" role="status" aria-live="polite" />
        <ul class="plain mistakes" aria-label="Mistakes" hidden />
        <div class="row">
          <button type="button" class="main" data-arm-text>
            Activate
          </button>
          <button type="button" data-edit={starterText}>
            Start afresh
          </button>
        </div>
      </div>
    </CallFeedback>
  )
}
