/** @typedef {import('./entries.mjs').Entries} Entries */
/** @typedef {{ record: () => Promise<Record<string, Entries>> }} Recorder gives the entries of its section, by file */

/** What plays each section. @type {ReadonlyMap<string, () => Promise<Recorder>>} */
export const sections = new Map(
  Object.entries({
    help: () => import('./help.mjs'),
    mistakes: () => import('./mistakes.mjs'),
    tour: () => import('./tour.mjs'),
    dials: () => import('./dials.mjs'),
    faults: () => import('./faults.mjs'),
    control: () => import('./control.mjs'),
    pages: () => import('./pages.mjs'),
    verify: () => import('./verify.mjs'),
    clients: () => import('./clients.mjs'),
  }),
)

/** Sections of which `recorded/` keeps the entries: what they say is a promise to users, so its changes are reviewed. */
export const recorded = ['help', 'mistakes', 'tour']

/** Sections in which a silence of a second or more decides, so that a busy machine may show a difference that is none. */
export const timed = ['faults', 'control']

/** Plays a section. @param {string} name @returns {Promise<Record<string, Entries>>} */
export async function play(name) {
  const { record } = (await sections.get(name)?.()) ?? {}
  if (!record) throw new Error(`there is no section ${name}`)
  return record()
}
