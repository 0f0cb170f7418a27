import { Chip, type Tone } from '../components/chips.tsx'
import type { Answer, Api, Media, Operation } from './document.ts'
import { Described, Members } from './schema.tsx'
import { limitsOf, typeWords } from './types.ts'
import { Standing, Words } from './words.tsx'

/** What an operation may be answered, by status. */
export function Answers({ api, operation }: { api: Api; operation: Operation }) {
  return (
    <section class="docs-answers" aria-labelledby="answers">
      <h2 id="answers">Answers</h2>
      {Object.entries(operation.responses).map(([status, answer]) => (
        <AnswerOf api={api} status={status} answer={api.resolved(answer)} />
      ))}
    </section>
  )
}

const tones: Readonly<Record<string, Tone>> = { 2: 'good', 3: 'info', 4: 'warn', 5: 'bad' }

function AnswerOf({ api, status, answer }: { api: Api; status: string; answer: Answer }) {
  const { description, headers = {}, content = {} } = answer
  const media = Object.entries(content)
  const first = firstSentence(description)
  const header = Object.entries(headers)
  return (
    <details class="card docs-answer" open={status.startsWith('2')}>
      <summary>
        <Chip tone={tones[status[0]!] ?? 'calm'}>{status}</Chip> <span>{first}</span>
      </summary>
      {first !== description && <Words text={description.slice(first.length).trim()} />}
      <Standing of={answer} />
      {header.length > 0 && (
        <details>
          <summary>Headers</summary>
          <ul class="members">
            {header.map(([name, it]) => {
              const told = api.resolved(it)
              return (
                <Described name={name} type={typeWords(api, told.schema ?? {})} isRequired={false} of={told}>
                  <Words text={told.description} />
                </Described>
              )
            })}
          </ul>
        </details>
      )}
      {media.length === 0 && <p class="soft">No body.</p>}
      {media.map(([type, it]) => (
        <MediaOf api={api} type={type} media={it} />
      ))}
    </details>
  )
}

/** A body: its type, its members, and examples of it. */
export function MediaOf({ api, type, media }: { api: Api; type: string; media: Media }) {
  const { schema } = media
  return (
    <>
      <p>
        <code>{type}</code>{' '}
        {schema && <span class="soft">{[typeWords(api, schema), ...limitsOf(schema)].join(', ')}</span>}
      </p>
      {schema && <Members api={api} schema={schema} />}
      {examplesOf(media).map(({ name, value }) => (
        <details class="docs-example">
          <summary>Example: {name}</summary>
          {/* What is long scrolls, and must be reached by keyboard. */}
          <pre class="json" tabindex={0}>
            <code>{exampleText(value)}</code>
          </pre>
        </details>
      ))}
    </>
  )
}

export interface Example {
  readonly name: string
  readonly value: unknown
}

/** Examples of a body, each with what it shows. */
export function examplesOf({ example, examples = {} }: Media): Example[] {
  const named = Object.entries(examples).map(([key, { summary, value }]) => ({ name: summary ?? key, value }))
  return example === undefined ? named : [{ name: 'as it may be sent', value: example }, ...named]
}

/** An example as it is sent, laid out. */
export const exampleText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)

/** Up to the first stop that another sentence follows. */
const firstSentence = (text: string): string => /^.*?\.(?= \S)/s.exec(text)?.[0] ?? text
