import { Id } from '../components/basics.tsx'
import { type PageCall, page } from '../page.ts'
import { serviceBase } from '../service-address.ts'
import { type Api, apisOf } from './document.ts'
import { apiTitles, Index } from './index.tsx'
import { Words } from './words.tsx'

/** What most come for: sending, asking what became of it, disturbing it, and what to think of the client. */
const wanted = ['createSending', 'getSending', 'putScenario', 'turnClock', 'getVerdict', 'resetSpace']

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
          <p class="docs-base">
            <span>
              The service answers at <Id id={serviceBase(call)} label="the address of the service" />
            </span>
            <span>
              Often looked for:{' '}
              {wanted.map((id, at) => (
                <>
                  {at > 0 && ', '}
                  <a href={call.at(`/docs/${id}`)}>
                    <code>{id}</code>
                  </a>
                </>
              ))}
            </span>
          </p>
          <Index call={call} apis={apis} />
          <h2>About the two</h2>
          <div class="docs-apis">
            {apis.map(api => (
              <About call={call} api={api} />
            ))}
          </div>
        </div>
      ),
    }
  },
})

function About({ call, api }: { call: PageCall; api: Api }) {
  const [first, ...rest] = api.description.split('\n\n')
  return (
    <section class="card" aria-labelledby={`about-${api.name}`}>
      <h3 id={`about-${api.name}`}>{apiTitles[api.name]}</h3>
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
