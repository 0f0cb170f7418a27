import { nearestOf } from '../rig/hints.ts'
import type { Endpoint } from './endpoint.ts'

type Call = Pick<Endpoint, 'method' | 'path' | 'example'>

/** A call with what a person needs to make it. */
const shown = ({ method, example }: Call, path: string): string =>
  `${method} ${path}${example === undefined ? '' : ` with ${JSON.stringify(example)}`}`

/**
 * What was most likely meant by a request to an address where there is no call, for the end of a sentence; empty where nothing
 * is near. A mistyped path does not lead to a call that changes something, unless its words are right, it reads as well, or it
 * changes one space by this method.
 */
export function nearestCall(method: string, path: string, calls: readonly Call[]): string {
  const reads = calls.flatMap(it => (it.method === 'GET' ? [`/_mock${it.path}`] : []))
  const near = nearestOf(path, reads)
  if (near) return `did you mean ${callAt(method, near, calls)}? `
  const ofSpace = nearestOf(path.replace(/^\/_mock/, '/_mock/spaces/{space}'), reads)
  if (ofSpace) return `each space has ${callAt(method, ofSpace, calls)}. `
  const ofMethod = calls.filter(it => it.method === method && it.path.startsWith('/spaces/{space}/'))
  const change = nearestOf(
    path,
    ofMethod.map(it => `/_mock${it.path}`),
  )
  if (change) return `did you mean ${callAt(method, change, ofMethod)}? `
  const alike = callOfWords(method, path, calls)
  return alike ? `did you mean ${alike}? ` : ''
}

const isChange = ({ method }: { readonly method: string }): boolean => method !== 'GET'

/** The call by this method at an address where something can be read; else one that changes it; else the one that reads. */
function callAt(method: string, path: string, calls: readonly Call[]): string {
  const here = calls.filter(it => nearestOf(path, [`/_mock${it.path}`]) === path)
  const change = isChange({ method }) ? here.find(it => it.example !== undefined) : undefined
  const call = here.find(it => it.method === method) ?? change ?? here.find(it => !isChange(it))!
  return shown(call, path)
}

const wordsIn = (path: string): string[] => path.split('/').filter(it => it !== '' && it !== 'spaces')

/** The call whose fixed words, and the names in its example, stand in a path: `/clock/advance` is about the clock. */
function callOfWords(method: string, path: string, calls: readonly Call[]): string | undefined {
  const [, space, rest] = /^\/_mock\/spaces\/([^/]+)(\/.+)$/.exec(path) ?? [
    undefined,
    '{space}',
    path.slice('/_mock'.length),
  ]
  const given = new Set(wordsIn(rest!))
  const ranked = calls
    .map(call => {
      const fixed = wordsIn(call.path.replaceAll(/\{\w+\}/g, ''))
      const named = Object.keys(call.example ?? {}).filter(it => given.has(it)).length
      const found = fixed.filter(it => given.has(it)).length
      const isMeant = call.method === method || (call.method !== 'DELETE' && found > 0)
      const fit = 4 * (found + named) - (fixed.length - found)
      const isOfSpace = call.path.includes('{space}')
      return {
        call,
        isMeant: isMeant && found + named > 0,
        // With a tie: by this method, one that changes something as this one, and of one space rather than of all.
        fit:
          fit +
          (call.method === method ? 2 : 0) +
          (isChange(call) === isChange({ method }) ? 1 : 0) +
          (isOfSpace ? 1 : 0),
      }
    })
    .filter(({ isMeant }) => isMeant)
    .sort((one, other) => other.fit - one.fit)
  const [best] = ranked
  return best && shown(best.call, `/_mock${best.call.path.replace('{space}', () => space!)}`)
}
