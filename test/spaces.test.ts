import { describe, expect, it } from 'vitest'
import { customersPath, ids, now, startMock, synchronizationPath, synchronizationsPath } from './mock.ts'

const sendings = (id: string) => synchronizationPath(id, '/sendings')

describe('spaces', () => {
  it('5/2: users of a space share its data; a plus leads to a private space that starts from the fixture', async () => {
    const mock = await startMock()
    await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })
    const seen = async (user: string) =>
      (await mock.as(user).get(sendings(ids.ready))).json._embedded['svc:sendings'].length
    expect(await seen('demo-viewer')).toBe(1)
    expect(await seen('demo+x')).toBe(0)
    await mock.as('demo+x').post(sendings(ids.ready))
    await mock.as('demo+x').post(sendings(ids.ready))
    expect([
      await seen('demo'),
      await seen('demo+x'),
      await seen('demo-viewer+x'),
      await seen('demo+y'),
    ]).toEqual([1, 2, 2, 0])
  })

  it('4.16: the accessible-lists configuration belongs to the space', async () => {
    const mock = await startMock()
    await mock
      .as('demo+x')
      .put(`${customersPath}/lindenau/configuration/accessible-lists`, { permitAll: true })
    const lists = async (user: string) =>
      (await mock.as(user).get(`${customersPath}/lindenau/lists`)).json._embedded['svc:lists'].length
    expect([await lists('demo'), await lists('demo+x'), await lists('demo-viewer+x')]).toEqual([2, 3, 3])
  })

  it('a viewer of a private space may not write to it', async () => {
    const mock = await startMock()
    expect((await mock.as('demo-viewer+x').post(sendings(ids.ready))).status).toBe(403)
  })

  it('a thousand private spaces at once do not see each other', async () => {
    const mock = await startMock()
    const users = Array.from({ length: 1000 }, (_, n) => `demo+${n}`)
    await Promise.all(users.map((user, n) => mock.as(user).post(sendings(ids.ready), { subject: `of ${n}` })))
    for (const [n, user] of users.entries()) {
      const { platformMailings, sendingsOfSynchronization } = mock.space(user).data.tables
      expect(sendingsOfSynchronization.count(ids.ready)).toBe(1)
      expect(platformMailings.at(platformMailings.size - 1).subject).toBe(`of ${n}`)
    }
  })

  it.each(['../../etc', 'a/b', 'ä'.normalize('NFC'), 'ä'.normalize('NFD'), '😀', '__proto__', '+', 'A', 'a'])(
    'a private space may have the odd name %j, and it is a space of its own',
    async tag => {
      const mock = await startMock()
      expect((await mock.as(`demo+${tag}`).post(sendings(ids.ready))).status).toBe(201)
      expect(mock.space().data.seq).toBe(0)
      expect(mock.spaces.names()).toEqual(['demo', `demo+${tag}`])
    },
  )

  it.each(['\u0000', 'a\nb', '\u007f'])(
    'a private space with a control character in its name %j is 401 and makes no space',
    async tag => {
      const mock = await startMock()
      expect((await mock.as(`demo+${tag}`).get('/mailings')).status).toBe(401)
      expect(mock.spaces.names()).toEqual(['demo'])
    },
  )

  it('a reset brings every space back to its beginning, IDs included, and forgets private spaces', async () => {
    const mock = await startMock()
    const first = (await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })).text
    await mock.as('demo+x').post(sendings(ids.ready))
    await mock.spaces.reset()
    expect(mock.spaces.names()).toEqual(['demo'])
    expect((await mock.as('demo').post(sendings(ids.ready), { transactionId: 'a' })).text).toBe(first)
  })

  it('a reset during traffic leaves nothing of a space behind', async () => {
    const mock = await startMock()
    const traffic = Array.from({ length: 100 }, (_, n) =>
      mock.as(n % 2 ? 'demo' : `demo+${n}`).post(sendings(ids.ready)),
    )
    await mock.spaces.reset()
    for (const { status } of await Promise.all(traffic)) expect(status).toBe(201)
    await mock.spaces.reset()
    expect((await mock.as('demo').get(sendings(ids.ready))).json._embedded['svc:sendings']).toEqual([])
  })
})

it('the same seed and the same requests give the same bytes', async () => {
  const run = async (seed: number) => {
    const mock = await startMock({ seed })
    const answers: string[] = []
    for (let n = 0; n < 40; n++) {
      const user = mock.as(n % 3 ? 'demo' : 'demo+x')
      mock.clock.advance(n * 1_000)
      const { text, headers } = await user.post(
        sendings(n % 2 ? ids.ready : ids.both),
        n % 5 ? { transactionId: `t${n % 7}` } : {},
      )
      answers.push(text, headers.get('location') ?? '')
      answers.push((await user.post(synchronizationsPath, { customer: 'harbour-group', listId: 1001 })).text)
      answers.push((await user.get(`${synchronizationsPath}?pageSize=3`)).text)
      answers.push((await user.post(synchronizationPath(ids.both, '/mailing-uploads'))).text)
    }
    return answers
  }
  expect(await run(7)).toEqual(await run(7))
  expect(await run(8)).not.toEqual(await run(7))
})

it('every effect on the platform names the one request that caused it', async () => {
  const mock = await startMock()
  const demo = mock.as('demo')
  await demo.post(sendings(ids.ready), { transactionId: 'a' })
  await demo.post(sendings(ids.ready), { transactionId: 'a' })
  await demo.post(synchronizationPath(ids.ready, '/mailing-uploads'))
  await demo.post(synchronizationPath(ids.ready, '/test-sendings'), { testMailGroupId: 8001 })
  const { platformMailings, platformSendings } = mock.space().data.tables
  const made = [...platformMailings.changes()].map(({ row }) => row)
  expect(made.map(row => [row.origin, row.createdAt])).toEqual([
    ['sending', now],
    ['mailing-upload', now],
    ['test-sending', now],
  ])
  expect(new Set(made.map(row => row.cause)).size).toBe(3)
  expect([...platformSendings.changes()].map(({ row }) => row.cause)).toEqual([
    made[0]!.cause,
    made[2]!.cause,
  ])
})
