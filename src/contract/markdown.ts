/** A table of texts that are Markdown already. */
export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |\n`
  return [head, head.map(() => '---'), ...lines].map(line).join('')
}

/** Text that stands for itself in Markdown, in a table too. */
export function escaped(text: string): string {
  return text
    .replace(/[\\`*_[\]|~]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s+/g, ' ')
}
