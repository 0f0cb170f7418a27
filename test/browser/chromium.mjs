import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * What Chromium, and what is built from it, is called by those who package it. The shell comes first: it lacks the windows of
 * the whole browser, and opens a page in half the processor time.
 */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
]

/**
 * The browser of the browser tests: the one that CHROMIUM names, or the first that is on the PATH. None is ever
 * downloaded.
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {string | undefined} where its program lies, or undefined when this machine has none
 * @throws an error with a sentence when CHROMIUM names what cannot be run
 */
export function findChromium(environment = process.env) {
  const { CHROMIUM: named, PATH: path = '' } = environment
  if (named) {
    if (!canRun(named)) throw new Error(`CHROMIUM is "${named}", which is no program that can be run`)
    return named
  }
  const folders = path.split(delimiter).filter(Boolean)
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(canRun)
}

/** @param {string} file */
function canRun(file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
