import { z } from 'zod'
import { type SidePort, sideModes } from '../rig/side-ports.ts'
import { problems } from '../service/problem.ts'
import { createdAnswer, route, type SpaceCall } from './route.ts'
import { document, members } from './schemas.ts'

const mode = z.enum(sideModes)
const sidePort = document({
  port: z.int().describe('Connect to it instead of the port of the mock'),
  mode: mode.describe(
    'What becomes of new connections: refused, broken when they stand or with the first bytes, never answered, or led to the service; `tls-*` with a certificate, a protocol or a handshake that is faulty',
  ),
  connections: z
    .record(z.string(), z.int())
    .describe('Connections that each mode has met; the system does not report refused ones'),
})

const notFoundAnswer = { 404: 'There is no such space, or it has no side port' }

export const sidePortRoutes = [
  route('GET /spaces/{space}/side-port', 'getSidePort', {
    rel: 'side-port',
    summary: 'The side port of a space, for faults that strike before a request says who it is from',
    answer: sidePort,
    also: notFoundAnswer,
    async handle(call) {
      const { name } = (await call.rig()).space
      const port = await call.tools.sidePorts.of(name)
      if (!port) throw noSidePort(name)
      return toSidePortDocument(call, port)
    },
  }),
  route('PUT /spaces/{space}/side-port', 'putSidePort', {
    summary: 'Opens the side port of a space, or switches what becomes of new connections',
    description:
      'A reset of the space leaves it as it is. It closes when the space is removed, and when the mock stops.',
    body: members({ mode }),
    example: { mode: 'reset-at-accept' },
    answer: sidePort,
    also: {
      201: 'It was not open before',
      409: 'It cannot listen, too many are open, or a fault of TLS is asked for where HTTPS is not served',
    },
    async handle(call) {
      const { name } = (await call.rig()).space
      const { sidePorts } = call.tools
      const isNew = !sidePorts.of(name)
      const port = await sidePorts.openOrSwitch(name, call.body.mode).catch(error => {
        throw problems.notPossibleHere((error as Error).message)
      })
      const shown = toSidePortDocument(call, port)
      return isNew ? createdAnswer(shown) : shown
    },
  }),
  route('DELETE /spaces/{space}/side-port', 'deleteSidePort', {
    summary: 'Closes the side port of a space with all connections over it',
    also: notFoundAnswer,
    async handle(call) {
      const { name } = (await call.rig()).space
      if (!(await call.tools.sidePorts.close(name))) throw noSidePort(name)
    },
  }),
]

const noSidePort = (space: string) =>
  problems.notFound(`side port of space ${JSON.stringify(space)}; PUT {"mode": "…"} opens one`)

const toSidePortDocument = (call: SpaceCall, port: SidePort): z.input<typeof sidePort> => ({
  port: port.port,
  mode: port.mode,
  connections: Object.fromEntries(port.connectionCounts),
  _links: call.spaceLinks('/side-port', 'space'),
})
