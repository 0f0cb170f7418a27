import { page } from './page.ts'

/** A space: what is going on in it. */
export default page('/spaces/{space}', {
  async show(call) {
    const rig = await call.rig()
    return { title: 'Requests', space: rig, tab: 'requests', content: <h1>Requests</h1> }
  },
})
