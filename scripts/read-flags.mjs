import { parseArgs } from 'node:util'

/**
 * Reads the flags of a program of this repository. Wrong ones end the process with a sentence that names those there are.
 * @template {import('node:util').ParseArgsConfig} Config
 * @param {string} program as the sentence names it
 * @param {Config} config
 * @returns {ReturnType<typeof parseArgs<Config>>}
 */
export function readFlags(program, config) {
  try {
    return parseArgs(config)
  } catch (error) {
    // Node adds what to do about arguments that begin with a hyphen.
    const [sentence] = /** @type {Error} */ (error).message.split('. ')
    const flags = Object.keys(config.options ?? {}).map(name => `--${name}`)
    console.error(`${program}: ${sentence}; the flags are ${flags.join(', ')}`)
    return process.exit(2)
  }
}
