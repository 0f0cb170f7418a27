import { Quoted } from '../components/quoted.tsx'

/**
 * A sentence of the judge, in which the requests that it names can be followed.
 * @param props.nameOf what a request is called for readers; its ID unless there is something better
 */
export function Sentence(props: {
  text: string
  evidence: readonly string[]
  href: (requestId: string) => string
  nameOf?: (requestId: string) => string | undefined
}) {
  const { text, evidence, href, nameOf } = props
  const known = new Set(evidence)
  return (
    <>
      {text.split(/(\br\d+-\d+\b)/).map(part =>
        known.has(part) ? (
          <a href={href(part)} title={`Request ${part}`}>
            {nameOf?.(part) ?? part}
          </a>
        ) : (
          <Quoted text={part} />
        ),
      )}
    </>
  )
}
