import { z } from 'zod'
import type { DialValues } from '../../service/dials.ts'
import { type Incoming, route } from './route.ts'
import { knownServiceBase } from './service-base.ts'

const document = {
  answer: z.record(z.string(), z.unknown()),
  answerType: 'application/json',
}

/** The service's own OpenAPI document. That of the control API is at /_mock/control/openapi.json. */
export const serviceOpenApiRoutes = [
  route({
    id: 'getServiceDescription',
    method: 'GET',
    path: '/openapi.json',
    rel: 'openapi',
    summary: 'The service, as OpenAPI 3.1',
    description: 'As the dials of the start have it. Examples are those of the default fixture.',
    ...document,
    handle: call => described(call, call.tools.rigs.usualDials),
  }),
  route({
    id: 'getServiceDescriptionOfSpace',
    method: 'GET',
    path: '/spaces/{space}/openapi.json',
    rel: 'space-openapi',
    summary: 'The service as it is in a space, whose dials may be turned, as OpenAPI 3.1',
    ...document,
    also: { 404: 'There is no such space' },
    handle: async call => described(call, (await call.rig()).usualDials),
  }),
]

async function described(call: Incoming, dials: DialValues): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  const known = knownServiceBase(call)
  const text = await call.tools.serviceDescription(known ?? call.base, dials)
  return new Response(known === undefined ? elsewhere(text, call.base) : text, { headers })
}

/** On a port of its own the control API does not know where a service is that listens nowhere. */
function elsewhere(text: string, base: string): string {
  const description = 'The address of the control API. The service is on another port.'
  return JSON.stringify({ ...JSON.parse(text), servers: [{ url: base, description }] })
}
