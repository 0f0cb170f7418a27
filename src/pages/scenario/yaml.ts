import { Document, isCollection, isSeq, type YAMLMap } from 'yaml'

/** As wide as a line of the editor is. */
const width = 90

/** A definition as text, laid out as people write scenario files: each step on a line where it has room. */
export function yamlOf(definition: object): string {
  const document = new Document(definition)
  for (const path of [['expect'], ['tags']]) inline(document.getIn(path))
  const rules = document.get('rules')
  for (const rule of isSeq<YAMLMap>(rules) ? rules.items : []) {
    const steps = rule.get('steps')
    for (const step of isSeq(steps) ? steps.items : []) inline(step)
  }
  return document.toString({ lineWidth: width, flowCollectionPadding: true })
}

function inline(node: unknown): void {
  if (isCollection(node) && JSON.stringify(node).length < width) node.flow = true
}
