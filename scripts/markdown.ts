/** A table. The texts are Markdown already. */
export function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |\n`
  return [head, head.map(() => '---'), ...lines].map(line).join('')
}

/** Text with Markdown characters escaped, also for tables. */
export function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]|~]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s+/g, ' ')
}
