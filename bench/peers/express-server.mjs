/** As somebody writes it who wants it to work: no tricks, and nothing that express does not do by itself. */
import express from 'express'
import { createWorld, integration, isRefused, refusal, send } from '../world.mjs'

const [port, mailings] = process.argv.slice(2).map(Number)
const begin = () => createWorld(`http://127.0.0.1:${port}`, mailings)
let world = begin()

const app = express()
app.use((request, response, next) => {
  if (world.users.has(request.headers.authorization)) next()
  else response.set('WWW-Authenticate', 'Basic').status(401).end()
})
app.use(express.json())
app.use((_request, response, next) => {
  response.type('application/hal+json')
  next()
})
app.get(`${integration}/:id`, (request, response) => {
  const row = world.synchronizations.get(request.params.id)
  if (row) response.json(row)
  else response.status(404).json({})
})
app.get('/mailings', (request, response) => {
  const { hasDraft } = request.query
  const rows =
    hasDraft === undefined ? world.mailings : world.mailings.filter(row => String(row.hasDraft) === hasDraft)
  response.json(world.listed(rows, request.originalUrl))
})
app.post(`${integration}/:id/sendings`, (request, response) => {
  const row = world.synchronizations.get(request.params.id)
  if (!row) return response.status(404).json({})
  if (isRefused(world, request.body.transactionId)) return response.status(503).json(refusal)
  const { sending, isFresh } = send(world, row, request.body)
  if (isFresh) response.location(sending._links.self.href)
  response.status(isFresh ? 201 : 200).json(sending)
})
app.post('/reset', (_request, response) => {
  world = begin()
  response.status(204).end()
})
app.listen(port, '127.0.0.1')
