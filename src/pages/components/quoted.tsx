/**
 * A sentence in which clients' texts are quoted. Each of them is set apart, so that one that is written from right to left
 * turns nothing around it.
 */
export function Quoted({ text }: { text: string }) {
  return <>{text.split(/("(?:[^"\\]|\\.)*")/).map((part, at) => (at % 2 === 1 ? <bdi>{part}</bdi> : part))}</>
}
