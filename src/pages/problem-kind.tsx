import { problems } from '../service/problem.ts'
import { problemKinds } from '../service/problem-kinds.ts'
import { Facts } from './components/basics.tsx'
import { page } from './page.ts'

/** Where the `type` of a problem leads. */
export default page('/problems/{name}', {
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
