import { page } from '../page.ts'
import { pageQuery, requestsView } from './view.tsx'

/** A space: how it stands, and what is going on in it. */
export default page('/spaces/{space}', {
  query: pageQuery,
  show: call => requestsView(call, call.query),
})
