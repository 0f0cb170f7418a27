interface Asking {
  readonly ctx: { readonly request: { readonly method: string; readonly body: FormData } }
}

/** Leaves fields without a value out of an address, so that it can be read and kept. */
export function startFiltering(): void {
  document.addEventListener('htmx:config:request', event => {
    const { method, body } = (event as CustomEvent<Asking>).detail.ctx.request
    if (method !== 'GET') return
    for (const [name, value] of [...body]) if (value === '') body.delete(name)
  })
}
