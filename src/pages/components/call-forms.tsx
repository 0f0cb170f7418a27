import type { Child } from 'hono/jsx'

interface CallProps {
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  /** Address as returned by `call.at()` or `call.inSpace()`. */
  readonly href: string
  /** Message after success. */
  readonly done?: string
  /** Where to go after success; by default the live parts of the page are reloaded. */
  readonly then?: string
  readonly children?: Child
}

/** A button that makes a control call. A refusal is shown at the end of its feedback region, or of the page. */
export function CallButton(
  props: CallProps & { body?: object; class?: string; label?: string; disabled?: boolean },
) {
  const { method = 'POST', href, body = {}, done, then, label, disabled, children } = props
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
    >
      {children}
    </button>
  )
}

/**
 * A form whose fields become the JSON body of a control call. A dot in a name makes a nested object. The value of a field
 * is a text, that of type `number` a number, and with `data-type="json"` what the text says. Empty fields are left out.
 */
export function CallForm(props: Omit<CallProps, 'then'> & { class?: string; label?: string }) {
  const { method = 'POST', href, done, label, children } = props
  return (
    <form class={props.class} aria-label={label} data-call={method} data-href={href} data-done={done}>
      {children}
    </form>
  )
}

/** A region of buttons and forms: the result of their calls is shown at its end and read out. */
export function CallFeedback({ class: name, children }: { class?: string; children?: Child }) {
  return (
    <div class={name} data-tells>
      {children}
      <p class="answer" role="status" aria-live="polite" data-answer data-kept hx-morph-skip />
    </div>
  )
}

/** Buttons that move a space's clock ahead. @param props.steps duration as the control call takes it, and in words */
export const AdvanceClock = (props: {
  href: string
  steps: readonly (readonly [advance: string, words: string])[]
  sign?: string
}) => (
  <>
    {props.steps.map(([advance, words]) => (
      <CallButton
        href={props.href}
        body={{ advance }}
        label={`${props.sign ?? ''}${words}: move the clock ahead`}
        done={`The clock was moved by ${words}.`}
      >
        {props.sign}
        {words}
      </CallButton>
    ))}
  </>
)
