import { page } from '../page.ts'
import { pageQuery, requestsView } from './view.tsx'

/** The requests of a space, as many of them as a filter leaves. */
export default page('/spaces/{space}/requests', {
  query: pageQuery,
  show: call => requestsView(call, call.query),
})
