import { problems } from '../../service/problem.ts'
import { nearest } from '../../store/nearest.ts'
import type { ProviderState } from './provider-state.ts'
import { providerStates } from './registry.ts'

/** A state as a pact names it, with the parameters that stand in its name. */
export interface Recognised {
  readonly state: ProviderState
  readonly named: Readonly<Record<string, string>>
}

const parametersIn = (name: string) => name.split('{').length - 1

/** Every name, those with fewer parameters first: what `… is scheduled` says is no state of a sending. */
const forms = providerStates
  .flatMap(state => [state.name, ...state.alsoNamed].map(name => ({ state, name, form: formOf(name) })))
  .sort((one, other) => parametersIn(one.name) - parametersIn(other.name))

/** @throws Problem 400 with the name that was most likely meant, and all there are */
export function recognised(given: string): Recognised {
  const text = given.trim().replaceAll(/\s+/g, ' ')
  // The name of a state with its braces stands for itself: its parameters come beside it.
  const exact = forms.find(({ name }) => name.toLowerCase() === text.toLowerCase())
  if (exact) return { state: exact.state, named: {} }
  for (const { state, form } of forms) {
    const found = form.exec(text)
    if (found) return { state, named: unquoted(found.groups ?? {}) }
  }
  const names = forms.map(({ name }) => name)
  const meant = nearest(text, names)
  const listed = providerStates.flatMap(({ name }) => (name === '' ? [] : [`"${name}"`])).join(', ')
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 97)}...` : text)
  throw problems.field(
    'state',
    `there is no state ${shown}${meant === undefined ? '' : `; did you mean "${meant}"?`}; there are ${listed}; GET /_mock/pact/provider-states describes them`,
  )
}

function formOf(name: string): RegExp {
  const plain = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  const parts = name.split(/\{(\w+)\}/).map((part, at) => (at % 2 ? `(?<${part}>\\S+|"[^"]+")` : plain(part)))
  return new RegExp(`^${parts.join('')}$`, 'i')
}

/** A parameter with blanks in it stands in quotation marks. */
const unquoted = (groups: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text.replace(/^"(.*)"$/, '$1')]))
