import { announce, call } from './calls.ts'
import { refresh } from './live.ts'

/** A draft survives a reload: the browser keeps it per space until the window is closed. */

/** Saves the text; removes the draft when the text is the page's own. */
export function saveDraft(editor: HTMLElement, { value, defaultValue }: HTMLTextAreaElement): void {
  if (value === defaultValue) {
    discardDraft(editor)
    return
  }
  try {
    sessionStorage.setItem(editor.dataset.draft!, value)
  } catch {
    // Storage is full or not allowed: no draft then.
  }
}

/** Removes the draft and its message. */
export function discardDraft(editor: HTMLElement): void {
  const told = editor.querySelector<HTMLElement>('.draft')!
  if (told.contains(document.activeElement)) editor.querySelector('textarea')!.focus()
  told.replaceChildren()
  try {
    sessionStorage.removeItem(editor.dataset.draft!)
  } catch {
    // Then nothing was saved either.
  }
}

/**
 * Restores the draft into the editor and says so.
 * @param load puts another text into the editor: the page's own when the draft is discarded
 */
export function restoreDraft(
  editor: HTMLElement,
  text: HTMLTextAreaElement,
  load: (content: string) => void,
): void {
  const kept = readDraft(editor.dataset.draft!)
  if (kept === null || kept === text.defaultValue) return
  text.value = kept
  const discard = document.createElement('button')
  discard.type = 'button'
  discard.textContent = 'Discard'
  discard.setAttribute('aria-label', 'Discard the restored draft')
  discard.addEventListener('click', () => {
    load(text.defaultValue)
    discardDraft(editor)
  })
  editor.querySelector('.draft')!.replaceChildren('Restored draft · ', discard)
}

function readDraft(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}

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
const gutter = editor.querySelector<HTMLElement>('.gutter')!
const state = editor.querySelector<HTMLElement>('.yaml-state')!
const list = editor.querySelector<HTMLElement>('.mistakes')!
const arm = editor.querySelector<HTMLButtonElement>('[data-arm-text]')!

let timer: number | undefined
/** Counts checks, so that an overtaken response is ignored. */
let latest = 0
let markedLines: ReadonlySet<number> = new Set()

/** Checks the text and shows the problems. Undefined when the check failed or was overtaken. */
async function check(): Promise<CheckResult | undefined> {
  clearTimeout(timer)
  const mine = ++latest
  const { isDone, refusal, body } = await call('POST', editor.dataset.check!, { text: text.value })
  if (mine !== latest) return undefined
  if (!isDone) {
    showState(refusal, true)
    return undefined
  }
  const checked = body as CheckResult
  showProblems(checked)
  return checked
}

function showState(words: string, isWrong: boolean): void {
  if (state.textContent !== words) state.textContent = words
  state.classList.toggle('wrong', isWrong)
}

function showProblems({ problems, more }: CheckResult): void {
  const count = problems.length + more
  if (count === 0) showState('Nothing is wrong with it.', false)
  else showState(count === 1 ? '1 mistake' : `${count} mistakes`, true)
  text.setAttribute('aria-invalid', String(count > 0))
  list.hidden = count === 0
  list.replaceChildren(...problems.map(problemItem), ...(more > 0 ? [createItem(`and ${more} more`)] : []))
  markedLines = new Set(problems.map(({ line }) => line))
  numberLines()
}

function createItem(...content: (Node | string)[]): HTMLLIElement {
  const made = document.createElement('li')
  made.append(...content)
  return made
}

/** A problem with its position; a click goes there. */
function problemItem({ line, column, problem }: Mistake): HTMLLIElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `line ${line}, column ${column}`
  button.addEventListener('click', () => moveTo(line, column))
  return createItem(button, ` ${problem}`)
}

function moveTo(line: number, column: number): void {
  const before = text.value.split('\n').slice(0, line - 1)
  const at = before.reduce((sum, it) => sum + it.length + 1, 0) + column - 1
  text.focus()
  text.setSelectionRange(at, at)
}

/** Numbers the lines and marks those with a problem. */
function numberLines(): void {
  const count = text.value.split('\n').length
  gutter.replaceChildren(
    ...Array.from({ length: count }, (_, at) => {
      const line = document.createElement('span')
      line.textContent = String(at + 1)
      line.classList.toggle('wrong', markedLines.has(at + 1))
      return line
    }),
  )
  gutter.scrollTop = text.scrollTop
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
  saveDraft(editor, text)
})
text.addEventListener('scroll', () => {
  gutter.scrollTop = text.scrollTop
})

arm.addEventListener('click', async () => {
  const checked = await check()
  if (!checked) return
  if (!checked.definition) return text.focus()
  const { isDone, refusal } = await call('PUT', editor.dataset.arm!, checked.definition)
  const place = editor.closest('[data-tells]')!.querySelector<HTMLElement>('[data-answer]')!
  place.textContent = isDone ? '' : refusal
  place.classList.toggle('refused', !isDone)
  if (!isDone) return
  // The page's own text is this one now.
  text.defaultValue = text.value
  discardDraft(editor)
  announce('It is in force.')
  refresh()
})

document.addEventListener('click', event => {
  const button = (event.target as Element).closest<HTMLElement>('[data-edit]')
  if (button) loadText(button.dataset.edit!)
})

restoreDraft(editor, text, loadText)
numberLines()
void check()
