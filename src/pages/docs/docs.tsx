import { type PageCall, page } from '../page.ts'
import { type Api, apisOf } from './document.ts'
import { apiTitles, Index } from './index.tsx'
import { Words } from './words.tsx'

/** The API reference: what there is to ask for, of the service and of the mock. */
export default page('/docs', {
  async show(call) {
    const apis = await apisOf(call)
    return {
      title: 'API reference',
      scripts: ['browser/docs.js'],
      content: (
        <div class="docs-start">
          <h1>API reference</h1>
          <div class="docs-apis">
            {apis.map(api => (
              <About call={call} api={api} />
            ))}
          </div>
          <Index call={call} apis={apis} />
        </div>
      ),
    }
  },
})

function About({ call, api }: { call: PageCall; api: Api }) {
  const [first, ...rest] = api.description.split('\n\n')
  return (
    <section class="card" aria-labelledby={`about-${api.name}`}>
      <h2 id={`about-${api.name}`}>{apiTitles[api.name]}</h2>
      <Words text={first} />
      {rest.length > 0 && (
        <details>
          <summary>How to read it</summary>
          <Words text={rest.join('\n\n')} />
        </details>
      )}
      <p>
        <a href={call.at(api.source)}>As OpenAPI 3.1</a>
      </p>
    </section>
  )
}
