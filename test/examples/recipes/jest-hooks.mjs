/** What a recipe imports is found as from here, wherever the recipe lies. @type {import('node:module').ResolveHook} */
export function resolve(name, context, next) {
  if (name === '@jest/globals')
    return { url: new URL('jest-globals.mjs', import.meta.url).href, shortCircuit: true }
  const parentURL = name.startsWith('mailing-sync-mock') ? import.meta.url : context.parentURL
  return next(name, { ...context, parentURL })
}
