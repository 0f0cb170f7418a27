/**
 * Puts the program into few files. Opening three hundred of them, a third of the schema library's, takes longer than all
 * that they do until the first answer. The library's files stay as the compiler wrote them.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
/** The one package that is put in; all others stay packages, so that they are kept up to date as such. */
const inlined = 'zod'
const license = readFileSync(at(`../node_modules/${inlined}/LICENSE`), 'utf8').trim()

const isOurs = (/** @type {string} */ id) => id.startsWith('.') || id.startsWith('/')
const isInlined = (/** @type {string} */ id) => id === inlined || id.startsWith(`${inlined}/`)

/**
 * A name for the chunk of a module and of all that it imports at once.
 * @param {string} name
 * @param {string} start
 * @returns {import('rolldown').CodeSplittingNameFunction}
 */
function groupOf(name, start) {
  /** @type {Set<string> | undefined} */
  let reached
  return (id, modules) => {
    if (!reached) {
      reached = new Set([start])
      // A set is walked to its end even if it grows.
      for (const each of reached)
        for (const it of modules.getModuleInfo(each)?.importedIds ?? []) reached.add(it)
    }
    return reached.has(id) ? name : null
  }
}

/** @param {string} dist what the compiler has made; the program comes into a folder in it */
export async function bundleProgram(dist) {
  const program = `${dist}/program`
  const bundle = await rolldown({
    input: { main: `${dist}/main.js` },
    platform: 'node',
    // The compiler has made of it what Node takes.
    transform: { target: 'esnext' },
    tsconfig: false,
    external: id => !isOurs(id) && !isInlined(id),
    plugins: [
      {
        name: 'places',
        // A module finds files beside the place where the compiler put it, wherever its code ends up.
        transform(code, id) {
          if (!id.startsWith(dist) || !code.includes('import.meta.url')) return undefined
          const place = JSON.stringify(relative(program, id))
          return code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`)
        },
      },
    ],
  })
  const { output } = await bundle.write({
    dir: program,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // A start reads all of it; the compiler's own files keep theirs.
    comments: { legal: true, annotation: false, jsdoc: false },
    // What is read together stands together: each file takes half a millisecond.
    codeSplitting: {
      groups: [
        { debugName: 'command', name: groupOf('command', `${dist}/cli/command-line.js`), priority: 2 },
        { debugName: 'mock', name: groupOf('mock', `${dist}/cli/serve.js`), priority: 1 },
      ],
    },
    banner: ({ moduleIds }) =>
      moduleIds.some(id => id.includes(`/node_modules/${inlined}/`))
        ? `/*! With parts of ${inlined}:\n${license.replaceAll('*/', '* /')}\n*/`
        : '',
  })
  await bundle.close()
  refuseStrangers(output)
  writeFileSync(`${dist}/main.js`, "#!/usr/bin/env node\nimport './program/main.js'\n")
}

/**
 * Whoever installs has the packages of package.json and no others, but the bundler may lean on helpers of its own, such as
 * for a template with a closing script tag in it.
 * @param {readonly import('rolldown').OutputChunk[] | readonly any[]} chunks
 */
function refuseStrangers(chunks) {
  const { dependencies } = JSON.parse(readFileSync(at('../package.json'), 'utf8'))
  const known = (/** @type {string} */ id) =>
    id.startsWith('node:') || Object.keys(dependencies).some(name => id === name || id.startsWith(`${name}/`))
  const files = new Set(chunks.map(({ fileName }) => fileName))
  for (const { fileName, imports = [], dynamicImports = [] } of chunks)
    for (const id of [...imports, ...dynamicImports])
      if (!files.has(id) && !known(id)) throw new Error(`${fileName} imports ${id}, which is no dependency`)
}
