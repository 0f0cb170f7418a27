import { call, noAnswer, showResult } from './calls.ts'
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

/** Opens a private copy; an existing one stays as it is. */
async function openCopy(form: HTMLFormElement): Promise<void> {
  const word = (form.elements.namedItem('word') as HTMLInputElement).value.trim()
  const address = `${form.dataset.openCopy}/${encodeURIComponent(`${form.dataset.home}+${word}`)}`
  const spaces = await call('GET', form.dataset.openCopy!)
  const { _embedded } = spaces.body as { _embedded: { spaces: readonly { name: string }[] } }
  const isThere = _embedded.spaces.some(({ name }) => name === `${form.dataset.home}+${word}`)
  const { isDone, refusal } = isThere ? spaces : await call('PUT', address)
  if (isDone) location.assign(`${address}/data`)
  else showResult(form, refusal, true)
}

/** Changes run one after the other: each starts from the result of the one before. */
let dialChanges = Promise.resolve()
let pendingChanges = 0

async function setDial(select: HTMLSelectElement): Promise<void> {
  const { dial } = select.dataset
  const address = select.closest<HTMLElement>('[data-dials]')!.dataset.dials!
  const { value } = select
  const before = await call('GET', address)
  if (!before.isDone) return showResult(select, before.refusal, true)
  const { turned } = before.body as { turned: Record<string, string> }
  const { [dial!]: _, ...others } = turned
  const wanted = value === '' ? others : { ...others, [dial!]: value }
  const { isDone, refusal } = await call('PUT', address, wanted)
  showResult(
    select,
    isDone ? `${dial} is ${value === '' ? 'back' : `turned to ${value}`}.` : refusal,
    !isDone,
  )
}

/** Morphing keeps what was chosen in a list, so set it to the page's value. */
function showDialValues(): void {
  if (pendingChanges > 0) return
  for (const select of document.querySelectorAll<HTMLSelectElement>('select[data-dial]')) {
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

document.addEventListener('change', event => {
  const select = (event.target as Element).closest<HTMLSelectElement>('select[data-dial]')
  if (!select) return
  pendingChanges++
  dialChanges = dialChanges.then(async () => {
    await setDial(select)
    pendingChanges--
    refresh()
  })
})

// Close after use: the next time needs a new confirmation.
document.addEventListener('click', event => {
  const button = (event.target as Element).closest('.confirm button')
  button?.closest('details')?.removeAttribute('open')
})

document.addEventListener('mock:refreshed', showDialValues)
