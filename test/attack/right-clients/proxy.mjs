import { createServer, request } from 'node:http'

/**
 * A proxy before the service. `lazy`: it waits for whole answers, and does not pass on that its client left. `sends
 * again`: it repeats a request once whose answer did not come.
 * @returns its address, and how to close it
 */
export async function startProxy(kind, target) {
  const ask = ({ method, url, headers }, body) =>
    new Promise((resolve, reject) => {
      const asking = request(
        target + url,
        { method, headers: { ...headers, via: '1.1 proxy', 'x-forwarded-for': '127.0.0.1' } },
        answer => {
          const pieces = []
          answer.on('data', piece => pieces.push(piece))
          answer.on('error', reject)
          answer.on('end', () =>
            answer.complete ? resolve({ answer, body: Buffer.concat(pieces) }) : reject(new Error('cut')),
          )
        },
      )
      asking.setTimeout(20_000, () => asking.destroy(new Error('nothing came')))
      asking.on('error', reject)
      asking.end(body)
    })
  const server = createServer(async (incoming, outgoing) => {
    try {
      const pieces = []
      for await (const piece of incoming) pieces.push(piece)
      const body = Buffer.concat(pieces)
      const again = error => {
        if (kind === 'lazy') throw error
        return ask(incoming, body)
      }
      const got = await ask(incoming, body).catch(again)
      const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...headers } = got.answer.headers
      outgoing.writeHead(got.answer.statusCode, headers).end(got.body)
    } catch {
      if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'text/plain' })
      outgoing.end()
    }
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
