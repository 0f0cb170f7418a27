import { problems } from '../service/problem.ts'
import { page } from './page.ts'
import { relations } from './relations.ts'

/** Where `curies` lead: what a link relation means. */
export default page('/relations/{rel}', {
  show(call) {
    const { rel } = call.params
    const meaning = Object.hasOwn(relations, rel) ? relations[rel] : undefined
    if (!meaning)
      throw problems.notFound(`link relation ${rel}; there are ${Object.keys(relations).join(', ')}`)
    return {
      title: `Relation ${rel}`,
      content: (
        <div class="narrow">
          <h1>
            <code>
              {call.tools.names.relationPrefix}:{rel}
            </code>
          </h1>
          <p>{meaning}</p>
        </div>
      ),
    }
  },
})
