/** As its README has it, on a file. */
const jsonServer = require('json-server')

const [port, file] = process.argv.slice(2)
const expected = `Basic ${Buffer.from('demo:demo').toString('base64')}`
const prefix = '/integrations/mailing-platform/mailing-synchronizations/:id'

const server = jsonServer.create()
server.use((request, response, next) => {
  if (request.headers.authorization === expected) next()
  else response.set('WWW-Authenticate', 'Basic').status(401).end()
})
server.use(jsonServer.rewriter({ [`${prefix}/sendings`]: '/sendings', [prefix]: '/synchronizations/:id' }))
server.use(jsonServer.bodyParser)
server.use(jsonServer.router(file))
server.listen(Number(port), '127.0.0.1')
