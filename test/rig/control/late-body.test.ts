import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { startTester } from './tester.ts'

it('a call that has no use for its body answers after the body has come, so that Node keeps the connection of a Java client', async () => {
  const tester = await startTester()
  const { hostname, port, host } = new URL(await tester.listen())
  await tester.put('/spaces/demo+java')
  const socket = connect(Number(port), hostname)
  try {
    let received = ''
    socket.setEncoding('latin1').on('data', text => {
      received += text
    })
    const head = (method: string) =>
      `${method} /_mock/spaces/demo+java HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`
    socket.write(head('DELETE'))
    // Longer than an answer would take.
    for (let nth = 0; nth < 5; nth++) await (await fetch(`http://${host}/_mock/health`)).text()
    expect(received).toBe('')
    socket.write('{}')
    await once(socket, 'data')
    expect(received).toMatch(/^HTTP\/1\.1 204 /)
    socket.write(`${head('PUT')}{}`)
    await once(socket, 'data')
    expect(received).toMatch(/HTTP\/1\.1 201 /)
  } finally {
    socket.destroy()
    await tester.close()
  }
})
