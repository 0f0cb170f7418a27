import { announce } from './calls.ts'

/** Puts a text on the clipboard, also where the page did not come over a safe connection. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'unseen'
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (!isDone) throw new Error('refused')
}

/** Buttons with `data-copy` copy what stands there. */
export function startCopying(): void {
  document.addEventListener('click', async event => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy]')
    if (!button) return
    try {
      await copy(button.dataset.copy!)
      announce('Copied.')
      button.dataset.copied = ''
      setTimeout(() => delete button.dataset.copied, 1_500)
    } catch {
      announce('The browser did not allow copying.')
    }
  })
}
