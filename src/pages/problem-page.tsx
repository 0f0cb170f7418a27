import { defaultDials } from '../service/dials.ts'
import { type Problem, problemKinds, problems } from '../service/problem.ts'
import { Facts, Quoted } from './components/elements.tsx'
import { page } from './page.ts'
import type { PageCall, PageContent } from './page-call.ts'
import { decodePart } from './request-form.ts'

/** A problem as a page, where a program gets JSON. */
export function problemPage(call: PageCall, problem: Problem): PageContent {
  const status = problem.status(defaultDials)
  const { title, meaning } = problemKinds[problem.name]
  const { detail, generalErrors, invalidFields } = problem
  const [, part] = /\/_mock\/spaces\/([^/?]+)\//.exec(call.request.url) ?? []
  const space = part === undefined ? undefined : call.tools.spaces.getOpen(decodePart(part))?.name
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
          <p class="flow">
            {space !== undefined && <a href={call.inSpace(space)}>Requests of {space}</a>}{' '}
            <a href={call.root}>All spaces</a>
          </p>
        )}
      </div>
    ),
  }
}

/** The target of a problem's `type`. */
export default page({
  show(call) {
    const { name } = call.params
    const kind = Object.hasOwn(problemKinds, name)
      ? problemKinds[name as keyof typeof problemKinds]
      : undefined
    if (!kind) throw problems.notFound(`problem ${name}; there are ${Object.keys(problemKinds).join(', ')}`)
    return {
      title: kind.title,
      content: (
        <div class="narrow">
          <h1>{kind.title}</h1>
          <Facts rows={[['Status', kind.status]]} />
          <p>{kind.meaning}</p>
        </div>
      ),
    }
  },
})
