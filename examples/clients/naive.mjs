/**
 * What somebody writes who has read the README of a retry library and not the service's document: directory and npm
 * package of each, and the rules of conduct that it breaks.
 * @type {readonly { readonly name: string, readonly library: string, readonly rules: readonly string[] }[]}
 */
export const naiveClients = [
  { name: 'naive-axios-retry', library: 'axios-retry', rules: ['R01'] },
  { name: 'naive-got', library: 'got', rules: ['R11', 'R24'] },
  { name: 'naive-p-retry', library: 'p-retry', rules: ['R02', 'R03', 'R04', 'R07'] },
  { name: 'naive-cockatiel', library: 'cockatiel', rules: ['R15'] },
  { name: 'naive-undici', library: 'undici', rules: ['R24'] },
  { name: 'naive-fetch', library: 'none', rules: ['R02', 'R24'] },
]
