/** What somebody is writing outlives a reload: the browser keeps it for the space, until its window is closed. */

/** Keeps the text, or nothing where it is what the page gave. */
export function keepDraft(editor: HTMLElement, { value, defaultValue }: HTMLTextAreaElement): void {
  if (value === defaultValue) {
    forgetDraft(editor)
    return
  }
  try {
    sessionStorage.setItem(editor.dataset.draft!, value)
  } catch {
    // It is full, or not allowed: then it is not kept.
  }
}

/** There is nothing to restore any more, and nothing is said of it. */
export function forgetDraft(editor: HTMLElement): void {
  const told = editor.querySelector<HTMLElement>('.draft')!
  if (told.contains(document.activeElement)) editor.querySelector('textarea')!.focus()
  told.replaceChildren()
  try {
    sessionStorage.removeItem(editor.dataset.draft!)
  } catch {
    // Nothing was kept either.
  }
}

/**
 * Puts what was kept back into the editor, and says so.
 * @param load puts another text into the editor: what the page gave, when the draft is discarded
 */
export function restoreDraft(
  editor: HTMLElement,
  text: HTMLTextAreaElement,
  load: (content: string) => void,
): void {
  const kept = read(editor.dataset.draft!)
  if (kept === null || kept === text.defaultValue) return
  text.value = kept
  const discard = document.createElement('button')
  discard.type = 'button'
  discard.textContent = 'Discard'
  discard.setAttribute('aria-label', 'Discard the restored draft')
  discard.addEventListener('click', () => {
    load(text.defaultValue)
    forgetDraft(editor)
  })
  editor.querySelector('.draft')!.replaceChildren('Restored draft · ', discard)
}

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}
