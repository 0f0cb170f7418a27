import { call, copyToOpen, jsonOf, noAnswer, runCall, showResult } from './calls.ts'
import { refresh } from './live.ts'

async function restoreSnapshot(form: HTMLFormElement): Promise<void> {
  const input = form.elements.namedItem('file') as HTMLInputElement
  const [file] = input.files ?? []
  if (!file) return
  let content: unknown
  try {
    content = JSON.parse(await file.text())
  } catch (error) {
    return showResult(form, `${file.name} is no JSON: ${(error as Error).message}`, true)
  }
  showResult(form, `Reading ${file.name}…`)
  const { isDone, refusal } = await call('PUT', form.dataset.snapshot!, content)
  showResult(form, isDone ? `The space goes on from ${file.name}.` : refusal, !isDone)
  if (!isDone) return
  form.reset()
  refresh()
}

/** Leads to a private space; the page of one that is not open opens it, as was asked for here. */
async function openCopy(form: HTMLFormElement): Promise<void> {
  const word = (form.elements.namedItem('word') as HTMLInputElement).value.trim()
  const path = `${form.dataset.openCopy}/${encodeURIComponent(`${form.dataset.home}+${word}`)}/connect`
  sessionStorage.setItem(copyToOpen, path)
  location.assign(path)
}

/** Morphing keeps what was chosen in a list, so set it to the page's value. */
function showDialValues(): void {
  for (const select of document.querySelectorAll<HTMLSelectElement>('.dials select')) {
    const told = [...select.options].find(option => option.defaultSelected)
    if (told && select.value !== told.value) select.value = told.value
  }
}

document.addEventListener('submit', event => {
  const form = event.target as HTMLFormElement
  const { snapshot, openCopy: copy } = form.dataset
  if (snapshot === undefined && copy === undefined) return
  event.preventDefault()
  const act = snapshot === undefined ? openCopy : restoreSnapshot
  act(form).catch(() => showResult(form, noAnswer, true))
})

/** Changes run one after the other: the form has all of them. */
let dialChanges = Promise.resolve()

document.addEventListener('change', event => {
  const select = (event.target as Element).closest<HTMLSelectElement>('.dials select')
  const form = select?.form
  if (form) dialChanges = dialChanges.then(() => runCall(form, jsonOf(form)))
})

// Close after use: the next time needs a new confirmation.
document.addEventListener('click', event => {
  const details = (event.target as Element).closest('.confirm button')?.closest('details')
  details?.querySelector('summary')?.focus()
  details?.removeAttribute('open')
})

document.addEventListener('mock:refreshed', showDialValues)
