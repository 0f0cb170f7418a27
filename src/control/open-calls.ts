import type { Json } from '../contract/openapi/json-schema.ts'
import { problems } from '../service/problem.ts'
import { problemResponse } from '../service/problem-answer.ts'
import { type ControlContext, type Endpoint, problemLinks } from './endpoint.ts'
import type { ControlTools } from './tools.ts'

/** A control call that needs no token and, unlike all others, nothing that has to be loaded first. */
interface OpenCall extends Pick<Endpoint, 'method' | 'path'> {
  /** Of its link in `GET /_mock`. */
  readonly title: string
  /** What the OpenAPI document says of it. */
  readonly operation: Json
  answer(c: ControlContext, tools: Pick<ControlTools, 'rigs' | 'authority'>): Response
}

/** Answers are not cached, and pages of other origins cannot embed them. */
export const ownHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const openResponse = (body: string, type: string) =>
  new Response(body, { headers: { 'Content-Type': type, ...ownHeaders } })

/** A constant body while there is memory, so that scripts which wait for the mock can compare it. */
export const healthCall: OpenCall = {
  method: 'GET',
  path: '/health',
  title: 'Whether the mock is ready',
  operation: {
    operationId: 'getHealth',
    summary: 'Whether the mock is ready. Needs no token',
    security: [],
    responses: {
      200: {
        description: 'It is',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: {
                status: { const: 'ready' },
                memory: {
                  const: 'full',
                  description: 'Only while --memory-limit is reached: GET /_mock/memory tells by what',
                },
              },
              required: ['status'],
              additionalProperties: false,
            },
          },
        },
      },
    },
  },
  answer(_, { rigs }) {
    const memory = rigs.budget.use().isFull ? ',"memory":"full"' : ''
    return openResponse(`{"status":"ready"${memory}}`, 'application/json')
  },
}

/** Open, since a client cannot send a token before it trusts the certificate. */
export const authorityCall: OpenCall = {
  method: 'GET',
  path: '/ca.pem',
  title: 'What clients of HTTPS have to trust',
  operation: {
    operationId: 'getCertificateAuthority',
    summary: 'The certificate authority of the mock, which clients of HTTPS have to trust. Needs no token',
    security: [],
    responses: {
      200: {
        description: 'Its certificate, to be trusted in tests only',
        content: { 'application/x-pem-file': { schema: { type: 'string' } } },
      },
      404: { $ref: '#/components/responses/Problem' },
    },
  },
  answer({ env }, { authority }) {
    if (authority !== undefined) return openResponse(authority, 'application/x-pem-file')
    const problem = problems.notFound('certificate authority: --tls makes one, unless --tls-cert is given')
    return problemResponse(problem, problemLinks(env.base))
  },
}

export const openCalls: readonly OpenCall[] = [healthCall, authorityCall]
