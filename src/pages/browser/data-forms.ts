import { call } from './calls.ts'
import { refresh } from './live.ts'

/** Shows the result beside the element. */
function showResult(source: Element, words: string, isRefusal = false): void {
  const place = source.closest('[data-tells]')!.querySelector<HTMLElement>('[data-answer]')!
  place.textContent = words
  place.classList.toggle('refused', isRefusal)
}

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
  const spaces = await fetch(form.dataset.openCopy!, { headers: { Accept: 'application/json' } })
  const { _embedded } = (await spaces.json()) as { _embedded: { spaces: readonly { name: string }[] } }
  const isThere = _embedded.spaces.some(({ name }) => name === `${form.dataset.home}+${word}`)
  const { isDone, refusal } = isThere ? { isDone: true, refusal: '' } : await call('PUT', address)
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
  try {
    const response = await fetch(address, { headers: { Accept: 'application/json' } })
    const { turned } = (await response.json()) as { turned: Record<string, string> }
    const { [dial!]: _, ...others } = turned
    const wanted = value === '' ? others : { ...others, [dial!]: value }
    const { isDone, refusal } = await call('PUT', address, wanted)
    showResult(
      select,
      isDone ? `${dial} is ${value === '' ? 'back' : `turned to ${value}`}.` : refusal,
      !isDone,
    )
  } catch {
    showResult(select, 'The mock did not answer. Is it still running?', true)
  }
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
  const act =
    form.dataset.snapshot !== undefined
      ? restoreSnapshot
      : form.dataset.openCopy !== undefined
        ? openCopy
        : undefined
  if (!act) return
  event.preventDefault()
  act(form).catch(() => showResult(form, 'The mock did not answer. Is it still running?', true))
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
