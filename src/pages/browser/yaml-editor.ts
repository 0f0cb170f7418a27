import { announce, call, showResult } from './calls.ts'
import { createElement, refresh } from './live.ts'

/**
 * A draft survives a reload: the browser keeps it per space until the window is closed.
 * @param use is not done where storage is full or not allowed: then there is no draft
 */
function useStorage<Result>(use: (storage: Storage) => Result): Result | undefined {
  try {
    return use(sessionStorage)
  } catch {
    return undefined
  }
}

/** Saves the text; removes the draft when the text is the page's own. */
function saveDraft(): void {
  if (text.value === text.defaultValue) discardDraft()
  else useStorage(storage => storage.setItem(draftKey, text.value))
}

/** Removes the draft and its message. */
function discardDraft(): void {
  const told = editor.querySelector<HTMLElement>('.draft')!
  if (told.contains(document.activeElement)) text.focus()
  told.replaceChildren()
  useStorage(storage => storage.removeItem(draftKey))
}

/** Restores the draft into the editor and says so. */
function restoreDraft(): void {
  const kept = useStorage(storage => storage.getItem(draftKey))
  if (typeof kept !== 'string' || kept === text.defaultValue) return
  text.value = kept
  const discard = createButton('Discard', () => {
    loadText(text.defaultValue)
    discardDraft()
  })
  discard.ariaLabel = 'Discard the restored draft'
  editor.querySelector('.draft')!.replaceChildren('Restored draft · ', discard)
}

const createButton = (words: string, onclick: () => void) =>
  createElement('button', { type: 'button', onclick }, words)

interface Mistake {
  readonly line: number
  readonly column: number
  readonly problem: string
}

interface CheckResult {
  readonly problems: readonly Mistake[]
  readonly more: number
  readonly definition: object | null
}

/** Delay between the last key and the check. Milliseconds. */
const checkDelay = 300

const editor = document.querySelector<HTMLElement>('.scenario-editor')!
const text = editor.querySelector('textarea')!
const draftKey = editor.dataset.draft!
const gutter = editor.querySelector<HTMLElement>('.gutter')!
const notes = editor.querySelector<HTMLElement>('.line-notes')!
const state = editor.querySelector<HTMLElement>('.yaml-state')!
const list = editor.querySelector<HTMLElement>('.mistakes')!
const arm = editor.querySelector<HTMLButtonElement>('[data-arm-text]')!

let timer: number | undefined
/** Counts checks, so that an overtaken response is ignored. */
let latest = 0
/** The first problem of each line that has one. */
let problemsOfLines: ReadonlyMap<number, string> = new Map()

/** Checks the text and shows the problems. Undefined when the check failed or was overtaken. */
async function check(): Promise<CheckResult | undefined> {
  clearTimeout(timer)
  const mine = ++latest
  const { isDone, refusal, body } = await call('POST', editor.dataset.check!, { text: text.value })
  if (mine !== latest) return undefined
  if (isDone) showProblems(body as CheckResult)
  else showState(refusal, true)
  return isDone ? (body as CheckResult) : undefined
}

function showState(words: string, isWrong: boolean): void {
  if (state.textContent !== words) state.textContent = words
  state.classList.toggle('wrong', isWrong)
}

function showProblems({ problems, more }: CheckResult): void {
  const count = problems.length + more
  if (count === 0) showState('The scenario is valid.', false)
  else showState(count === 1 ? '1 mistake' : `${count} mistakes`, true)
  text.setAttribute('aria-invalid', String(count > 0))
  list.hidden = count === 0
  list.replaceChildren(
    ...problems.map(problemItem),
    ...(more > 0 ? [createElement('li', {}, `and ${more} more`)] : []),
  )
  problemsOfLines = new Map(problems.toReversed().map(({ line, problem }) => [line, problem]))
  numberLines()
}

/** A problem with its position; a click goes there. */
function problemItem({ line, column, problem }: Mistake): HTMLLIElement {
  const button = createButton(`line ${line}, column ${column}`, () => moveTo(line, column))
  return createElement('li', {}, button, ` ${problem}`)
}

function moveTo(line: number, column: number): void {
  const before = text.value.split('\n').slice(0, line - 1)
  const at = before.reduce((sum, it) => sum + it.length + 1, 0) + column - 1
  text.focus()
  text.setSelectionRange(at, at)
}

/** Lines of the editor, until somebody gives it another height. */
const [fewestRows, mostRows] = [8, 14]

/** Numbers the lines, and says beside those with a problem what it is. */
function numberLines(): void {
  const lines = text.value.split('\n')
  const count = lines.length
  // So that the list of mistakes is not far below the text.
  text.rows = Math.max(fewestRows, Math.min(mostRows, count + 1))
  gutter.replaceChildren(
    ...Array.from({ length: count }, (_, at) =>
      createElement('span', { className: problemsOfLines.has(at + 1) ? 'wrong' : '' }, String(at + 1)),
    ),
  )
  notes.replaceChildren(
    ...[...problemsOfLines].map(([line, problem]) => lineNote(line, lines[line - 1] ?? '', problem)),
  )
  followText()
}

/** The gist of a problem behind its line, as far as there is room: what was meant, or the problem without the path to the member. */
function lineNote(line: number, written: string, problem: string): HTMLElement {
  const advice = /did you mean [^?]*\?/.exec(problem)?.[0]
  const note = createElement('span', {}, advice ?? problem.replace(/^[\w.[\]-]+: /, ''))
  note.style.setProperty('--line', String(line - 1))
  note.style.setProperty('--written', String(written.trimEnd().length))
  return note
}

/** Numbers and notes go with the text when it is scrolled. */
function followText(): void {
  gutter.scrollTop = text.scrollTop
  notes.style.setProperty('--scrolled', `${text.scrollTop}px`)
}

/** Puts a text into the editor; the user can undo it. */
function loadText(content: string): void {
  text.focus()
  text.select()
  // Deprecated, but the only way that keeps the undo history.
  if (!document.execCommand('insertText', false, content)) text.value = content
  text.setSelectionRange(0, 0)
  text.scrollTop = 0
  editor.scrollIntoView({ block: 'nearest' })
  numberLines()
  void check()
}

text.addEventListener('input', () => {
  numberLines()
  clearTimeout(timer)
  timer = setTimeout(check, checkDelay)
  saveDraft()
})
text.addEventListener('scroll', followText)

arm.addEventListener('click', async () => {
  const checked = await check()
  if (!checked) return
  if (!checked.definition) return text.focus()
  const { isDone, refusal } = await call('PUT', editor.dataset.arm!, checked.definition)
  showResult(editor, refusal, !isDone)
  if (!isDone) return
  // The page's own text is this one now.
  text.defaultValue = text.value
  discardDraft()
  const { name } = checked.definition as { name?: unknown }
  announce(`${typeof name === 'string' ? `Scenario ${name}` : 'The scenario'} is in force for this space.`)
  refresh()
})

document.addEventListener('click', event => {
  const button = (event.target as Element).closest<HTMLElement>('[data-edit]')
  if (button) loadText(button.dataset.edit!)
})

restoreDraft()
numberLines()
// The pages of a capsule do not show it.
if (editor.offsetParent !== null) void check()
