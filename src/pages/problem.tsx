import { defaultDials } from '../service/dials.ts'
import type { Problem } from '../service/problem.ts'
import { problemKinds } from '../service/problem-kinds.ts'
import { Quoted } from './components/quoted.tsx'
import type { PageCall, Shown } from './page.ts'

/** What a person is told where a program gets the problem's JSON. */
export function problemPage(call: PageCall, problem: Problem): Shown {
  const status = problem.status(defaultDials)
  const { title, meaning } = problemKinds[problem.name]
  const { detail, generalErrors, invalidFields } = problem
  const sentences = generalErrors.length + invalidFields.length > 0 ? generalErrors : [detail]
  return {
    title,
    status,
    content: (
      <div class="narrow">
        <h1>{title}</h1>
        {sentences.map(sentence => (
          <p>
            <Quoted text={sentence} />.
          </p>
        ))}
        {invalidFields.length > 0 && (
          <ul>
            {invalidFields.map(it => (
              <li>
                <code>{it.field}</code>: {it.problem}
              </li>
            ))}
          </ul>
        )}
        <p class="soft">
          {status}: {meaning}
        </p>
        {call.hasCalls && (
          <p>
            <a href={call.root}>All spaces</a>
          </p>
        )}
      </div>
    ),
  }
}
