import { route } from './route.ts'

export const resetRoutes = [
  route({
    id: 'resetAll',
    method: 'POST',
    path: '/reset',
    rel: 'reset',
    summary: 'Every space back to its beginning',
    description:
      'Private copies are gone, requests that wait are let go with a 500 problem, counts are at zero.',
    async handle({ tools }) {
      await tools.spaces.reset()
      return undefined
    },
  }),
]
