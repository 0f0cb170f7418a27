import type { Child } from 'hono/jsx'

type Method = 'POST' | 'PUT' | 'DELETE'

interface CallProps {
  readonly method: Method
  /** As `call.at()` or `call.inSpace()` gives it. */
  readonly href: string
  /** What is said when it has been done. */
  readonly done?: string
  /** Where to go when it has been done; else the page's live parts are asked for anew. */
  readonly then?: string
  /** Asked before it is done. */
  readonly confirm?: string
  readonly children?: Child
}

/**
 * A button that makes a control call with a JSON body. A refusal is told in words in the `Told` region around it, or at
 * the end of the page.
 */
export function CallButton(
  props: CallProps & { body?: object; class?: string; label?: string; disabled?: boolean },
) {
  const { method, href, body = {}, done, then, confirm, label, disabled, children } = props
  return (
    <button
      type="button"
      class={props.class}
      aria-label={label}
      disabled={disabled}
      data-call={method}
      data-href={href}
      data-body={JSON.stringify(body)}
      data-done={done}
      data-then={then}
      data-confirm={confirm}
    >
      {children}
    </button>
  )
}

/**
 * A form whose fields become the JSON body of a control call: by their names, a dot in a name makes an object in it.
 * `data-type` on a field says `number`, `boolean` or `json` where it is no text. An empty field is left out.
 */
export function CallForm(props: CallProps & { class?: string; label?: string }) {
  const { method, href, done, then, confirm, label, children } = props
  return (
    <form
      class={props.class}
      aria-label={label}
      data-call={method}
      data-href={href}
      data-done={done}
      data-then={then}
      data-confirm={confirm}
    >
      {children}
    </form>
  )
}

/** Around buttons and forms: what became of their calls is told at its end, and read out. */
export function Told({ class: name, children }: { class?: string; children?: Child }) {
  return (
    <div class={name} data-tells>
      {children}
      <p class="answer" role="status" aria-live="polite" data-answer data-kept hx-morph-skip />
    </div>
  )
}
