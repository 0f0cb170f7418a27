import { readFileSync } from 'node:fs'

/** One client that the judge is tested with, as docs/convictions.json has it; a test holds that file against the judge. */
interface Convicted {
  readonly client: string
  readonly fault: string | null
  readonly convictions: readonly {
    readonly rule: string
    readonly severity: string
    readonly case: string | null
  }[]
}

/** The matrix of clients and what each is convicted of, as a section of docs/conduct.md. */
export function convictionsTable(): string {
  const path = new URL('../docs/convictions.json', import.meta.url)
  const clients: readonly Convicted[] = JSON.parse(readFileSync(path, 'utf8'))
  return `## How the judge is judged

The judge is tested with clients that have exactly one known fault. They play the whole catalogue, restarts, and two mailings in a row. Naive uses of retry
libraries play a few short cases. Each client must be convicted of its own fault in at least one case, and of nothing else. The
reference client must be convicted of nothing. A test checks this, and \`npm run generate -- --slow\` writes the results. The clients are in
[\`examples/clients\`](../examples/clients/README.md).

| Client | What it does wrong | Convicted of | For example in |
| --- | --- | --- | --- |
${clients.map(row).join('\n')}

A client without a conviction breaks no rule: M17 never learns the result of its sending, and M26 does not end. An
exam has findings of its own for both.`
}

function row({ client, fault, convictions }: Convicted): string {
  const rules = convictions.map(({ rule, severity }) => `[${rule}](#${rule.toLowerCase()}) (${severity})`)
  const cases = new Set(convictions.flatMap(it => (it.case === null ? [] : [`\`${it.case}\``])))
  const cells = [client, fault ?? 'nothing', rules.join(', ') || 'nothing', [...cases].join(', ')]
  return `| ${cells.map(cell => cell.replace(/\|/g, '\\|')).join(' | ')} |`
}
