import { expect, it } from 'vitest'
import { startMock, synchronizationsPath } from '../mock.ts'

const addMailing = { customer: 'harbour-group', listId: 1001, mailingName: 'Fresh from the press' }
const names = (json: { _embedded: Record<string, { name: string }[]> }) =>
  Object.values(json._embedded)[0]!.map(({ name }) => name)

it.each(['/mailings', '/mailings?hasDraft=true', '/mailings?isApproved=false&hasDraft=true'])(
  '%s, asked for before, shows a mailing that has come since',
  async path => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const before = await demo.get(path)
    expect(await demo.get(path)).toMatchObject({ json: before.json })

    expect((await demo.post(synchronizationsPath, addMailing)).status).toBe(201)

    const after = await demo.get(path)
    expect(names(after.json)).toContain(addMailing.mailingName)
    expect(names(after.json)).toHaveLength(names(before.json).length + 1)
  },
)

it('a collection that was asked for before is told to each user from its own space', async () => {
  const mock = await startMock()
  await mock.as('demo').get('/mailings')
  await mock.as('demo+other').post(synchronizationsPath, addMailing)

  expect(names((await mock.as('demo').get('/mailings')).json)).not.toContain(addMailing.mailingName)
  expect(names((await mock.as('demo+other').get('/mailings')).json)).toContain(addMailing.mailingName)
})

it('a reset takes a collection back that was asked for before', async () => {
  const mock = await startMock()
  const demo = mock.as('demo')
  const { json: beginning } = await demo.get('/mailings')
  await demo.post(synchronizationsPath, addMailing)
  await demo.get('/mailings')

  await mock.spaces.reset()

  expect((await demo.get('/mailings')).json).toEqual(beginning)
})

it('filters that differ in one sign are told apart, however often either was asked for', async () => {
  const mock = await startMock()
  const demo = mock.as('demo')
  for (let time = 0; time < 2; time++) {
    const { json: draft } = await demo.get('/mailings?hasDraft=true')
    const { json: none } = await demo.get('/mailings?hasDraft=false')
    expect(draft._links.self.href).toMatch(/hasDraft=true$/)
    expect(none._links.self.href).toMatch(/hasDraft=false$/)
    expect(new Set([...names(draft), ...names(none)]).size).toBe(30)
  }
})
