import { announce, call } from './calls.ts'
import { refresh } from './live.ts'
import { forgetDraft, keepDraft, restoreDraft } from './scenario-draft.ts'

interface Mistake {
  readonly line: number
  readonly column: number
  readonly problem: string
}

interface Checked {
  readonly problems: readonly Mistake[]
  readonly more: number
  readonly definition: object | null
}

/** Milliseconds without a key until what was written is checked. */
const pause = 300

const editor = document.querySelector<HTMLElement>('.scenario-editor')!
const text = editor.querySelector('textarea')!
const gutter = editor.querySelector<HTMLElement>('.gutter')!
const state = editor.querySelector<HTMLElement>('.yaml-state')!
const list = editor.querySelector<HTMLElement>('.mistakes')!
const arm = editor.querySelector<HTMLButtonElement>('[data-arm-text]')!

let timer: number | undefined
/** Counts checks: an answer that was overtaken counts for nothing. */
let latest = 0
let marked: ReadonlySet<number> = new Set()

/** Has the text checked, and tells what is wrong beside it. Undefined when it could not be checked, or was overtaken. */
async function check(): Promise<Checked | undefined> {
  clearTimeout(timer)
  const mine = ++latest
  const { isDone, refusal, body } = await call('POST', editor.dataset.check!, { text: text.value })
  if (mine !== latest) return undefined
  if (!isDone) {
    tell(refusal, true)
    return undefined
  }
  const checked = body as Checked
  show(checked)
  return checked
}

function tell(words: string, isWrong: boolean): void {
  if (state.textContent !== words) state.textContent = words
  state.classList.toggle('wrong', isWrong)
}

function show({ problems, more }: Checked): void {
  const count = problems.length + more
  if (count === 0) tell('Nothing is wrong with it.', false)
  else tell(count === 1 ? '1 mistake' : `${count} mistakes`, true)
  text.setAttribute('aria-invalid', String(count > 0))
  list.hidden = count === 0
  list.replaceChildren(...problems.map(entry), ...(more > 0 ? [item(`and ${more} more`)] : []))
  marked = new Set(problems.map(({ line }) => line))
  number()
}

function item(...content: (Node | string)[]): HTMLLIElement {
  const made = document.createElement('li')
  made.append(...content)
  return made
}

/** A mistake with its place, which leads there. */
function entry({ line, column, problem }: Mistake): HTMLLIElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = `line ${line}, column ${column}`
  button.addEventListener('click', () => goTo(line, column))
  return item(button, ` ${problem}`)
}

function goTo(line: number, column: number): void {
  const before = text.value.split('\n').slice(0, line - 1)
  const at = before.reduce((sum, it) => sum + it.length + 1, 0) + column - 1
  text.focus()
  text.setSelectionRange(at, at)
}

/** Numbers the lines, those with a mistake marked. */
function number(): void {
  const count = text.value.split('\n').length
  gutter.replaceChildren(
    ...Array.from({ length: count }, (_, at) => {
      const line = document.createElement('span')
      line.textContent = String(at + 1)
      line.classList.toggle('wrong', marked.has(at + 1))
      return line
    }),
  )
  gutter.scrollTop = text.scrollTop
}

/** Puts a text into the editor so that it can be undone. */
function load(content: string): void {
  text.focus()
  text.select()
  // Deprecated, and the one way that keeps what was there for undo.
  if (!document.execCommand('insertText', false, content)) text.value = content
  text.setSelectionRange(0, 0)
  text.scrollTop = 0
  editor.scrollIntoView({ block: 'nearest' })
  number()
  void check()
}

text.addEventListener('input', () => {
  number()
  clearTimeout(timer)
  timer = setTimeout(check, pause)
  keepDraft(editor, text)
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
  // From now on the page itself has it.
  text.defaultValue = text.value
  forgetDraft(editor)
  announce('It is in force.')
  refresh()
})

document.addEventListener('click', event => {
  const button = (event.target as Element).closest<HTMLElement>('[data-edit]')
  if (button) load(button.dataset.edit!)
})

restoreDraft(editor, text, load)
number()
void check()
